import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { findServer } from '#runtimes/mariadb/server/process.ts';
import type { PitRestore, Site } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { newSite } from '#testkit/app/sites.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { noFpmOnMariadb } from '#testkit/drivers/fpm-runtime.ts';
import { eventually } from '#testkit/expect.ts';
import { Random, SEED } from '#testkit/random.ts';
import { commandOf, descendants } from '../../bench/proc.ts';
import { MortalPlatform } from './mortal-platform.ts';
import { WordPressWriter } from './wordpress-writer.ts';

/**
 * Kills MariaDB, PHP-FPM and the service, one by one and together, while people write to their sites. Whatever WordPress acknowledged is there, once, and
 * in the backups too; and nobody but the service has to be started again.
 *
 *   KILLS=50 npm test -- test/kill/native-kill
 */
const KILLS = Number(process.env.KILLS ?? 5);
const SITES = 2;
const WRITERS_PER_SITE = 2;
const BACK_MS = 60_000;
const DRAIN_MS = 180_000;
const SERVICE = 'the service';
const WAYS = ['MariaDB', 'PHP-FPM', 'processes of PHP', SERVICE, 'everything'] as const;
type Way = (typeof WAYS)[number];

const why = await noFpmOnMariadb();

test(`after ${KILLS} kills of MariaDB, PHP-FPM and the service all that WordPress acknowledged is there once, and in the backups (seed ${SEED})`, {
  skip: why,
  timeout: 300_000 + DRAIN_MS + KILLS * 20_000,
}, async (t) => {
  const random = new Random(SEED);
  const platform = await MortalPlatform.create({ RUNTIME: 'fpm', SITE_DATABASE: 'mariadb' });
  t.after(async () => {
    await platform.destroy(() => kill(mariadbOf(platform)));
  });
  await platform.start();
  const person = await registerPerson({ url: platform.url } as TestApp, 'Owner', { verified: false });
  // A shell waits until the address is confirmed.
  await platform.rows('update users set is_verified = true');
  await platform.rows("update teams set additional_sites = 100, plan_type_name = 'business'");
  const sites: Site[] = [];
  for (let index = 0; index < SITES; index++) sites.push(await newSite(person));
  const writers: WordPressWriter[] = [];
  // One after the other: WordPress forgets one of two sessions that the same person begins at once.
  for (const { fqdn } of sites)
    for (let of = 0; of < WRITERS_PER_SITE; of++)
      writers.push(
        await WordPressWriter.signIn(
          platform,
          fqdn,
          `writer ${writers.length} of ${fqdn}`,
          new Random(SEED + writers.length),
        ),
      );

  const stop = new AbortController();
  const writing = Promise.all(writers.map((writer) => writer.write(stop.signal)));
  writing.catch(() => {});
  const backMs: number[] = [];
  try {
    for (let count = 0; count < KILLS; count++) {
      await sleep(500 + random.below(1_500));
      const isLast = count === KILLS - 1;
      const way = isLast ? 'everything' : (WAYS[count % WAYS.length] as Way);
      if (isLast) stop.abort();
      const startedAt = performance.now();
      await killBy(way, platform);
      if (way === SERVICE || way === 'everything') await platform.start();
      // What was written last, with no visit after it, has to be found by whoever starts then.
      if (isLast) break;
      await Promise.all(sites.map(({ fqdn }) => untilBack(platform, fqdn)));
      backMs.push(performance.now() - startedAt);
    }
  } catch (error) {
    t.diagnostic(platform.output());
    throw error;
  } finally {
    stop.abort();
    await writing;
  }
  const sum = (of: (writer: WordPressWriter) => number) => writers.reduce((total, writer) => total + of(writer), 0);
  const sorted = backMs.toSorted((a, b) => a - b);
  t.diagnostic(
    `${sum(({ acknowledged }) => acknowledged)} writes acknowledged, ${sum(({ inDoubt }) => inDoubt)} in doubt; pages came again after ` +
      `${seconds(sorted[Math.floor(sorted.length / 2)])} (longest ${seconds(sorted.at(-1))})`,
  );
  const lost = async () => (await Promise.all(writers.map((writer) => writer.findLost()))).flat();
  assert.deepEqual(
    writers.flatMap(({ faults }) => faults),
    [],
  );
  assert.ok(sum(({ acknowledged }) => acknowledged) >= 2 * KILLS, 'too little was written to prove anything');
  await eventually(() => areBackedUp(platform), DRAIN_MS);
  const restorePoint = new Date().toISOString();
  await Promise.all(sites.map(({ fqdn }) => untilBack(platform, fqdn)));
  assert.deepEqual(await lost(), []);

  // The clock found all of it by itself: the sites lose everything, and have it back.
  for (const site of sites) await empty(person, site);
  assert.notDeepEqual(await lost(), []);
  for (const { fqdn } of sites) {
    const body = { restore_point: restorePoint, restore_db: true, restore_cms_content: true };
    const { id } = await person.api.createPitRestore({ params: { fqdn }, body });
    const params = { fqdn, pit_restore_id: id };
    const ended = await eventually(async () => {
      const record = (await person.api.getPitRestore({ params })) as PitRestore;
      return record.finished_at !== null && record;
    });
    assert.equal(ended.failed_reason, null);
  }
  assert.deepEqual(await lost(), []);
  assert.equal(await platform.stop(), 0, platform.output());
  assert.equal(mariadbOf(platform), undefined);
});

async function killBy(way: Way, platform: MortalPlatform): Promise<void> {
  const all = descendants(platform.pid).slice(1);
  const php = (what: RegExp) => all.filter((pid) => what.test(commandOf(pid)));
  if (way === 'PHP-FPM') php(/^php-fpm: master/).forEach(kill);
  if (way === 'processes of PHP') php(/^php-fpm: pool/).forEach(kill);
  if (way === 'MariaDB' || way === 'everything') kill(mariadbOf(platform));
  if (way === 'everything') all.forEach(kill);
  if (way === SERVICE || way === 'everything') await platform.kill('platform alone');
}

/** It outlives the service, and is known by its folder. */
function mariadbOf({ dataDir }: MortalPlatform): number | undefined {
  const folder = join(dataDir, 'mariadb');
  return findServer(join(folder, 'run/mariadb.pid'), join(folder, 'cluster'))?.pid;
}

function kill(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself meanwhile.
  }
}

/** A page that no cache has, which needs PHP and the database. */
async function untilBack(platform: MortalPlatform, fqdn: string): Promise<void> {
  await eventually(async () => {
    const seen = await visit(platform, fqdn, `/?fresh=${performance.now()}`).catch(() => undefined);
    return seen?.status === 200;
  }, BACK_MS);
}

async function areBackedUp(platform: MortalPlatform): Promise<boolean> {
  // What is due in a minute, or minutes after a failure or a kill, is due now: nobody waits for that here.
  await platform.rows('update backup_clocks set due_at = least(due_at, now())');
  await sleep(1_000);
  const behind = await platform.rows(
    'select site_id from backup_clocks where cut_at is null or cut_at < touched_at or failing_since is not null',
  );
  return behind.length === 0;
}

/** As somebody may who should not have a terminal. */
async function empty({ api }: Person, { fqdn }: Site): Promise<void> {
  const cmd = "wp db query 'DELETE FROM wp_posts' && rm -rf wp-content/uploads";
  const { exit_code, stderr } = await api.runSiteCommand({ params: { fqdn }, body: { cmd } });
  assert.equal(exit_code, 0, stderr);
}

const seconds = (ms = 0) => `${(ms / 1000).toFixed(1)} s`;
