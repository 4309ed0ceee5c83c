import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { sqliteFileOf } from '#runtimes/folders/site-folder.ts';
import { createClient, type PitRestoreDetail, type Site } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { holdSite, newFqdn, newSite, putOnPlan } from '#testkit/app/sites.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { refused } from '#testkit/expect.ts';

let app: TestApp;
let owner: Person;
before(async () => {
  app = await sharedApp();
  owner = await registerPerson(app, 'Owner');
  await putOnPlan(app, owner.teamId, 'business');
});

/** A site with a file and an option that say `old`, kept so; and then both say `new`, and there is one more file. */
async function siteWithPast() {
  const site = await newSite(owner);
  const disk = siteOnDisk(app, site.id);
  await disk.write('uploads/note.txt', 'old');
  await disk.write('uploads/gone/lost.txt', 'was here');
  await disk.setOption('note', 'old');
  const point = await disk.keep();
  await disk.write('uploads/note.txt', 'new');
  await disk.write('uploads/extra.txt', 'extra');
  await disk.remove('uploads/gone');
  await disk.setOption('note', 'new');
  const { content } = app.runtime.storage(site.id);
  const file = (path: string) => readFile(join(content, path), 'utf8').catch(() => null);
  const state = async () => ({
    note: await file('uploads/note.txt'),
    extra: await file('uploads/extra.txt'),
    lost: await file('uploads/gone/lost.txt'),
    option: await disk.option('note'),
  });
  return { site, params: { fqdn: site.fqdn }, disk, point, state };
}

/** Any number that nobody else uses. */
const WRITE_MEANWHILE_LOCK = 471_200;

const OLD = { note: 'old', extra: 'extra', lost: 'was here', option: 'old' };
const NEW = { note: 'new', extra: 'extra', lost: null, option: 'new' };

