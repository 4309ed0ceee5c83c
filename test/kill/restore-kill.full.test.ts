import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUpInstances } from '#features/instance/clean-up.jobs.ts';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { newSite } from '#testkit/app/sites.ts';
import { readTestConfig, type TestApp } from '#testkit/app/test-app.ts';
import { memoryDriver } from '#testkit/drivers/memory/memory-driver.ts';
import { WORDPRESS_CACHE } from '#testkit/drivers/wordpress-cache.ts';
import { eventually } from '#testkit/expect.ts';
import { Random, SEED } from '#testkit/random.ts';
import { Repository } from '#timemachine/repository.ts';
import { restoreInto } from '#timemachine/restore/restore-into.ts';
import { SqliteTarget } from '#timemachine/sources/sqlite-target.ts';
import { DiskStore } from '#timemachine/stores/disk.ts';
import { startPlatform } from '../../src/platform.ts';
import { readState, textOf } from './known-site.ts';
import { MortalPlatform, WAYS, type Way } from './mortal-platform.ts';
import { RestoringOwner } from './restoring-owner.ts';
import { Visitor } from './visitor.ts';

/**
 * Kills the platform, its processes or both again and again while sites are edited, backed up, restored, tried out and
 * visited. In the end every restore has ended, whole, every backup can be brought back, and nobody saw half of anything.
 *
 *   KILLS=100 RUNTIME=php-wasm npm test -- test/kill/restore-kill
 */
const KILLS = Number(process.env.KILLS ?? 3);
const SITES = 3;
const DRAIN_MS = 120_000;
const LONG_MS = 300_000 + KILLS * 20_000;

let platform: MortalPlatform;
let person: Person;

before(async () => {
  platform = await MortalPlatform.create();
  await platform.start();
  person = await registerPerson({ url: platform.url } as TestApp, 'Owner', { verified: false });
  await platform.rows('update teams set additional_sites = 100');
});
after(() => platform?.destroy());

test(`after ${KILLS} kills each restore has ended whole, nobody saw half of it, and every backup can be brought back`, {
  timeout: LONG_MS + DRAIN_MS,
}, async (t) => {
  const random = new Random(SEED);
  t.diagnostic(`SEED=${SEED}`);
  const owners: RestoringOwner[] = [];
  for (let index = 0; index < SITES; index++) owners.push(await makeOwner(new Random(SEED + index)));
  const visitors = owners.map(({ site, showing }) => new Visitor(platform.url, site.fqdn, showing));
  const halves = await liveAndDie(owners, visitors, random).catch(async (error) => {
    t.diagnostic(await describeState());
    throw error;
  });
  await allEnds();
  const done = owners.map((owner) => owner.done);
  t.diagnostic(JSON.stringify({ done, halves, answers: visitors.map(({ answers }) => answers) }));

  assert.deepEqual(
    visitors.flatMap(({ faults }) => faults),
    [],
  );
  assert.ok(isEnough(owners, visitors), 'too little happened to prove anything');
  await checkRecords();
  for (const owner of owners) await checkBackups(owner);
  for (const owner of owners) await owner.restoreLast();
  assert.equal(await platform.stop(), 0, platform.output());
  await checkLeftovers(owners);
});

async function makeOwner(random: Random): Promise<RestoringOwner> {
  const site = await newSite(person);
  // Every table is the site's, whatever its name; and there is no WordPress whose scheduled work could run.
  await platform.rows("update sites set db_prefix = '', next_cron_at = null where id = $1", [site.id]);
  return new RestoringOwner(platform, person.api, site, join(platform.dataDir, 'sites', site.id), random);
}

/** Says how many of the kills left a restore half done. */
async function liveAndDie(owners: RestoringOwner[], visitors: Visitor[], random: Random): Promise<number> {
  const stop = new AbortController();
  // One site is looked at through PHP, which takes seconds to start: its owner leaves it the time.
  const [watcher, ...others] = visitors;
  const living = Promise.all([
    ...owners.map((owner, index) => owner.run(stop.signal, () => visitors[index]?.hasSeen(stop.signal))),
    ...others.map((visitor) => visitor.readFiles(stop.signal)),
    watcher?.readPage(stop.signal),
  ]);
  living.catch(() => stop.abort());
  const dying = killAgainAndAgain(random, stop.signal)
    // On a slow machine little may have come to its end between the kills.
    .then((halves) =>
      eventually(async () => stop.signal.aborted || isEnough(owners, visitors), 60_000).then(() => halves),
    )
    .finally(() => stop.abort());
  // Both are over before anybody cleans up: the one starts platforms, the other asks them.
  const ends = await Promise.allSettled([dying, living]);
  const reasons = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  if (reasons.length > 0) throw new AggregateError(reasons);
  return dying;
}

function isEnough(owners: RestoringOwner[], visitors: Visitor[]): boolean {
  const restores = owners.reduce((sum, { done: { restored = 0 } }) => sum + restored, 0);
  return restores >= 2 && visitors.some(({ answers }) => answers > 0);
}

async function killAgainAndAgain(random: Random, stop: AbortSignal): Promise<number> {
  let halves = 0;
  await sleep(1_000);
  for (let count = 0; count < KILLS && !stop.aborted; count++) {
    // Mostly while a restore is going on, and often when it has decided, for otherwise there is little to break.
    if (random.below(5) > 0) await eventually(isRestoring, 5_000).catch(() => {});
    const isDecided = random.below(3) > 0 && (await untilDecided(6_000));
    await sleep(random.below(isDecided ? random.pick([1, 10, 50]) : 1_500));
    const way = WAYS[count % WAYS.length] as Way;
    await platform.kill(way);
    if (journals().length > 0) halves++;
    if (way !== 'processes of the time machine') await platform.start();
  }
  return halves;
}

