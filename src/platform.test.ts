import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { type JobKind, jobKind } from '#core/jobs/jobs.ts';
import { registerPerson, signInAs } from '#testkit/app/people.ts';
import { newSite } from '#testkit/app/sites.ts';
import { createTestDatabase, OPERATOR, startTestApp } from '#testkit/app/test-app.ts';
import { eventually } from '#testkit/expect.ts';
import { freePort } from '#testkit/free-port.ts';

test('a service that stops lets its jobs finish with everything that they work with', async () => {
  let state = 'waiting';
  /** Wakes a site after the service was told to stop. */
  const wakeLate = jobKind<{ siteId: string }>({
    name: 'test.wake_late',
    lane: 'background',
    async run({ siteId }, { services }) {
      state = 'running';
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const { newSites } = services.config;
      const { coreVersion, phpVersion } = await services.hosts.prepared(newSites);
      const spec = {
        ...newSites,
        id: siteId,
        team: 'team',
        url: 'http://late.localhost',
        coreVersion,
        phpVersion,
        accessKey: 'key',
        saltKey: 'salt',
        isCopy: false,
        isOffline: false,
        isDebugging: false,
      };
      const running = await services.hosts.start(spec);
      const lease = await running.lease(AbortSignal.timeout(30_000));
      lease.release();
      state = 'done';
    },
  });
  const app = await startTestApp({ jobs: [wakeLate] as unknown as JobKind[] });
  const site = await newSite(await registerPerson(app));
  await app.services.jobs.enqueue(app.services.db, wakeLate, { siteId: site.id });
  await eventually(async () => state === 'running');
  await app.close();
  assert.equal(state, 'done');
});

test('/readyz says no until the operator can sign in', async (t) => {
  const database = await createTestDatabase();
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  // Whoever writes a person waits, which only the operator's making does at a start.
  await other.query('begin; lock table users in share mode');
  const port = await freePort();
  const starting = startTestApp({ databaseUrl: database.url, env: { PORT: String(port) } });
  t.after(async () => {
    await other.end();
    // It tells its database that it ends.
    await (await starting).close();
    await database.drop();
  });
  const readiness = () =>
    fetch(`http://localhost:${port}/readyz`).then(
      ({ status }) => status,
      () => undefined,
    );

  await eventually(async () => (await readiness()) !== undefined);
  assert.equal(await readiness(), 503);
  await other.query('commit');
  await eventually(async () => (await readiness()) === 200);
  await signInAs(await starting, OPERATOR.email, OPERATOR.password);
});
