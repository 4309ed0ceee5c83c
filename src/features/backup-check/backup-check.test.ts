import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { prune } from '#features/backup/backup.jobs.ts';
import type { Backup } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { TimeMachineFailure } from '#timemachine/failure.ts';
import { checkFigures } from './backup-check.sql.ts';
import { checkTurns } from './backup-check.ts';

let app: TestApp;
let owner: Person;
before(async () => {
  app = await startTestApp();
  owner = await registerPerson(app, 'Owner');
  await putOnPlan(app, owner.teamId, 'business');
});
after(() => app?.close());

/** A whole check, whenever the last one was; its first turn of so many bytes. */
async function checkAll(firstBytes = 1e9): Promise<number> {
  const { db } = app.services;
  let turns = 0;
  do {
    await checkTurns(app.services, { bytes: turns === 0 ? firstBytes : 1e9, ms: 60_000 }, turns === 0 ? 0 : 24);
    turns++;
  } while (await db.selectFrom('backup_checks').select('host').where('finished_at', 'is', null).executeTakeFirst());
  return turns;
}

/** Turns a byte of every place in the packs of the team that holds these bytes. */
function rot(text: string): void {
  const folder = join(app.services.config.dataDir, 'backups/owners', owner.teamId, 'packs');
  for (const path of readdirSync(folder).map((name) => join(folder, name))) {
    const bytes = readFileSync(path);
    const at = bytes.indexOf(text);
    if (at >= 0) writeFileSync(path, bytes.fill(0x21, at, at + 1));
  }
}

async function siteWithPast(word: string, person = owner) {
  const site = await newSite(person);
  const disk = siteOnDisk(app, site.id);
  const params = { fqdn: site.fqdn };
  const points: string[] = [];
  for (const n of [1, 2, 3]) {
    await disk.write('uploads/note.txt', `${word} ${n}`);
    points.push(await disk.keep());
  }
  await app.timeMachine.release(site.id);
  const offered = async () =>
    ((await person.api.getBackups({ params, query: { number_to_fetch: 100 } })) as Backup[]).map(
      (each) => each.created_at,
    );
  const damaged = async () =>
    (await person.api.listSiteEvents({ params })).results.filter((each) => each.event_type === 'backup.damaged');
  return { site, disk, params, points: points as [string, string, string], offered, damaged };
}

test('restore points that can not be restored are found, not offered, and told to their owner and the operator', async () => {
  const { site, params, points, offered, damaged } = await siteWithPast('lost');
  rot('lost 2');
  assert.equal(await checkAll(1), 2, 'the second turn goes on where the first one ended');
  const [one, two, three] = points;
  assert.deepEqual((await offered()).slice(0, 2), [three, one]);
  const events = await damaged();
  assert.equal(events.length, 1);
  assert.match(events[0]?.description ?? '', new RegExp(`1 restore points.*not offered any more.*${three}`));
  const mail = await app.mailTo(owner.email, 'restore points were damaged');
  assert.match(mail, new RegExp(site.fqdn));
  const figures = await checkFigures(app.services.db);
  assert.equal(figures.backups_damaged, 1);
  assert.ok(figures.backup_check_faults > 0 && figures.backup_check_age_seconds < 600);

  // The moment itself is answered by the one before, and nothing is made from the one that is gone.
  const done = await owner.api.createPitRestore({ params, wait: 60, body: { restore_point: two } });
  assert.equal(done.backup_point, one);
  const row = await app.services.db
    .selectFrom('backups')
    .select('commit_hash')
    .where('created_at', '=', new Date(two))
    .executeTakeFirstOrThrow();
  const body = { restore_point: three, db_restore_hash: row.commit_hash };
  await assert.rejects(
    owner.api.createPitRestore({ params, body }),
    (error: { status: number }) => error.status === 422,
  );

  await checkAll();
  assert.equal((await damaged()).length, 1, 'and it is told once');
});

test('what the site still has is mended at once, and nobody needs to hear of it', async () => {
  const { site, disk, params, points, offered, damaged } = await siteWithPast('live');
  rot('live 3');
  await checkAll();
  assert.deepEqual((await offered()).slice(0, 3), points.toReversed());
  assert.deepEqual(await damaged(), []);
  await disk.write('uploads/note.txt', 'later');
  await owner.api.createPitRestore({ params, wait: 60, body: { restore_point: points[2] } });
  assert.equal(await disk.read('uploads/note.txt'), 'live 3');

  // Of a snapshot that is gone without a trace there is nothing to mend.
  const { db } = app.services;
  const { commit_hash } = await db
    .selectFrom('backups')
    .select('commit_hash')
    .where('site_id', '=', site.id)
    .where('created_at', '=', new Date(points[1]))
    .executeTakeFirstOrThrow();
  for (const path of snapshotsOf(site.id)) if (path.endsWith(commit_hash)) rmSync(path);
  await checkAll();
  assert.ok(!(await offered()).includes(points[1]));
});