suite('restoring a site to a point in time', () => {
  test('brings files and database back together, counts truly, and one more restore undoes it', async () => {
    const { params, point, state } = await siteWithPast();
    const done = await owner.api.createPitRestore({ params, wait: 60, body: { restore_point: point } });
    assert.deepEqual(await state(), OLD, 'files that the backup does not have stay');
    assert.equal(done.backup_point, point);
    assert.notEqual(done.finished_at, null);
    assert.equal(done.failed_reason, null);
    const { num_files_added, num_files_restored, num_files_deleted, num_folders_added } = done;
    assert.deepEqual([num_files_added, num_files_restored, num_files_deleted, num_folders_added], [1, 1, 0, 1]);
    const { num_tables_restored, num_tables_deleted, num_tables_failed, num_tables_skipped } = done;
    assert.deepEqual([num_tables_restored, num_tables_deleted, num_tables_failed], [1, 0, 0]);
    assert.equal(num_tables_skipped, 11);
    assert.equal((await owner.api.getSite({ params })).busy, null);

    const undo = { restore_point: done.undo_point as string, delete_extra_files: true };
    await owner.api.createPitRestore({ params, wait: 60, body: undo });
    assert.deepEqual(await state(), NEW);
    const { results } = await owner.api.listPitRestores({ params });
    assert.deepEqual(
      results.map(({ is_undone }) => is_undone),
      [false, true],
      'the restore is told to be undone, and what undid it is not',
    );
    assert.deepEqual(
      results.map(({ undoes }) => undoes),
      [{ kind: 'restore', created_at: done.created_at }, null],
    );
    const { results: events } = await owner.api.listSiteEvents({ params, query: { size: 20 } });
    const told = events.filter(({ event_type }) => event_type === 'restore.started').map(({ activity }) => activity);
    assert.match(told[0] as string, /undid a restore of/);
    assert.match(told[1] as string, /restored .* to /);
  });

  test('removes files that the backup does not have where that is asked for', async () => {
    const { params, point, state } = await siteWithPast();
    const body = { restore_point: point, delete_extra_files: true };
    const done = await owner.api.createPitRestore({ params, wait: 60, body });
    assert.deepEqual(await state(), { ...OLD, extra: null });
    assert.equal(done.num_files_deleted, 1);
  });

  test('restores one half and leaves the other, and takes the database from another backup', async () => {
    const { params, disk, point, state } = await siteWithPast();
    const later = await disk.keep();
    await owner.api.createPitRestore({ params, wait: 60, body: { restore_point: point, restore_db: false } });
    assert.deepEqual(await state(), { ...OLD, option: 'new' });
    await disk.setOption('note', 'newest');
    const onlyDatabase = { restore_point: point, restore_cms_content: false };
    await disk.write('uploads/note.txt', 'stays');
    await owner.api.createPitRestore({ params, wait: 60, body: onlyDatabase });
    assert.deepEqual(await state(), { ...OLD, note: 'stays' });

    const [backup] = (await owner.api.getBackups({
      params,
      query: { restore_point: later, number_to_fetch: 1 },
    })) as { commit_hash: string }[];
    const mixed = { restore_point: point, db_restore_hash: backup?.commit_hash as string };
    await owner.api.createPitRestore({ params, wait: 60, body: mixed });
    assert.deepEqual(await state(), { ...OLD, option: 'new' });
  });

  test('the next visitor after it sees what came back, also of files that the edge had in memory', async () => {
    const { site, params, point } = await siteWithPast();
    const note = () => visit(app, site.fqdn, '/wp-content/uploads/note.txt');
    assert.equal((await note()).text, 'new');
    const seen = new Set<string>();
    const restored = owner.api
      .createPitRestore({ params, wait: 60, body: { restore_point: point } })
      .then(() => 'done');
    for (let state: string | undefined; state === undefined; ) {
      seen.add((await note()).text);
      state = await Promise.race([restored, Promise.resolve(undefined)]);
    }
    assert.equal((await note()).text, 'old');
    assert.ok(
      [...seen].every((text) => text === 'old' || text === 'new'),
      [...seen].join(),
    );
  });

  test('keeps the address of today when the site had another name then', async () => {
    const { site, params, disk, point } = await siteWithPast();
    const renamed = await owner.api.updateSite({ params, wait: 60, body: { new_fqdn: newFqdn() } });
    const now = { fqdn: renamed.fqdn };
    const preview = () => owner.api.previewPitRestore({ params: now, body: { restore_point: point } });
    const before = (await preview()).changes.tables;
    assert.deepEqual(
      before.flatMap(({ sample }) => sample.map(({ at_point }) => at_point?.option_name)),
      ['note'],
      'what only had the other address is no change',
    );
    await owner.api.createPitRestore({ params: now, wait: 60, body: { restore_point: point } });
    assert.equal(await disk.option('note'), 'old');
    assert.equal(new URL(String(await disk.option('home'))).hostname, renamed.fqdn);
    assert.notEqual(renamed.fqdn, site.fqdn);
    const after = await preview();
    assert.deepEqual(after.changes.tables, [], 'and none is left after the restore');
  });

  test('is one work at a time, told in an event that names the record', async () => {
    const { params, point } = await siteWithPast();
    const body = { restore_point: point };
    const begun = await owner.api.createPitRestore({ params, body });
    await assert.rejects(owner.api.createPitRestore({ params, body }), refused(409, 'site.busy'));
    await assert.rejects(owner.api.previewPitRestore({ params, body }), refused(409, 'site.busy'));
    await waitFor(async () => (await owner.api.getSite({ params })).busy === null);
    const events = await owner.api.listSiteEvents({ params });
    const event = events.results.find(({ event_type }) => event_type === 'restore.started');
    assert.equal(event?.item_id, begun.id);
    assert.notEqual(event?.finished_at, null);
    const detail = event?.detail as { result: { num_files_restored: number } } | undefined;
    assert.equal(detail?.result.num_files_restored, 1);
  });

  test('brings a site back whose database is broken or gone, which is what restores are for', async () => {
    for (const breakIt of [(file: string) => writeFileSync(file, 'no database'), (file: string) => rmSync(file)]) {
      const { site, params, point, state } = await siteWithPast();
      await app.timeMachine.release(site.id);
      breakIt(sqliteFileOf(app.runtime.storage(site.id)));
      const files = { restore_point: point, restore_db: false };
      await assert.rejects(owner.api.createPitRestore({ params, wait: 60, body: files }), (error: Error) =>
        /has to be restored too/.test(error.message),
      );
      const done = await owner.api.createPitRestore({ params, wait: 60, body: { restore_point: point } });
      assert.equal(done.num_tables_restored, 12);
      assert.deepEqual(await state(), OLD);
      assert.equal((await owner.api.getSite({ params })).busy, null);
    }
  });

  test('what the site wrote after it was looked at is in the undo', async () => {
    const { site, params, disk, point, state } = await siteWithPast();
    const { db } = app.services;
    // Between the plan and the change, once: the plan is outdated then, and made again.
    await sql`create function write_meanwhile() returns trigger language plpgsql as $$ begin
      perform pg_advisory_xact_lock(${sql.lit(WRITE_MEANWHILE_LOCK)}); return new; end $$`.execute(db);
    await sql`create trigger slow_plan before update of undo_point on pit_restores for each row
      when (old.undo_point is null and new.undo_point is not null) execute function write_meanwhile()`.execute(db);
    try {
      const restored = await db.connection().execute(async (holder) => {
        await sql`select pg_advisory_lock(${WRITE_MEANWHILE_LOCK})`.execute(holder);
        const restoring = owner.api.createPitRestore({ params, wait: 60, body: { restore_point: point } });
        await waitFor(async () => {
          const { rows } =
            await sql`select from pg_locks where objid = ${WRITE_MEANWHILE_LOCK} and not granted`.execute(db);
          return rows.length > 0;
        });
        await disk.setOption('note', 'written meanwhile');
        await sql`select pg_advisory_unlock(${WRITE_MEANWHILE_LOCK})`.execute(holder);
        return restoring;
      });
      const { undo_point } = restored;
      assert.deepEqual(await state(), OLD);
      const undo = { restore_point: undo_point as string, delete_extra_files: true };
      await owner.api.createPitRestore({ params, wait: 60, body: undo });
      assert.deepEqual(await state(), { ...NEW, option: 'written meanwhile' });
      assert.ok(site.id);
    } finally {
      await sql`drop trigger slow_plan on pit_restores`.execute(db);
      await sql`drop function write_meanwhile`.execute(db);
    }
  });

  test('a backup that can not be read changes nothing, and says so', async () => {
    const { params, disk, point, state } = await siteWithPast();
    await disk.keep();
    await app.timeMachine.release((await owner.api.getSite({ params })).id);
    const before = await state();
    const packs = damagePacks(join(app.services.config.dataDir, 'backups'), owner.teamId);
    try {
      await assert.rejects(
        owner.api.createPitRestore({ params, wait: 60, body: { restore_point: point } }),
        refused(502, 'pit_restore.failed'),
      );
      assert.deepEqual(await state(), before);
      const site = await owner.api.getSite({ params });
      assert.equal(site.busy, null, 'and the site is served again');
      const { results } = await owner.api.listPitRestores({ params });
      assert.match(results[0]?.failed_reason ?? '', /could not be read.*Nothing was changed/);
    } finally {
      packs.mend();
    }
  });
});

