import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownCertificate } from '../../../test/own-certificate.ts';
import { readOwn } from './certificate.rules.ts';

test('a chain may have text between its certificates', () => {
  const { chain, key } = ownCertificate('blog.example.com');
  assert.equal(readOwn('blog.example.com', { chain: `# ours - since May\n${chain}\n`, key }).chain, chain);
});

test('a chain of certificates that never end is none, and takes no longer than any other', () => {
  const chain = '-----BEGIN CERTIFICATE-----'.repeat(200_000);
  assert.throws(() => readOwn('blog.example.com', { chain, key: '' }), { code: 'request.invalid' });
});
