import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { after, before, suite, test } from 'node:test';
import type { ApiError } from '#sdk';
import { letIn, type Person, registerPerson } from '#testkit/app/people.ts';
import { CMS, holdSite, newFqdn, newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually, refused } from '#testkit/expect.ts';
import { type NameServer, startNameServer } from '#testkit/servers/name-server.ts';
import { lookAtZones } from './domain.jobs.ts';

const IP = '203.0.113.7';
const CNAME = 'edge.yard.example.net';
const ZONES = [
  'shop.example.org',
  'stray.example.org',
  'moving.example.org',
  'ours.example.org',
  'claim.example.org',
  'xn--bcher-kva.example.org',
];

let app: TestApp;
let names: NameServer;
let owner: Person;

before(async () => {
  names = await startNameServer({
    ...Object.fromEntries(ZONES.map((zone) => [zone, ''])),
    'yard.example.net': `edge A ${IP}`,
  });
  app = await startTestApp({ env: { DNS_SERVERS: names.address, PUBLIC_IP: IP } });
  const region = { cname: CNAME, name_servers: ['ns1.yard.example.net', 'ns2.yard.example.net'] };
  await app.services.db.updateTable('regions').set(region).execute();
  owner = await personOnPlan();
});
after(async () => {
  await app?.close();
  await names?.close();
});

async function personOnPlan(): Promise<Person> {
  const person = await registerPerson(app);
  await putOnPlan(app, person.teamId, 'starter');
  return person;
}

interface Answer {
  verified: boolean;
  records: { type: string; name: string; expected: string; found: string[]; ok: boolean }[];
}

const verify = (fqdn: string, person = owner) => person.api.verifyDomain({ query: { fqdn } }) as Promise<Answer>;

/** The refusal's own records, with a fault for each that is wrong. */
async function wrongRecords(fqdn: string, person = owner): Promise<Answer['records']> {
  const error = await verify(fqdn, person).then(
    () => assert.fail(`${fqdn} was verified`),
    (reason: unknown) => reason,
  );
  refused(422, 'domain.not_verified')(error);
  const {
    faults,
    data: { records },
  } = error as ApiError & { data: Answer };
  const wrong = records.filter(({ ok }) => !ok);
  assert.equal(faults.length, wrong.length);
  for (const fault of faults) assert.deepEqual(fault.loc, ['query', 'fqdn']);
  return records;
}

const brief = (records: Answer['records']) =>
  records.map(({ type, expected, found, ok }) => [type, expected, found.join(' '), ok]);