suite('trying a restore out', () => {
  test('a dry run does all of it to a copy: the site stays as it is, the counters are those of the restore', async () => {
    const { site, params, point, state } = await siteWithPast();
    const body = { restore_point: point, delete_extra_files: true };
    const rehearsed = await owner.api.createPitRestore({ params, wait: 60, body: { ...body, is_dry_run: true } });
    assert.equal(rehearsed.passed_dry_run, true);
    assert.deepEqual(await state(), NEW);
    const siteFolder = dirname(app.runtime.storage(site.id).content);
    assert.deepEqual(
      (await readdir(siteFolder)).filter((name) => name.startsWith('restoring')),
      [],
    );
    const real = await owner.api.createPitRestore({ params, wait: 60, body });
    const counters = (record: object) => Object.entries(record).filter(([name]) => name.startsWith('num_'));
    assert.deepEqual(counters(rehearsed), counters(real));
  });

  test('a preview tells every change at once and stores nothing', async () => {
    const { params, point, state } = await siteWithPast();
    const preview = await owner.api.previewPitRestore({
      params,
      body: { restore_point: point, delete_extra_files: true },
    });
    assert.deepEqual(await state(), NEW);
    const files = preview.changes.files.map(({ key, change }) => `${change} ${key}`).sort();
    assert.deepEqual(files, ['added uploads/gone/lost.txt', 'deleted uploads/extra.txt', 'restored uploads/note.txt']);
    const [options] = preview.changes.tables;
    assert.equal(options?.name, 'wp_options');
    assert.deepEqual([options?.rows_added, options?.rows_changed, options?.rows_removed], [0, 1, 0]);
    const [row] = options?.sample ?? [];
    assert.deepEqual([row?.now?.option_value, row?.at_point?.option_value], ['new', 'old']);
    assert.equal((await owner.api.listPitRestores({ params })).count, 0);

    const note = preview.changes.files.find(({ key }) => key === 'uploads/note.txt');
    const versions = [note?.version_id_now, note?.version_id] as string[];
    const { urls } = await owner.api.createBlobUrls({
      params,
      body: { keys: ['uploads/note.txt', 'uploads/note.txt'], version_ids: versions },
    });
    const texts = await Promise.all(urls.map(async ({ url }) => (await fetch(url)).text()));
    assert.deepEqual(texts, ['new', 'old'], 'both sides of the difference can be read');
  });

  test('one dry run of a site at a time, and none waits for a restore that has the site', async () => {
    const { params, point } = await siteWithPast();
    const body = { restore_point: point, is_dry_run: true };
    await owner.api.createPitRestore({ params, body });
    await assert.rejects(owner.api.createPitRestore({ params, body }), refused(409, 'pit_restore.dry_run_running'));
    await waitFor(async () => (await owner.api.listPitRestores({ params })).results[0]?.finished_at !== null);
  });

  test('the same preview asked for again with its key is the first answer, also while the site is busy', async () => {
    const { site, params, point } = await siteWithPast();
    const again = { params, body: { restore_point: point }, idempotencyKey: randomUUID() };
    const first = await owner.api.previewPitRestore(again);
    const letGo = await holdSite(app, site.id);
    assert.deepEqual(await owner.api.previewPitRestore(again), first);
    await letGo();
  });

  test('a token that may only plan previews and rehearses, sees no rows, and restores nothing', async () => {
    const { params, point, state } = await siteWithPast();
    const grant = await owner.api.createApiToken({ body: { name: 'plans', scopes: ['plan'] } });
    const planner = createClient({ baseUrl: app.url, token: grant.token as string });
    const body = { restore_point: point };
    const preview = await planner.previewPitRestore({ params, body });
    assert.equal(preview.num_tables_restored, 1);
    assert.deepEqual(preview.changes.tables[0]?.sample, []);
    const rehearsed = await planner.createPitRestore({ params, wait: 60, body: { ...body, is_dry_run: true } });
    assert.equal(rehearsed.passed_dry_run, true);
    await assert.rejects(planner.createPitRestore({ params, body }), refused(403, 'auth.insufficient_scope'));
    assert.deepEqual(await state(), NEW);
  });
});

