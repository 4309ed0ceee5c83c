import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase, startTestApp } from '../app.ts';
import { registerPerson } from '../people.ts';

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
    const person = await registerPerson(api, 'Ada');
    const mail = await worker.mailTo(person.email, '/verify');
    const token = /token=([\w-]+)/.exec(mail)?.[1];
    const answer = await fetch(`${second.api}/verify_email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    });
    assert.equal(answer.status, 200);
    // The older credential ended with it, on the process that had it in memory too.
    const me = await fetch(`${api.api}/me`, { headers: { authorization: `Bearer ${person.token}` } });
    assert.equal(me.status, 401);
  } finally {
    await Promise.all([api, second, worker, edge].map((app) => app.close()));
    await database.drop();
  }
});
