import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JobKind, jobKind } from '#core/jobs/jobs.ts';
import { startTestApp } from '../test/app.ts';
import { eventually } from '../test/expect.ts';
import { registerPerson } from '../test/people.ts';
import { newSite } from '../test/sites.ts';

test('a service that stops lets its jobs finish with everything that they work with', async () => {
  let state = 'waiting';
  /** Wakes a site after the service was told to stop. */
  const wakeLate = jobKind<{ siteId: string }>({
    name: 'test.wake_late',
    lane: 'background',
    async run({ siteId }, { services }) {
      state = 'running';
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const { coreVersion, phpVersion } = await services.runtime.prepared();
      const spec = {
        id: siteId,
        url: 'http://late.localhost',
        coreVersion,
        phpVersion,
        accessKey: 'key',
        saltKey: 'salt',
        isCopy: false,
        isOffline: false,
      };
      const running = await services.runtime.start(spec);
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
