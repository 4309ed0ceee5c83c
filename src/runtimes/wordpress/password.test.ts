import assert from 'node:assert/strict';
import { test } from 'node:test';

// A copy of its own: other tests make the one that they share cheap.
const fresh = new URL('./password.ts?fresh', import.meta.url).href;
const { hashForWordPress }: typeof import('./password.ts') = await import(fresh);

test("a site's password is hashed with bcrypt at the cost that WordPress itself takes", async () => {
  assert.match(await hashForWordPress('a password'), /^\$wp\$2y\$10\$[./A-Za-z0-9]{53}$/);
});