suite('what can be asked for', () => {
  let past: { site: Site; params: { fqdn: string }; point: string };
  before(async () => {
    past = await siteWithPast();
  });

  test('points outside of what is kept, halves of nothing and unknown backups are refused with every reason', async () => {
    const { params, point } = past;
    const wrong = [
      [{ restore_point: new Date(Date.now() + 60_000).toISOString() }, 'restore_point'],
      [{ restore_point: '2020-01-01T00:00:00Z' }, 'restore_point'],
      [{ restore_point: 'yesterday' }, 'restore_point'],
      [{ restore_point: point, restore_db: false, restore_cms_content: false }, 'restore_db'],
      [{ restore_point: point, db_restore_hash: 'f'.repeat(64) }, 'db_restore_hash'],
      [{}, 'restore_point'],
    ] as const;
    for (const [body, field] of wrong) {
      await assert.rejects(
        owner.api.createPitRestore({ params, body: body as { restore_point: string } }),
        (error: { status: number; faults: { loc: unknown[] }[] }) =>
          error.status === 422 && error.faults.some(({ loc }) => loc[1] === field),
        JSON.stringify(body),
      );
    }
    const stage = { restore_point: point, for_stage_site: true };
    await assert.rejects(owner.api.createPitRestore({ params, body: stage }), refused(409, 'stage.not_found'));
    const { min_restore_point } = await owner.api.getSite({ params });
    assert.ok(min_restore_point <= point);
  });

  test('a restore is read as a record, with its changes, and as a report', async () => {
    const { params, point } = past;
    const { id } = await owner.api.createPitRestore({ params, wait: 60, body: { restore_point: point } });
    const one = { fqdn: params.fqdn, pit_restore_id: id };
    const record = (await owner.api.getPitRestore({ params: one })) as PitRestoreDetail;
    assert.equal(record.changes, undefined);
    const detail = await owner.api.getPitRestore({ params: one, query: { format: 'changes' } });
    const { changes } = detail as PitRestoreDetail;
    assert.deepEqual(changes?.files.map(({ key }) => key).sort(), ['uploads/gone/lost.txt', 'uploads/note.txt']);
    assert.deepEqual(changes?.tables[0]?.sample, [], 'rows are never stored');
    const headers = { authorization: `Bearer ${owner.token}` };
    const path = `${app.api}/site/${params.fqdn}/pit_restore/${id}?format=text`;
    const report = await fetch(path, { headers });
    assert.match(report.headers.get('content-type') ?? '', /^text\/plain/);
    assert.match(await report.text(), /restored {2}uploads\/note\.txt {2}3 bytes/);
    const missing = { ...one, pit_restore_id: randomUUID() };
    await assert.rejects(owner.api.getPitRestore({ params: missing }), refused(404, 'pit_restore.not_found'));
  });
});

async function waitFor(condition: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await condition()); ) {
    if (Date.now() > end) assert.fail('it did not come true');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Turns a byte in the middle of every private pack of a team; `mend` puts them back. */
function damagePacks(folder: string, space: string): { mend(): void } {
  const packs = join(folder, 'owners', space, 'packs');
  const before = readdirSync(packs).map((name) => [join(packs, name), readFileSync(join(packs, name))] as const);
  for (const [path, bytes] of before) {
    const damaged = Buffer.from(bytes);
    // Past the magic and before the index: the frames themselves.
    for (let at = 12; at < Math.min(bytes.length - 100, 4000); at += 7) damaged[at] = (damaged[at] as number) ^ 0xff;
    writeFileSync(path, damaged);
  }
  const mend = () => {
    for (const [path, bytes] of before) writeFileSync(path, bytes);
  };
  return { mend };
}
