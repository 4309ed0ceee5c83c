import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTlsApp, type TlsApp } from '#testkit/app/tls-app.ts';
import { eventually } from '#testkit/expect.ts';
import { startZoneServer, withoutZoneServer, type ZoneServer } from '#testkit/servers/zone-server.ts';

const DOMAIN = 'sites.example';

suite('one certificate for all sites', { skip: withoutZoneServer }, () => {
  let zone: ZoneServer;
  let tls: TlsApp;
  let owner: Person;
  before(async () => {
    zone = await startZoneServer(DOMAIN);
    const updates = { DNS_UPDATE_SERVER: zone.address, DNS_UPDATE_KEY: zone.key };
    const env = { SITE_DOMAIN: DOMAIN, DNS_SERVERS: zone.address, ...updates };
    tls = await startTlsApp({ env, nameServer: zone.address });
    owner = await registerPerson(tls.app);
    await putOnPlan(tls.app, owner.teamId, 'starter');
  });
  after(async () => {
    await tls?.close();
    await zone?.close();
  });
  const issued = () =>
    eventually(async () => {
      const { rows } = await sql<{
        name: string;
      }>`select name from certificates where chain is not null order by name`.execute(tls.app.services.db);
      return rows.some(({ name }) => name === `*.${DOMAIN}`) && rows.map(({ name }) => name);
    });

  test('is proved in the zone, serves every name there, and nothing of the proof stays', async () => {
    await issued();
    const before = tls.authority.counts.orders;
    const names = await Promise.all(
      ['one', 'two', 'three'].map((name) => newSite(owner, { fqdn: `${name}.${DOMAIN}` })),
    );
    for (const { fqdn } of names) assert.equal((await tls.visit(fqdn, '/')).status, 200);
    const { results } = await owner.api.listSiteDomains({ params: { fqdn: `one.${DOMAIN}` } });
    assert.deepEqual([results[0]?.certificate.state, results[0]?.certificate.source], ['issued', 'acme']);
    // A name that is nobody's has a certificate too, and no site behind it.
    assert.equal((await tls.visit(`nobody.${DOMAIN}`, '/')).status, 404);
    assert.equal(tls.authority.counts.orders, before, 'no site asks for one of its own');
    assert.deepEqual(await zone.texts(`_acme-challenge.${DOMAIN}`), []);
  });

  test('takes the place of those that single sites had', async () => {
    const { db } = tls.app.services;
    await sql`insert into certificates (name, chain, key_sealed, not_before, not_after, renew_at)
      select ${`one.${DOMAIN}`}, chain, key_sealed, not_before, not_after, renew_at from certificates where name = ${`*.${DOMAIN}`}`.execute(
      db,
    );
    await eventually(async () => !(await issued()).includes(`one.${DOMAIN}`));
  });

  test('that can not be proved is tried again, and its sites say so without what is the operator’s alone', async () => {
    await zone.close();
    const { db } = tls.app.services;
    await sql`update certificates set renew_at = now(), next_try_at = now() where name = ${`*.${DOMAIN}`}`.execute(db);
    await sql`select pg_notify('certificate_changed', ${`*.${DOMAIN}`})`.execute(db);
    const certificate = await eventually(async () => {
      const { results } = await owner.api.listSiteDomains({ params: { fqdn: `one.${DOMAIN}` } });
      return results[0]?.certificate.state === 'failing' && results[0].certificate;
    });
    assert.match(certificate.reason ?? '', /its operator can see why/);
    const [row] = (
      await sql<{ reason: string }>`select reason from certificates where name = ${`*.${DOMAIN}`}`.execute(db)
    ).rows;
    assert.match(row?.reason ?? '', /name server at 127\.0\.0\.1/);
    assert.equal((await tls.visit(`one.${DOMAIN}`, '/')).status, 200, 'and what there is goes on');
  });
});