suite('verify_domain tells by the real records', () => {
  test('an apex needs the address of the region, and no other of either kind', async () => {
    const zone = 'shop.example.org';
    await names.write(zone, `@ A ${IP}`);
    assert.deepEqual(brief((await verify(zone)).records), [['A', IP, IP, true]]);
    await names.write(zone, `@ A ${IP}\n@ AAAA 2001:db8:0::1`);
    assert.deepEqual(brief(await wrongRecords(zone)), [
      ['A', IP, IP, true],
      ['AAAA', '', '2001:db8::1', false],
    ]);
  });

  test('a name below it may be an alias of the region, through others too', async () => {
    await names.write('shop.example.org', `far CNAME www\nwww CNAME ${CNAME}.\n*.wild CNAME ${CNAME}.`);
    for (const name of ['far', 'any.wild']) await verify(`${name}.shop.example.org`);
    assert.deepEqual(brief(await wrongRecords('none.shop.example.org')), [['CNAME', CNAME, '', false]]);
  });

  test('a zone on the name servers of the region is right by that alone', async () => {
    await names.write('ours.example.org', '@ NS ns1.yard.example.net.\n@ NS NS2.yard.example.net.');
    const expected = 'ns1.yard.example.net, ns2.yard.example.net';
    const records = [['NS', expected, 'ns1.yard.example.net ns2.yard.example.net', true]];
    assert.deepEqual(brief((await verify('ours.example.org')).records), records);
  });

  test('names are read as IDNA; what is reserved or of the platform is refused', async () => {
    await names.write('xn--bcher-kva.example.org', `@ A ${IP}`);
    assert.equal((await verify('Bücher.example.org')).records[0]?.name, 'xn--bcher-kva.example.org');
    for (const name of ['printer.local', CNAME]) await assert.rejects(verify(name), refused(422), name);
    await assert.rejects(verify('10.0.0.1'), refused(422));
    assert.equal((await verify('anything.localhost').catch((error) => error)).status, 422);
  });

  test('a site has its DKIM record among them, for whoever sees the site', async () => {
    const domain = 'stray.example.org';
    const fqdn = `www.${domain}`;
    await names.write(domain, `www A ${IP}`);
    const site = await newSite(owner, { fqdn });
    const dkim = site.dkim_key as string;
    // Without www, as WordPress writes its mails.
    const name = `siteyard._domainkey.${domain}`;
    const wrong = await wrongRecords(fqdn);
    assert.deepEqual(wrong[1], { type: 'TXT', name, expected: dkim, found: [], ok: false });
    const pieces = (dkim.match(/.{1,50}/g) as string[]).map((piece) => `"${piece}"`).join(' ');
    await names.write(domain, `www A ${IP}\nsiteyard._domainkey.www TXT ${pieces}`);
    assert.equal((await verify(fqdn)).records[1]?.ok, true);
    await names.write(domain, `www A ${IP}\nsiteyard._domainkey TXT "v=DKIM1; k=rsa; p=AAAA"`);
    assert.equal((await wrongRecords(fqdn))[1]?.ok, false);

    const stranger = await registerPerson(app);
    assert.deepEqual(brief((await verify(fqdn, stranger)).records), [['A', IP, IP, true]]);
    const viewer = await registerPerson(app);
    await letIn(owner, viewer, 'viewer');
    assert.equal((await wrongRecords(fqdn, viewer))[1]?.expected, '');
  });

  test('whose the name servers of a site are is kept true by a job, and by no read', async () => {
    const fqdn = 'moving.example.org';
    const isNsRoot = async () => (await owner.api.getSite({ params: { fqdn } })).is_ns_root;
    const { db } = app.services;
    const setLook = (zone_looked_at: Date | null) =>
      db.updateTable('sites').set({ zone_looked_at }).where('fqdn', '=', fqdn).execute();
    const lookNow = async () => {
      await setLook(null);
      await app.services.jobs.enqueue(db, lookAtZones, {});
    };
    await names.write(fqdn, `@ A ${IP}`);
    await newSite(owner, { fqdn });
    // So that the clock leaves it alone for hours.
    await setLook(new Date());
    await names.write(fqdn, '@ NS ns1.yard.example.net.');
    await verify(fqdn).catch(() => {});
    assert.equal(await isNsRoot(), false);
    await lookNow();
    await eventually(isNsRoot);
    await names.write(fqdn, `@ A ${IP}`);
    await lookNow();
    await eventually(async () => !(await isNsRoot()));
  });
});

test('a name server that fails or is silent is a fault of neither the domain nor the caller', async () => {
  const silent = createSocket('udp4');
  await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve));
  const refusing = createSocket('udp4', (query) => {
    query.writeUInt16BE(0x8185, 2);
    refusing.send(query, origin.port, origin.address);
  });
  let origin = { port: 0, address: '' };
  refusing.prependListener('message', (_query, from) => {
    origin = from;
  });
  await new Promise<void>((resolve) => refusing.bind(0, '127.0.0.1', resolve));
  const { createDns } = await import('#integrations/dns/dns.ts');
  const { dns } = app.services;
  const cases = [
    { socket: silent, status: 504, code: 'domain.dns_timeout' },
    { socket: refusing, status: 502, code: 'domain.dns_failed' },
  ];
  try {
    for (const { socket, status, code } of cases) {
      app.services.dns = createDns([`127.0.0.1:${socket.address().port}`]);
      const query = { fqdn: 'shop.example.org', team_id: owner.teamId };
      await Promise.all([
        assert.rejects(verify('shop.example.org'), refused(status, code)),
        assert.rejects(owner.api.getDomainClaim({ query }), refused(status, code)),
      ]);
    }
  } finally {
    app.services.dns = dns;
    silent.close();
    refusing.close();
  }
});

