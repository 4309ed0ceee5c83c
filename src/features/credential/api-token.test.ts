import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before, test } from 'node:test';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { refused } from '#testkit/expect.ts';

let app: TestApp;
before(async () => {
  app = await sharedApp();
});

/** So many tokens of a person, of which none opens anything. */
async function addTokens({ userId }: Person, count: number, expires_at: Date | null = null): Promise<void> {
  const rows = Array.from({ length: count }, () => ({
    token_hash: randomBytes(32),
    kind: 'api_token',
    user_id: userId,
    scopes: ['read'],
    name: 'script',
    expires_at,
  }));
  await app.services.db.insertInto('credentials').values(rows).execute();
}

test('an account has at most 50 API tokens, also when several are created at once; expired ones do not count', async () => {
  const ada = await registerPerson(app, 'Ada');
  const create = () => ada.api.createApiToken({ body: { name: 'script', scopes: ['read'] } });
  const first = await create();
  await addTokens(ada, 48);
  await addTokens(ada, 1, new Date(0));
  const results = await Promise.allSettled([create(), create(), create()]);
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
  await assert.rejects(create(), (error: Error) => {
    refused(409, 'api_token.too_many')(error);
    assert.match(error.message, /50 API tokens.*Delete one/);
    return true;
  });
  await ada.api.deleteApiToken({ params: { api_token_id: first.id } });
  await create();
});

test('a program that signs in by a code is told at its confirmation that the account has no token left to give', async () => {
  const ada = await registerPerson(app, 'Ada');
  await addTokens(ada, 50);
  const { user_code } = await ada.api.beginDeviceSignIn({ body: { client_name: 'siteyard on laptop' } });
  const confirm = () => ada.api.confirmDeviceSignIn({ body: { user_code, scopes: ['read'] } });
  await assert.rejects(confirm(), refused(409, 'api_token.too_many'));
  const [token] = (await ada.api.listApiTokens({ query: { size: 1 } })).results;
  await ada.api.deleteApiToken({ params: { api_token_id: token?.id as string } });
  await confirm();
});
