import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Dns, RecordType } from '#core/dns.ts';
import type { Region } from '#features/region/region.ts';
import { isServedByUs, lookAtRecords, lookAtSignature } from './domain.records.ts';

const IP = '203.0.113.7';
const CNAME = 'edge.yard.example.net';
const REGION = { ip: IP, cname: CNAME, name_servers: ['ns1.yard.example.net', 'NS2.yard.example.net'] } as Region;
const REGION_V6 = { ...REGION, ip: '2001:0db8:0::7' } as Region;

type Zones = Record<string, Partial<Record<RecordType, string[]>>>;

/** Responds as a resolver does: the addresses of an alias are those of the name that it leads to. */
function resolverOf(zones: Zones): Dns {
  return {
    async find(type, name) {
      const records = zones[name] ?? {};
      const isAddress = type === 'A' || type === 'AAAA';
      const seen = new Set<string>();
      let end = name;
      while (isAddress && !seen.has(end) && zones[end]?.CNAME) {
        seen.add(end);
        end = zones[end]?.CNAME?.[0] as string;
      }
      return (isAddress && !seen.has(end) ? zones[end] : records)?.[type]?.toSorted() ?? [];
    },
  };
}

const ZONE = 'shop.example.org';
const EDGE: Zones = { [CNAME]: { A: [IP] } };
const look = async (fqdn: string, zones: Zones, region = REGION) =>
  (await lookAtRecords(resolverOf({ ...EDGE, ...zones }), fqdn, region)).map(({ type, expected, found, ok }) => [
    type,
    expected,
    found.join(' '),
    ok,
  ]);
type Looked = Awaited<ReturnType<typeof look>>;

suite('the top of a zone', () => {
  const cases: [what: string, records: Zones[string], found: Looked][] = [
    ['needs an address', {}, [['A', IP, '', false]]],
    ['has the address of the region', { A: [IP] }, [['A', IP, IP, true]]],
    ['has another address', { A: ['198.51.100.1'] }, [['A', IP, '198.51.100.1', false]]],
    ['has another one as well', { A: [IP, '198.51.100.1'] }, [['A', IP, `198.51.100.1 ${IP}`, false]]],
    [
      'has one of the other kind, which the region has not',
      { A: [IP], AAAA: ['2001:db8::1'] },
      [
        ['A', IP, IP, true],
        ['AAAA', '', '2001:db8::1', false],
      ],
    ],
    [
      'has one of the other kind alone',
      { AAAA: ['2001:db8::1'] },
      [
        ['A', IP, '', false],
        ['AAAA', '', '2001:db8::1', false],
      ],
    ],
  ];
  for (const [what, records, found] of cases)
    test(what, async () => {
      assert.deepEqual(await look(ZONE, { [ZONE]: { NS: ['ns.elsewhere.example'], ...records } }), found);
    });

  test('is known from the registry where its zone is not visible yet', async () => {
    for (const fqdn of ['nowhere.com', 'not-delegated-yet.co.uk'])
      assert.deepEqual(await look(fqdn, {}), [['A', IP, '', false]]);
  });

  test('wants AAAA, in any spelling, where the region has an IPv6 address', async () => {
    const expected = '2001:db8::7';
    const at = (records: Zones[string]) => look(ZONE, { [ZONE]: records }, REGION_V6);
    assert.deepEqual(await at({ AAAA: [expected] }), [['AAAA', expected, expected, true]]);
    assert.deepEqual(await at({ A: [IP], AAAA: [expected] }), [
      ['AAAA', expected, expected, true],
      ['A', '', IP, false],
    ]);
  });
});