suite('a domain that another team has or had', () => {
  const fqdn = 'claim.example.org';
  const recordOf = (person: Person) => person.api.getDomainClaim({ query: { fqdn, team_id: person.teamId } });
  const publish = (...values: string[]) =>
    names.write(fqdn, values.map((value) => `_siteyard-challenge TXT "${value}"`).join('\n'));
  const claimOf = async (work: Promise<unknown>, code: string) => {
    const error = await work.then(
      () => assert.fail('it was let through'),
      (reason: unknown) => reason,
    );
    refused(409, code)(error);
    return (error as { data: { claim?: { name: string; value: string } } }).data.claim;
  };

  test('is had with the record that the refusal names, and with no other', async () => {
    const other = await personOnPlan();
    await newSite(owner, { fqdn });
    await owner.api.deleteSite({ params: { fqdn } });
    const claim = await claimOf(newSite(other, { fqdn }), 'site.name_held');
    const { name, value, seen } = await recordOf(other);
    assert.deepEqual([claim, seen], [{ type: 'TXT', name, value }, false]);
    assert.equal(name, `_siteyard-challenge.${fqdn}`);
    const thirds = await recordOf(await personOnPlan());
    assert.notEqual(thirds.value, value);
    await publish(thirds.value, 'siteyard-claim=guessed');
    await claimOf(newSite(other, { fqdn }), 'site.name_held');
    await publish(thirds.value, value);
    assert.equal((await recordOf(other)).seen, true);
    assert.equal((await newSite(other, { fqdn })).fqdn, fqdn);
    await other.api.deleteSite({ params: { fqdn } });
    await app.services.db.deleteFrom('released_names').execute();
    await publish();
  });

  test('and uses goes to whoever proves it theirs; the site goes on under a name of the platform, and its team is told', async () => {
    const squatter = await personOnPlan();
    const site = await newSite(squatter, { fqdn });
    const claim = await claimOf(newSite(owner, { fqdn }), 'site.name_taken');
    const mine = await newSite(owner);
    const rename = () => owner.api.updateSite({ wait: 60, params: { fqdn: mine.fqdn }, body: { new_fqdn: fqdn } });
    assert.deepEqual(await claimOf(rename(), 'site.name_taken'), claim);
    await publish(claim?.value as string);

    // Both prove it: whoever has it keeps it.
    await publish(claim?.value as string, (await recordOf(squatter)).value);
    await claimOf(rename(), 'site.name_taken');
    await publish(claim?.value as string);
    // Some work has the other site to itself: it is not torn away from under it.
    const letGo = await holdSite(app, site.id, 'restoring');
    await assert.rejects(rename(), refused(409, 'site.busy'));
    await letGo();

    assert.equal((await rename()).fqdn, fqdn);
    const moved = await eventually(async () => {
      const found = (await squatter.api.listSites()).results.find(({ id }) => id === site.id);
      return found?.busy === null && found;
    });
    assert.match(moved.fqdn, /^claim-example-org-[0-9a-f]{10}\.localhost$/);
    assert.deepEqual([moved.domain_option, moved.is_testing], ['platform', true]);
    const home = await visit(app, moved.fqdn, '/?rest_route=/');
    assert.equal(JSON.parse(home.text).home, new URL(moved.properties.url as string).origin);
    const [event] = (await squatter.api.listSiteEvents({ params: { fqdn: moved.fqdn }, query: { size: 1 } })).results;
    assert.match(event?.activity ?? '', /claim\.example\.org was claimed by a team that proved it theirs/);
    assert.match(await app.mailTo(squatter.email, fqdn), /goes on here/);
    await assert.rejects(squatter.api.getSite({ params: { fqdn } }), refused(404));

    // They take it back in the same way.
    await publish((await recordOf(squatter)).value);
    const back = await squatter.api.updateSite({ wait: 60, params: { fqdn: moved.fqdn }, body: { new_fqdn: fqdn } });
    assert.equal(back.id, site.id);
  });

  test('is no matter of names under the platform', async () => {
    const name = newFqdn();
    const other = await personOnPlan();
    await newSite(other, { fqdn: name });
    assert.equal(await claimOf(newSite(owner, { ...CMS, fqdn: name }), 'site.name_taken'), undefined);
    const query = { fqdn: name, team_id: owner.teamId };
    await assert.rejects(owner.api.getDomainClaim({ query }), refused(422));
  });
});