async function isRestoring(): Promise<boolean> {
  return (await platform.rows('select from pit_restores where finished_at is null')).length > 0;
}

/** Waits for a restore that has decided: from then on it changes the site. False where none did in time. */
async function untilDecided(timeoutMs: number): Promise<boolean> {
  const end = Date.now() + timeoutMs;
  while (journals().length === 0) {
    if (Date.now() > end) return false;
    await sleep(1);
  }
  return true;
}

function journals(): string[] {
  const sites = join(platform.dataDir, 'sites');
  return readdirSync(sites)
    .map((id) => join(sites, id, 'restoring/journal.json'))
    .filter((journal) => existsSync(journal));
}

/** For whoever has to find out why it failed. */
async function describeState(): Promise<string> {
  const jobs = await platform.rows("select * from jobs.job where state < 'completed'");
  const failedJobs = await platform.rows('select * from failed_jobs');
  const restores = await platform.rows(
    'select id, site_id, created_at, undo_point from pit_restores where finished_at is null',
  );
  return `${platform.output()}\n${JSON.stringify({ jobs, failedJobs, restores }, undefined, 1)}`;
}

async function allEnds(): Promise<void> {
  await eventually(async () => {
    const pending = await platform.rows(
      `select from jobs.job where state < 'completed' and name in ('site', 'upkeep', 'background', 'dead')
       union all select from pit_restores where finished_at is null union all select from sites where busy is not null
       union all select from backup_clocks where due_at <= now()`,
    );
    return pending.length === 0;
  }, DRAIN_MS);
}

/** A record and its event tell the same. */
async function checkRecords(): Promise<void> {
  const strange = await platform.rows(
    `select r.id, r.failed_reason, e.detail from pit_restores r left join events e on e.id = r.event_id
     where r.finished_at is null or e.finished_at is null or e.detail->>'failure' is distinct from r.failed_reason
       or (r.failed_reason is null) <> (e.detail ? 'result') or (r.is_dry_run and r.passed_dry_run is distinct from (r.failed_reason is null))
       or (not r.is_dry_run and r.failed_reason is null and r.undo_point is null)`,
  );
  assert.deepEqual(strange, []);
  assert.deepEqual(await platform.rows('select id, event_type, detail from events where finished_at is null'), []);
  assert.deepEqual(
    await platform.rows('select site_id, failure from backup_clocks where failing_since is not null'),
    [],
  );
}

/** Every backup that was ever listed is still there and can be read to its last byte, by the format alone. */
async function checkBackups(owner: RestoringOwner): Promise<void> {
  const repository = new Repository(new DiskStore(join(platform.dataDir, 'backups'))).site(
    owner.site.team_id,
    owner.site.id,
  );
  const rows = await platform.rows('select commit_hash from backups where site_id = $1', [owner.site.id]);
  const recorded = new Set(rows.map(({ commit_hash }) => String(commit_hash)));
  const stored = new Map((await repository.snapshots()).map((id) => [id.hash, id]));
  assert.deepEqual(
    [...owner.listed, ...recorded].filter((hash) => !recorded.has(hash) || !stored.has(hash)),
    [],
    'backups that are gone',
  );
  const scratch = mkdtempSync(join(tmpdir(), 'restore-kill-'));
  try {
    for (const id of stored.values()) {
      const [folder, file] = [join(scratch, id.hash), join(scratch, `${id.hash}.sqlite`)];
      const tables = new SqliteTarget(file);
      await restoreInto(repository, await repository.readSnapshot(id), { folder, tables });
      await tables.close();
      const state = readState(folder, file);
      const expected = owner.states.get(id.hash);
      if (expected) assert.deepEqual(state, expected, `backup ${id.hash}`);
      assert.ok(owner.wasEver(state), `backup ${id.hash} shows what never was: ${textOf(state.page)}`);
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The last look, with the platform in this process: previews go, and the store is whole. */
async function checkLeftovers(owners: RestoringOwner[]): Promise<void> {
  await platform.rows("update sites set expires_at = now() where kind = 'preview'");
  const { services, stop } = await startPlatform(
    readTestConfig({ ...platform.env, CACHE_DIR: WORDPRESS_CACHE, WORDPRESS_SOURCE: 'npm', STANDBY_WORKERS: '0' }),
    { drivers: memoryDriver },
  );
  try {
    await cleanUpInstances.run({}, { services } as Parameters<typeof cleanUpInstances.run>[1]);
    assert.deepEqual((await services.hosts.check(services.config.newSites)).faults, []);
  } finally {
    await stop();
  }
  const ids = owners.map(({ site }) => site.id).sort();
  assert.deepEqual(readdirSync(join(platform.dataDir, 'sites')).sort(), ids);
  for (const id of ids) {
    const names = readdirSync(join(platform.dataDir, 'sites', id)).sort();
    assert.deepEqual(
      names.filter((name) => name !== 'archive-state'),
      ['content', 'database', 'outbox'],
    );
    assert.ok(!existsSync(join(platform.dataDir, 'sites', id, 'content.partial')));
  }
}
