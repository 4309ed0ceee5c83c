import assert from 'node:assert/strict';
import { readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, suite, test } from 'node:test';
import { sqliteFileOf } from '#runtimes/folders/site-folder.ts';
import type { Backup } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { newSite, putOnPlan } from '#testkit/app/sites.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually, refused } from '#testkit/expect.ts';

let app: TestApp;
let owner: Person;
let whole: Awaited<ReturnType<typeof siteWithPast>>;
before(async () => {
  app = await sharedApp();
  owner = await registerPerson(app, 'Owner');
  await putOnPlan(app, owner.teamId, 'business');
  whole = await siteWithPast();
});

/** A site that said `one` and then `two`, in a file and in its database. */
async function siteWithPast() {
  const site = await newSite(owner);
  const disk = siteOnDisk(app, site.id);
  const points: string[] = [];
  for (const word of ['one', 'two']) {
    await disk.write('uploads/note.txt', word);
    await disk.setOption('note', word);
    points.push(await disk.keep());
  }
  const params = { fqdn: site.fqdn };
  const state = async () => [await disk.read('uploads/note.txt'), await disk.option('note')];
  const countBackups = async () =>
    ((await owner.api.getBackups({ params, query: { number_to_fetch: 100 } })) as Backup[]).length;
  // As after a restart: nobody has anything of it open.
  await app.runtime.stop(site.id);
  await app.timeMachine.release(site.id);
  return { site, disk, params, points: points as [string, string], state, countBackups };
}

type Storage = ReturnType<TestApp['runtime']['storage']>;

const emptied = (file: string) => {
  rmSync(file);
  const database = new DatabaseSync(file);
  // As WordPress leaves it that found none: a database, and nothing of the site in it.
  database.exec('create table _wp_sqlite_note (name text)');
  database.close();
};

interface Loss {
  of: string;
  lose(storage: Storage): void;
  /** Also looked at and tried out beforehand. */
  isTried?: true;
}

const LOSSES: Loss[] = [
  { of: 'all of its folder', lose: ({ content }) => rmSync(dirname(content), { recursive: true }), isTried: true },
  { of: 'its content', lose: ({ content }) => rmSync(content, { recursive: true }) },
  {
    of: 'what is in its content',
    lose({ content }) {
      for (const name of readdirSync(content)) rmSync(join(content, name), { recursive: true });
    },
  },
  { of: 'every byte of its database', lose: (storage) => truncateSync(sqliteFileOf(storage)) },
  { of: 'a part of its database', lose: (storage) => truncateSync(sqliteFileOf(storage), 5000) },
  { of: 'the tables of its database', lose: (storage) => emptied(sqliteFileOf(storage)), isTried: true },
];

suite('a site that has lost', () => {
  let past: Awaited<ReturnType<typeof siteWithPast>>;
  before(async () => {
    past = await siteWithPast();
  });

  for (const [number, { of, lose, isTried }] of LOSSES.entries()) {
    test(`${of} is brought back from its backups alone, and keeps nothing of what is left`, async () => {
      const { site, disk, params, points, state, countBackups } = past;
      await app.runtime.stop(site.id);
      await app.timeMachine.release(site.id);
      lose(app.runtime.storage(site.id));
      // One of the clock may be under way, and loses what it has open.
      await eventually(async () => {
        await disk.keep();
        const { results } = await owner.api.listSiteEvents({ params });
        const told = results.find(({ event_type }) => event_type === 'backup.failed');
        return /files are gone|(can|could) not be read: (it|database|file)/.test(told?.description ?? '');
      });
      const kept = await countBackups();
      await disk.keep();
      assert.equal(await countBackups(), kept, 'what is left is no backup');

      // Each time the other one, so that all of it has to come from the backups.
      const [word, body] = [['one', 'two'][number % 2], { restore_point: points[number % 2] as string }];
      const counters = (record: object) => Object.entries(record).filter(([key]) => key.startsWith('num_'));
      const preview = isTried && (await owner.api.previewPitRestore({ params, body }));
      const dry =
        isTried && (await owner.api.createPitRestore({ params, wait: 60, body: { ...body, is_dry_run: true } }));
      const done = await owner.api.createPitRestore({ params, wait: 60, body });
      assert.deepEqual(await state(), [word, word]);
      assert.equal((await visit(app, site.fqdn, '/')).status, 200);
      if (!dry || !preview) return;
      assert.equal(dry.passed_dry_run, true, dry.failed_reason ?? '');
      assert.deepEqual(counters(dry), counters(done));
      assert.deepEqual(counters(preview), counters(done));
    });
  }

  test('its files gets its database back only together with them', async () => {
    const { site, params, points } = past;
    const [point] = points;
    rmSync(app.runtime.storage(site.id).content, { recursive: true });
    await assert.rejects(
      owner.api.createPitRestore({ params, wait: 60, body: { restore_point: point, restore_cms_content: false } }),
      (error: Error) => /files are gone, so they have to be restored too/.test(error.message),
    );
    assert.equal((await owner.api.getSite({ params })).busy, null);
  });
});

test('a restore without room is refused with what it needs and what there is, and goes when there is room', async () => {
  const { disk, params, points, state } = whole;
  const host = app.services.localHost;
  assert.ok(host);
  const [reserve, body] = [host.reserveBytes, { restore_point: points[0] }];
  await disk.write('uploads/note.txt', 'three');
  host.reserveBytes = Number.MAX_SAFE_INTEGER;
  try {
    await assert.rejects(owner.api.createPitRestore({ params, wait: 60, body }), refused(502, 'pit_restore.failed'));
    const { results } = await owner.api.listPitRestores({ params });
    assert.match(
      results[0]?.failed_reason ?? '',
      /not enough room.*1 MB are needed.*0 MB are free.*Nothing was changed/,
    );
    assert.equal((await owner.api.getSite({ params })).busy, null);
    assert.deepEqual(await state(), ['three', 'two']);
    const dry = await owner.api.createPitRestore({ params, wait: 60, body: { ...body, is_dry_run: true } });
    assert.match(dry.failed_reason ?? '', /not enough room/);
  } finally {
    host.reserveBytes = reserve;
  }
  await owner.api.createPitRestore({ params, wait: 60, body });
  assert.deepEqual(await state(), ['one', 'one']);
});

test('a backup whose snapshot is torn does not keep the next one from being taken', async () => {
  const { site, disk, countBackups } = whole;
  const { db, config } = app.services;
  const [newest] = await db
    .selectFrom('backups')
    .select(['commit_hash', 'id'])
    .where('site_id', '=', site.id)
    .orderBy('created_at', 'desc')
    .execute();
  // Stored and not written down by a process that was killed, and then torn by the disk.
  await db
    .deleteFrom('backups')
    .where('id', '=', newest?.id as string)
    .execute();
  const folder = join(config.dataDir, 'backups/owners', owner.teamId, 'sites', site.id, 'snapshots');
  for (const path of readdirSync(folder, { recursive: true }) as string[])
    if (path.includes(newest?.commit_hash as string)) writeFileSync(join(folder, path), 'torn');
  const before = await countBackups();
  await disk.write('uploads/note.txt', 'four');
  await disk.keep();
  // The clock may have taken one of its own meanwhile.
  assert.ok((await countBackups()) > before);
});
