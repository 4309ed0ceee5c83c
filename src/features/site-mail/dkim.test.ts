import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { test } from 'node:test';

// A copy of its own: other tests make the one that they share smaller.
const fresh = new URL('./dkim.ts?fresh', import.meta.url).href;
const { newDkimKeys }: typeof import('./dkim.ts') = await import(fresh);

test('a site signs its mail with an RSA key of 2048 bits', async () => {
  const { publicKey, privateKey } = await newDkimKeys();
  for (const key of [
    createPublicKey({ key: Buffer.from(publicKey, 'base64'), type: 'spki', format: 'der' }),
    createPublicKey(privateKey),
  ]) {
    assert.equal(key.asymmetricKeyType, 'rsa');
    assert.equal(key.asymmetricKeyDetails?.modulusLength, 2048);
  }
});
