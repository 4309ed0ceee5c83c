import assert from 'node:assert/strict';
import { test } from 'node:test';

// A copy of its own: other tests make the one that they share cheap.
const fresh = new URL('./password.ts?fresh', import.meta.url).href;
const { hashPassword, checkPassword }: typeof import('./password.ts') = await import(fresh);

test('a password is hashed with argon2id, 19 MiB and two passes, unless a test says otherwise', async () => {
  const hashed = await hashPassword('a password');
  assert.match(hashed, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.equal(await checkPassword(hashed, 'a password'), true);
  assert.equal(await checkPassword(hashed, 'another password'), false);
});

test('nobody has the password of an address without an account', async () => {
  assert.equal(await checkPassword(undefined, 'a password nobody has'), false);
});