suite('a name below it', () => {
  const zones: Zones = {
    [ZONE]: { NS: ['ns.elsewhere.example'], A: [IP] },
    [`www.${ZONE}`]: { CNAME: [CNAME] },
    [`far.${ZONE}`]: { CNAME: [`www.${ZONE}`] },
    [`via.${ZONE}`]: { CNAME: [ZONE] },
    [`lost.${ZONE}`]: { CNAME: ['nowhere.example.org'] },
    [`round.${ZONE}`]: { CNAME: [`round2.${ZONE}`] },
    [`round2.${ZONE}`]: { CNAME: [`round.${ZONE}`] },
    [`direct.${ZONE}`]: { A: [IP] },
    [`other.${ZONE}`]: { A: ['198.51.100.9'] },
    [`both.${ZONE}`]: { CNAME: ['both.example.net'] },
    'both.example.net': { A: [IP], AAAA: ['2001:db8::1'] },
  };
  const cases: [what: string, label: string, found: Looked][] = [
    ['may be an alias of the region', 'www', [['CNAME', CNAME, CNAME, true]]],
    ['may be one through others', 'far', [['CNAME', CNAME, `www.${ZONE} ${CNAME}`, true]]],
    ['may be an alias of a name that has the address', 'via', [['CNAME', CNAME, ZONE, true]]],
    ['may have the address itself', 'direct', [['A', IP, IP, true]]],
    ['had better be an alias where there is nothing', 'none', [['CNAME', CNAME, '', false]]],
    ['may not lead elsewhere', 'lost', [['CNAME', CNAME, 'nowhere.example.org', false]]],
    ['may not lead some visitors elsewhere', 'both', [['CNAME', CNAME, 'both.example.net', false]]],
    ['may not lead in circles', 'round', [['CNAME', CNAME, `round2.${ZONE} round.${ZONE}`, false]]],
    ['may not have another address', 'other', [['A', IP, '198.51.100.9', false]]],
  ];
  for (const [what, label, found] of cases)
    test(what, async () => {
      assert.deepEqual(await look(`${label}.${ZONE}`, zones), found);
    });

  test('that leads through too many aliases is followed so far and no further', async () => {
    const long = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`a${n}.x`, { CNAME: [`a${n + 1}.x`] }]));
    const [record] = await lookAtRecords(resolverOf(long), 'a0.x', REGION);
    assert.deepEqual([record?.found.length, record?.ok], [8, false]);
  });
});

suite('a zone on the name servers of the region', () => {
  const ours = ['ns1.yard.example.net', 'ns2.yard.example.net'];
  const expected = ours.join(', ');

  test('is right by that alone, and so is every name in it', async () => {
    const zones = { 'ours.example.org': { NS: ours } };
    for (const fqdn of ['ours.example.org', 'blog.ours.example.org', 'a.b.c.ours.example.org']) {
      assert.deepEqual(await look(fqdn, zones), [['NS', expected, ours.join(' '), true]]);
      assert.equal((await lookAtRecords(resolverOf(zones), fqdn, REGION))[0]?.name, 'ours.example.org');
      assert.equal(await isServedByUs(resolverOf(zones), fqdn, REGION), true);
    }
  });

  test('is not where it is on others as well, where a nearer zone is on others, or where nobody knows it', async () => {
    const mixed = { 'ours.example.org': { NS: ['ns1.yard.example.net', 'ns.elsewhere.example'] } };
    assert.deepEqual(await look('ours.example.org', mixed), [['A', IP, '', false]]);
    const nearer = { 'ours.example.org': { NS: ours }, 'away.ours.example.org': { NS: ['ns.elsewhere.example'] } };
    for (const [fqdn, zones] of [
      ['ours.example.org', mixed],
      ['www.away.ours.example.org', nearer],
      ['ours.example.org', {}],
    ] as const)
      assert.equal(await isServedByUs(resolverOf(zones), fqdn, REGION), false, fqdn);
  });

  test('is not a top-level domain', async () => {
    assert.equal(await isServedByUs(resolverOf({ org: { NS: ours } }), 'shop.org', REGION), false);
  });
});

suite('the DKIM record of a site', () => {
  const wanted = { name: `siteyard._domainkey.${ZONE}`, value: 'v=DKIM1; k=rsa; p=KEY+/=' };
  const own = `siteyard._domainkey.www.${ZONE}`;
  const check = (zones: Zones) => lookAtSignature(resolverOf(zones), `www.${ZONE}`, wanted);

  test('is found by its key, in any order and with any blanks', async () => {
    for (const text of [wanted.value, 'v=DKIM1;p=KEY+/= ;k=rsa', 'v = DKIM1; p=KE Y+/='])
      assert.equal((await check({ [wanted.name]: { TXT: ['something else', text] } })).ok, true, text);
    for (const text of ['v=DKIM1; k=rsa; p=AAAA', 'k=rsa; p=KEY+/=', ''])
      assert.equal((await check({ [wanted.name]: { TXT: [text] } })).ok, false, text);
  });

  test('is wanted without www, and good under the name itself', async () => {
    assert.deepEqual(await check({}), { type: 'TXT', name: wanted.name, expected: wanted.value, found: [], ok: false });
    const found = await check({ [own]: { TXT: [wanted.value] } });
    assert.deepEqual([found.name, found.ok], [own, true]);
    const both = { [own]: { TXT: [wanted.value] }, [wanted.name]: { TXT: [wanted.value] } };
    assert.equal((await check(both)).name, wanted.name);
  });
});
