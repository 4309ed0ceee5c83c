import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { withoutRetryWaits } from '#testkit/app/job-retries.ts';
import { registerPerson } from '#testkit/app/people.ts';
import { CMS, newFqdn } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { eventually, refused } from '#testkit/expect.ts';

const RETRIES_MS = 100_000;

/** A platform that can not get a WordPress: its cache lies where nothing can be. */
let app: TestApp;
before(async () => {
  app = await startTestApp({ runtime: 'php-wasm', env: { CACHE_DIR: '/dev/null/cache' } });
});
after(() => app?.close());

test('a creation that can not succeed is tried again, then ends with a clear failure and leaves nothing', async () => {
  const owner = await registerPerson(app, 'Owner');
  const fqdn = newFqdn();
  const input = { idempotencyKey: 'one-attempt', body: { ...CMS, fqdn, team_id: owner.teamId } };
  const { id } = await owner.api.createSite(input);
  const hasEnded = async () => (await owner.api.listEvents({ query: { fqdn } })).results[0]?.finished_at !== null;
  await withoutRetryWaits(app.services.db, () => eventually(hasEnded, RETRIES_MS));
  // Whoever waited for it, or asks again with the same key, hears how it ended.
  await assert.rejects(owner.api.createSite({ ...input, wait: 1 }), (error) => {
    refused(502, 'site.create_failed')(error);
    assert.match((error as Error).message, /WordPress could not be set up/);
    return true;
  });
  const [event] = (await owner.api.listEvents({ query: { fqdn } })).results;
  assert.match(event?.description ?? '', /^WordPress could not be set up\./);
  const { db } = app.services;
  await assert.rejects(owner.api.getSite({ params: { fqdn } }), refused(404, 'site.not_found'));
  assert.equal((await db.selectFrom('site_names').selectAll().execute()).length, 0);
  assert.ok(!(await app.runtime.list()).includes(id));
  // The reason is the operator's to read, and holds no password.
  const [failed] = await db.selectFrom('failed_jobs').selectAll().execute();
  assert.equal(failed?.kind, 'site.create');
  // The slot is free again: what stops a second attempt is the same failure and not the plan.
  const second = await owner.api.createSite({ body: { ...CMS, fqdn, team_id: owner.teamId } });
  assert.equal(second.busy, 'creating');
});
