import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Config } from '../../config.ts';
import { describeRecord, requirePublicName } from './domain.rules.ts';

const CNAME = 'edge.yard.example.net';
const config = {
  baseUrl: 'https://app.platform.example',
  siteDomain: 'sites.yard.com',
  stageDomain: 'stages.yard.com',
} as Config;
const check = (fqdn: string) => requirePublicName(config, fqdn, [CNAME]);

test('a public name is taken, and one that the platform gives', () => {
  for (const fqdn of ['shop.example.org', 'example.co.uk', 'xn--bcher-kva.example.org', 'blog.sites.yard.com'])
    check(fqdn);
});

test('a name that is reserved for networks or tests is refused', () => {
  const names = ['printer.local', 'a.test', 'x.localhost', 'x.localhost.arpa', 'db.internal', 'a.home.arpa', 'a.onion'];
  for (const fqdn of [...names, 'nas.lan', 'a.invalid', 'x.example'])
    assert.throws(
      () => check(fqdn),
      (error: Error) => /reserved/.test(JSON.stringify(error)),
      fqdn,
    );
});

test('a name of the platform itself, or on its own domain, is refused', () => {
  for (const fqdn of [CNAME, 'app.platform.example', 'shop.platform.example', 'mail.yard.com'])
    assert.throws(() => check(fqdn), { status: 422 }, fqdn);
});

test('a record that is not right is described by what it must be and what it is', () => {
  const record = { name: 'a.example.org', expected: '203.0.113.7', found: [] as string[], ok: false };
  assert.equal(
    describeRecord({ ...record, type: 'A' }),
    'the A record of a.example.org must be 203.0.113.7, and there is none',
  );
  const found = ['2001:db8::1', '2001:db8::2'];
  assert.equal(
    describeRecord({ ...record, type: 'AAAA', expected: '', found }),
    'a.example.org must have no AAAA record, and it is 2001:db8::1, 2001:db8::2',
  );
  assert.match(describeRecord({ ...record, type: 'TXT' }), /must hold the site's DKIM key, and there is none/);
});
