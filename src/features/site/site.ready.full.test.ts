import assert from 'node:assert/strict';
import { test } from 'node:test';
import { registerPerson } from '#testkit/app/people.ts';
import { newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp } from '#testkit/app/test-app.ts';
import { eventually } from '#testkit/expect.ts';

test('a site that is said to be ready is awake, so that its first page is quick', async () => {
  const app = await startTestApp({ runtime: 'php-wasm', env: { STANDBY_WORKERS: '1' } });
  try {
    const { runtime } = app;
    const person = await registerPerson(app);
    await putOnPlan(app, person.teamId, 'business');
    await newSite(person);
    // However long the machine takes to have one at hand, it is then a matter of moments.
    await eventually(async () => runtime.standbyReady === 1, 240_000);
    const site = await newSite(person);
    assert.equal(site.busy, null);
    assert.ok(runtime.awake().some(({ siteId }) => siteId === site.id));
  } finally {
    await app.close();
  }
});

test('without warm PHP at hand a new site is left asleep', async () => {
  const app = await startTestApp({ runtime: 'php-wasm' });
  try {
    const site = await newSite(await registerPerson(app));
    assert.equal(site.busy, null);
    assert.deepEqual(app.runtime.awake(), []);
  } finally {
    await app.close();
  }
});