let pruned: Awaited<ReturnType<typeof siteWithPast>>;

test('a prune goes on past what it can not read, and tells the operator; what it thinned is no damage', async () => {
  pruned = await siteWithPast('pruned');
  const { site, points, offered, damaged } = pruned;
  const [torn] = snapshotsOf(site.id);
  writeFileSync(torn as string, 'torn');
  await prune(app.services, Date.now());
  assert.equal((await checkFigures(app.services.db)).backup_prune_troubles, 1);
  assert.equal((await offered())[0], points[2]);

  const { db, hosts } = app.services;
  await sql`update backups set damaged_at = now() where site_id = ${site.id} and created_at = ${points[1]}`.execute(db);
  const { prune: pruneHost } = hosts;
  // It is killed when it has thinned; a check meanwhile has to wait.
  hosts.prune = async (place, wish) => {
    await pruneHost.call(hosts, place, wish);
    await checkAllNow();
    throw new Error('killed');
  };
  try {
    await assert.rejects(prune(app.services, Date.now() + 100 * 24 * 3_600_000), /killed/);
  } finally {
    hosts.prune = pruneHost;
  }
  assert.deepEqual(await offered(), [points[2]]);
  await checkAll();
  assert.deepEqual(await damaged(), []);
});

const checkAllNow = () => checkTurns(app.services, { bytes: 1e9, ms: 60_000 }, 0);

test('a site that takes long to read is mended by a later turn, and nobody is told before', async () => {
  const { site, points, offered, damaged } = pruned;
  const { db, hosts } = app.services;
  rot('pruned 3');
  const { snapshot } = hosts;
  const given: (number | undefined)[] = [];
  hosts.snapshot = async (at, kept, options) => {
    if (at.id !== site.id) return snapshot.call(hosts, at, kept, options);
    given.push(kept.limitMs);
    throw new TimeMachineFailure('too_slow', 'it takes longer');
  };
  // As if its turns at the clock came later.
  const letGo = await holdClock(site.id);
  try {
    await checkAll();
    assert.deepEqual(given, [120_000]);
    assert.deepEqual(await offered(), []);
    const { rows } = await sql`select from backup_clocks where site_id = ${site.id} and is_slow and due_at is not null
      and damage_found_at is not null`.execute(db);
    assert.equal(rows.length, 1);
  } finally {
    hosts.snapshot = snapshot;
    await letGo();
  }
  await checkTurns(app.services);
  assert.deepEqual(await offered(), [points[2]]);
  assert.deepEqual(await damaged(), []);
});

/** The clock has no turn for the site meanwhile. */
async function holdClock(siteId: string): Promise<() => Promise<unknown>> {
  const { db } = app.services;
  const set = (version: string | null) =>
    sql`update sites set core_version = ${version} where id = ${siteId}`.execute(db);
  const { core_version } = await db
    .selectFrom('sites')
    .select('core_version')
    .where('id', '=', siteId)
    .executeTakeFirstOrThrow();
  await set(null);
  return () => set(core_version);
}

/** Their files, oldest first. */
function snapshotsOf(siteId: string): string[] {
  const folder = join(app.services.config.dataDir, 'backups/owners', owner.teamId, 'sites', siteId, 'snapshots');
  const names = readdirSync(folder, { recursive: true }) as string[];
  return names
    .filter((name) => name.includes('/'))
    .sort()
    .map((name) => join(folder, name));
}

test('the next backup detects missing packs, stores again what the site still has, and notifies the owner of the rest', async () => {
  const loser = await registerPerson(app, 'Loser');
  await putOnPlan(app, loser.teamId, 'business');
  const { site, disk, points, offered, damaged } = await siteWithPast('gone', loser);
  await checkAll();
  const packs = join(app.services.config.dataDir, 'backups/owners', loser.teamId, 'packs');
  for (const name of readdirSync(packs)) rmSync(join(packs, name));
  await disk.write('uploads/note.txt', 'gone 4');
  const last = await disk.keep();
  // No check is due for a week; a turn looks at the site all the same.
  await checkTurns(app.services, { bytes: 1e9, ms: 60_000 }, 7 * 24);
  const left = await offered();
  assert.equal(left[0], last);
  assert.ok(!points.some((point) => left.includes(point)), left.join());
  assert.match((await damaged())[0]?.description ?? '', /^\d restore points.*not offered any more.*The newest/);
  await disk.write('uploads/note.txt', 'gone 5');
  const done = await loser.api.createPitRestore({
    params: { fqdn: site.fqdn },
    wait: 60,
    body: { restore_point: last },
  });
  assert.equal(done.backup_point, last);
  assert.equal(await disk.read('uploads/note.txt'), 'gone 4');
});
