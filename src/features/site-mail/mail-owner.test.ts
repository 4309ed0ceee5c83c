import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { DnsFailed } from '#core/dns.ts';
import { createLog } from '#core/log.ts';
import { createSecrets, lastingKeyOf } from '#core/secrets.ts';
import type { Services } from '#core/services.ts';
import type { SiteRow } from '#features/instance/instance.ts';
import { claimRecord } from '#features/site-name/site-name.ts';
import { mailOwnerOf } from './mail-owner.ts';

const KEY = 'a key for tests that is long enough';
const FQDN = 'www.shop.example.org';
const SITE = {
  id: '0f0e0d0c-0000-4000-8000-000000000001',
  team_id: 'a team',
  fqdn: FQDN,
  dkim_public_key: 'KEY',
} as SiteRow;
const OURS = 'site-0f0e0d0c000040008000000000000001@sites.yard.com';
const OWN = `wordpress@${FQDN}`;

/** The platform, whose resolver knows these texts and fails where `fails` says so. */
function platformWith(texts: Record<string, string[]> = {}, asked: string[] = []) {
  const zone = { texts, fails: (_name: string) => false };
  const services = {
    config: { siteDomain: 'sites.yard.com', stageDomain: 'stages.yard.com', baseUrl: 'https://app.platform.example' },
    secrets: createSecrets([KEY], lastingKeyOf(KEY)),
    log: createLog('silent'),
    dns: {
      async find(type: string, name: string) {
        assert.equal(type, 'TXT');
        asked.push(name);
        if (zone.fails(name)) throw new DnsFailed('nobody answers', { isTimeout: true, cause: undefined });
        return zone.texts[name] ?? [];
      },
    },
  } as unknown as Services;
  return { zone, services, ownerOf: (change: Partial<SiteRow> = {}) => mailOwnerOf(services, { ...SITE, ...change }) };
}

const claims = (services: Services, teamId: string, ...names: string[]) =>
  Object.fromEntries(
    names.map((name) => [claimRecord(services, teamId, name).name, [claimRecord(services, teamId, name).value]]),
  );
const keyAt = (name: string, key = 'KEY') => ({ [`siteyard._domainkey.${name}`]: [`v=DKIM1; k=rsa; p=${key}`] });

suite('a site writes', () => {
  test('as its name where that is the platform’s to give, without a DNS lookup', async () => {
    const asked: string[] = [];
    const fqdn = 'blog.sites.yard.com';
    const owner = await platformWith({}, asked).ownerOf({ fqdn });
    assert.deepEqual(owner, { sender: `wordpress@${fqdn}`, domains: [fqdn], signsFor: fqdn });
    assert.deepEqual(asked, []);
  });

  test('from an address of the platform, unsigned, where nothing proves its name', async () => {
    const { zone, services, ownerOf } = platformWith();
    const nobody = { sender: OURS, domains: [], signsFor: undefined };
    assert.deepEqual(await ownerOf(), nobody);
    zone.texts = claims(services, 'another team', FQDN, 'shop.example.org', 'example.org');
    assert.deepEqual(await ownerOf(), nobody, 'the claim of another team proves nothing');
    zone.texts = keyAt('shop.example.org', 'OTHER');
    assert.deepEqual(await ownerOf(), nobody, 'nor does the key of another site');
    zone.texts = keyAt('shop.example.org', '');
    assert.deepEqual(await ownerOf({ dkim_public_key: null }), nobody, 'nor none at all');
  });

  test('as a name that is claimed, and signs for itself; that proves nothing above it', async () => {
    const { zone, services, ownerOf } = platformWith();
    zone.texts = claims(services, SITE.team_id, FQDN);
    assert.deepEqual(await ownerOf(), { sender: OWN, domains: [FQDN], signsFor: FQDN });
  });

  test('as every name below one that is proved, and signs for the one that has its key', async () => {
    const { zone, services, ownerOf } = platformWith();
    zone.texts = claims(services, SITE.team_id, 'example.org');
    assert.deepEqual((await ownerOf()).domains, [FQDN, 'shop.example.org', 'example.org']);
    assert.equal((await ownerOf()).signsFor, FQDN);
    zone.texts = keyAt('shop.example.org');
    assert.deepEqual(await ownerOf(), {
      sender: OWN,
      domains: [FQDN, 'shop.example.org'],
      signsFor: 'shop.example.org',
    });
    zone.texts = { ...keyAt('example.org'), ...claims(services, SITE.team_id, FQDN) };
    const { domains, signsFor } = await ownerOf();
    assert.deepEqual([domains, signsFor], [[FQDN, 'shop.example.org', 'example.org'], 'example.org']);
  });

  test('never as what is registered by others or by the platform, and asks for a few names alone', async () => {
    const asked: string[] = [];
    const { zone, services, ownerOf } = platformWith({}, asked);
    zone.texts = { ...keyAt('org'), ...keyAt('platform.example'), ...claims(services, SITE.team_id, 'org') };
    assert.deepEqual((await ownerOf()).domains, []);
    assert.deepEqual((await ownerOf({ fqdn: 'shop.platform.example' })).domains, []);
    asked.length = 0;
    await ownerOf({ fqdn: `${'a.'.repeat(40)}example.org` });
    assert.ok(new Set(asked).size <= 12, `${new Set(asked).size} names`);
  });
});

suite('a resolver that fails', () => {
  test('takes nothing back that a zone has said, until the zone says otherwise', async () => {
    const { zone, ownerOf } = platformWith(keyAt('shop.example.org'));
    const proved = { sender: OWN, domains: [FQDN, 'shop.example.org'], signsFor: 'shop.example.org' };
    assert.deepEqual(await ownerOf(), proved);
    zone.fails = () => true;
    assert.deepEqual(await ownerOf(), proved);
    zone.fails = () => false;
    zone.texts = {};
    assert.deepEqual((await ownerOf()).domains, []);
    zone.fails = () => true;
    assert.deepEqual((await ownerOf()).domains, [], 'what the zone took back is not remembered');
  });

  test('gives nothing either, and is believed for a day at most', async (t) => {
    t.mock.timers.enable({ apis: ['Date'] });
    const { zone, ownerOf } = platformWith(keyAt('shop.example.org'));
    zone.fails = () => true;
    assert.deepEqual((await ownerOf()).domains, []);
    zone.fails = () => false;
    await ownerOf();
    zone.fails = () => true;
    t.mock.timers.tick(23 * 3_600_000);
    assert.equal((await ownerOf()).domains.length, 2);
    t.mock.timers.tick(2 * 3_600_000);
    assert.deepEqual((await ownerOf()).domains, []);
  });

  test('at the key alone leaves the domain that signs as it was', async () => {
    const { zone, services, ownerOf } = platformWith();
    zone.texts = { ...keyAt('shop.example.org'), ...claims(services, SITE.team_id, 'shop.example.org') };
    assert.equal((await ownerOf()).signsFor, 'shop.example.org');
    zone.fails = (name) => name.includes('_domainkey');
    assert.equal((await ownerOf()).signsFor, 'shop.example.org');
  });
});
