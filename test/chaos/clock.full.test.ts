import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, mock, test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { RateLimits } from '#core/http/rate-limits.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import { touchSites } from '#features/backup/backup.ts';
import { cleanUpInstances } from '#features/instance/clean-up.jobs.ts';
import type { Backup } from '#sdk';
import { registerPerson } from '#testkit/app/people.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { newSite } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { eventually } from '#testkit/expect.ts';
import { ClockWatch } from '../../src/platform/clock-watch.ts';
import type { OwnServices } from '../../src/platform/services.ts';
import { shiftStoredTimes } from './shifted-times.ts';

const HOUR = 3600;
const ran: string[] = [];
const later = jobKind<{ name: string }>({
  name: 'test.later',
  lane: 'background',
  run: async ({ name }) => void ran.push(name),
});
const removal = jobKind<{ name: string }>({ ...later, name: 'test.removal', removesByAge: true });

let app: TestApp;
before(async () => {
  app = await startTestApp({ jobs: [later, removal] });
});
after(() => app?.close());

test('when the clock is set back an hour, backups, jobs and what runs by the minute go on at once', async () => {
  const { db, jobs } = app.services;
  const person = await registerPerson(app);
  const site = await newSite(person);
  const disk = siteOnDisk(app, site.id);
  await disk.keep();
  const newest = async () => (await person.api.getBackups({ params: { fqdn: site.fqdn } })) as Backup;
  const before = await newest();
  // Its minute is over, so the next backup is due as soon as something happens.
  await sql`update backup_clocks set cut_at = now() - interval '2 minutes', due_at = null`.execute(db);
  await jobs.enqueueOnce(db, later, { name: 'waited' }, 'waited', new Date(Date.now() + 2_000));

  await setBack(HOUR);
  await disk.write('uploads/after.txt', 'after the clock was set back');
  await touchSites(db, [site.id]);
  await eventually(async () => ran.includes('waited'));
  const after = await eventually(async () => {
    const found = await newest();
    return found.commit_hash !== before.commit_hash && found;
  });
  assert.ok(after.created_at > before.created_at);
  const { rows } = await sql<{ left: number }>`select
    extract(epoch from greatest((select max(cron_on) from jobs.version), (select max(start_after) from jobs.job),
      (select max(monitor_on) from jobs.queue), (select max(storage_measured_at) from sites)) - now())::float as left`.execute(
    db,
  );
  assert.ok((rows[0]?.left ?? 0) < 600, `something waits for ${rows[0]?.left} s`);
});

test('after the clock leapt ahead nothing is removed for its age, until a day is over or it is set back', async () => {
  const { services } = app;
  const { db, jobs, config } = services;
  const site_id = randomUUID();
  await db
    .insertInto('sites_to_remove')
    .values({ ...config.newSites, site_id, due_at: new Date(0) })
    .execute();
  const cleanUp = () => cleanUpInstances.run({}, { services } as Parameters<typeof cleanUpInstances.run>[1]);
  const isNoted = async () =>
    (await db.selectFrom('sites_to_remove').select('site_id').where('site_id', '=', site_id).execute()).length > 0;

  let seconds = 10 * HOUR;
  const watch = new ClockWatch(services as OwnServices, [], () => seconds);
  await watch.look();
  // Two hours less went by than the database's clock says.
  seconds -= 2 * HOUR;
  await watch.look();
  await cleanUp();
  assert.ok(await isNoted(), 'files went though nobody knows whether their time had come');
  await jobs.enqueue(db, removal, { name: 'too early' });
  await jobs.enqueue(db, later, { name: 'all else' });
  await eventually(async () => ran.includes('all else'));
  await setBack(HOUR);
  await eventually(
    async () => (await sql`select from platform where clock_leapt_at is null`.execute(db)).rows.length > 0,
  );
  await jobs.enqueue(db, removal, { name: 'in time' });
  await eventually(async () => ran.includes('in time'));
  assert.equal(ran.includes('too early'), false);
  await cleanUp();
  assert.equal(await isNoted(), false);
});

test('a limit by the minute ends after a minute though the clock is set back', () => {
  mock.timers.enable({ apis: ['Date'], now: Date.now() + HOUR * 1000 });
  const limits = new RateLimits(0.001);
  limits.take('write', 'somebody');
  mock.timers.reset();
  const { exceeded, resetSeconds } = limits.take('write', 'somebody');
  assert.ok(exceeded && resetSeconds <= 60, `${resetSeconds} s`);
});

async function setBack(seconds: number): Promise<void> {
  const client = new pg.Client({ connectionString: app.databaseUrl });
  await client.connect();
  await shiftStoredTimes(client, seconds);
  await client.end();
}
