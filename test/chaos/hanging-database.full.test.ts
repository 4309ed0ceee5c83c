import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startEmbeddedPostgres } from '#core/db/embedded-postgres.ts';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { visit, visitKept } from '#testkit/clients/visit.ts';
import { eventually } from '#testkit/expect.ts';
import { stopPostgres } from './postgres-processes.ts';

let postgres: Awaited<ReturnType<typeof startEmbeddedPostgres>>;
let app: TestApp;
let person: Person;
let dataDir: string;
before(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'siteyard-hang-'));
  chmodSync(dataDir, 0o711);
  postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } });
  app = await startTestApp({ databaseUrl: postgres.url });
  person = await registerPerson(app);
});
after(async () => {
  await app?.close();
  await postgres?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Status, waiting time and whether it says when to come again. */
async function ask(path: string, body?: object) {
  const begunMs = performance.now();
  const response = await fetch(`${app.url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(15_000),
  });
  await response.arrayBuffer();
  return {
    status: response.status,
    tookMs: performance.now() - begunMs,
    saysWhen: Number(response.headers.get('retry-after')) > 0,
  };
}

test('while the database hangs the API and /readyz say so within seconds, sites are served, and all comes back alone', async () => {
  await putOnPlan(app, person.teamId, 'micro');
  const site = await newSite(person);
  await visitKept(app, site.fqdn, '/');
  const ticket = { team_id: person.teamId, subject: 'before', description: 'x' };
  assert.equal((await ask('/f/api/v1/support/ticket', ticket)).status, 200);

  const goOn = stopPostgres(join(dataDir, 'cluster'));
  try {
    // Whoever is under way when it begins, and whoever comes after. All at once, as people come: more than there are connections.
    const first = Array.from({ length: 20 }, () => ask('/f/api/v1/support/ticket', ticket));
    for (const each of [await ask('/readyz'), ...(await Promise.all(first))]) {
      assert.deepEqual([each.status, each.saysWhen], [503, true]);
      assert.ok(each.tookMs < 8_000, `${each.tookMs} ms`);
    }
    for (const each of [
      await ask('/readyz'),
      await ask('/f/api/v1/team'),
      await ask('/f/api/v1/support/ticket', ticket),
    ]) {
      assert.deepEqual([each.status, each.saysWhen], [503, true]);
      assert.ok(each.tookMs < 2_000, `${each.tookMs} ms, though it was known`);
    }
    assert.equal((await visitKept(app, site.fqdn, '/')).status, 200);
    // A page that nobody asked for before, so the site itself has to make it.
    const made = await visit(app, site.fqdn, `/?s=${Date.now()}`);
    assert.deepEqual([made.status, made.headers['x-cache'] === 'HIT'], [200, false]);
    assert.equal((await ask('/healthz')).status, 200);
  } finally {
    goOn();
  }
  await eventually(async () => (await ask('/readyz')).status === 200);
  assert.equal((await ask('/f/api/v1/support/ticket', { ...ticket, subject: 'after' })).status, 200);
  const again = await newSite(person);
  assert.equal((await visit(app, again.fqdn, '/')).status, 200);
});
