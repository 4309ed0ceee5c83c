import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTestDatabase, startTestApp } from '../app.ts';
import { eventually } from '../expect.ts';
import { freePort } from '../free-port.ts';
import { registerPerson } from '../people.ts';
import { newSite } from '../sites.ts';
import { visit } from '../visit.ts';

test('processes of every role start at once on an empty database and share the work', async () => {
  const database = await createTestDatabase({ empty: true });
  const roles = ['all', 'api', 'api', 'worker', 'edge'];
  const apps = await Promise.all(roles.map((ROLE) => startTestApp({ databaseUrl: database.url, env: { ROLE } })));
  const [all, api, second, worker, edge] = apps as [
    (typeof apps)[0],
    (typeof apps)[0],
    (typeof apps)[0],
    (typeof apps)[0],
    (typeof apps)[0],
  ];
  try {
    const { db } = api.services;
    assert.equal((await db.selectFrom('users').selectAll().where('is_superuser', '=', true).execute()).length, 1);
    assert.equal((await db.selectFrom('regions').selectAll().execute()).length, 1);
    assert.equal((await fetch(`${worker.api}/region`)).status, 404);
    assert.equal((await fetch(`${edge.api}/region`)).status, 404);
    for (const app of apps) assert.equal((await fetch(`${app.url}/readyz`)).status, 200);

    // Registered on one process, used on another; the mail is written by whichever works.
    await all.close();
    const person = await registerPerson(api, 'Ada', { verified: false });
    const mail = await worker.mailTo(person.email, '/verify');
    const token = /token=([\w-]+)/.exec(mail)?.[1];
    const answer = await fetch(`${second.api}/verify_email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    });
    assert.equal(answer.status, 200);
    // The older credential ended with it, on the process that had it in memory too, as soon as that heard of it.
    const headers = { authorization: `Bearer ${person.token}` };
    const statusOfMe = async () => (await fetch(`${api.api}/me`, { headers })).status;
    for (const end = Date.now() + 4_000; (await statusOfMe()) !== 401; ) assert.ok(Date.now() < end, 'it still opens');
  } finally {
    await Promise.all([api, second, worker, edge].map((app) => app.close()));
    await database.drop();
  }
});

test('a site is made by the worker, served by the edge, and put to sleep by the api, each a process of its own', async () => {
  const database = await createTestDatabase({ empty: true });
  const dataDir = await mkdtemp(join(tmpdir(), 'siteyard-roles-'));
  const start = (ROLE: string, env = {}) =>
    startTestApp({ databaseUrl: database.url, env: { ROLE, DATA_DIR: dataDir, ...env } });
  const edge = await start('edge');
  // Sites are reached through the edge, so that is the port in their addresses.
  const shared = { BASE_URL: edge.url };
  const port = await freePort();
  const [api, worker] = await Promise.all([start('api', { ...shared, PORT: String(port) }), start('worker', shared)]);
  const { runtime } = edge.services;
  try {
    const ada = await registerPerson({ ...api, url: `http://localhost:${port}` }, 'Ada');
    const site = await newSite(ada);
    assert.equal(site.busy, null);
    assert.equal((await visit(edge, site.fqdn, '/wp-login.php')).status, 200);
    assert.equal(runtime.awake().length, 1);
    // A process that serves no sites says so at once.
    assert.equal((await visit({ url: `http://localhost:${port}` }, site.fqdn, '/')).status, 421);
    await ada.api.sleepSite({ params: { fqdn: site.fqdn }, wait: 60 });
    await eventually(async () => runtime.awake().length === 0);
    assert.equal((await visit(edge, site.fqdn, '/wp-login.php')).status, 200);
    assert.equal((await ada.api.getSite({ params: { fqdn: site.fqdn } })).is_sleeping, false);
  } finally {
    await Promise.all([api, worker, edge].map((app) => app.close()));
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  }
});
