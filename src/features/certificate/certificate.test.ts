import assert from 'node:assert/strict';
import { randomBytes, X509Certificate } from 'node:crypto';
import { createServer } from 'node:http';
import { after, before, suite, test } from 'node:test';
import { connect } from 'node:tls';
import { type KyselyPlugin, sql } from 'kysely';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { newFqdn, newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp } from '#testkit/app/test-app.ts';
import { startTlsApp, type TlsApp } from '#testkit/app/tls-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { ownCertificate } from '#testkit/data/own-certificate.ts';
import { eventually, refused } from '#testkit/expect.ts';
import { freePort } from '#testkit/free-port.ts';
import { deleteChallenge, insertChallenge, insertWanted, listChallenges, takeDue } from './certificate.sql.ts';
import { CertificateShelf } from './certificate.ts';

const NEVER = new Date('2999-01-01');
let tls: TlsApp;
let owner: Person;
let site: string;
let siteId: string;
before(async () => {
  tls = await startTlsApp({ window: () => ({ start: new Date(), end: new Date() }) });
  owner = await registerPerson(tls.app);
  await putOnPlan(tls.app, owner.teamId, 'starter');
  ({ fqdn: site, id: siteId } = await newSite(owner));
});
after(() => tls?.close());

const certificateOf = async (domain: string) => {
  const { results } = await owner.api.listSiteDomains({ params: { fqdn: site } });
  return results.find(({ fqdn }) => fqdn === domain)?.certificate;
};
const inState = (domain: string, state: string) =>
  eventually(async () => {
    const certificate = await certificateOf(domain);
    return certificate?.state === state && certificate;
  });
/** A domain of the team's own whose records lead here; or of which nobody knows. */
const newDomain = async (verified_at: Date | null = new Date()) => {
  const fqdn = newFqdn().replace('localhost', 'example');
  const row = { fqdn, site_id: siteId, mode: 'serve', verified_at, next_look_at: NEVER };
  await tls.app.services.db.insertInto('site_names').values(row).execute();
  return fqdn;
};
/** As if the time had come for what failed. */
const makeDue = (name: string) =>
  sql`with due as (update certificates set next_try_at = now() where name = ${name} returning name)
    select pg_notify('certificate_changed', name) from due`.execute(tls.app.services.db);

/** What is shown to whoever comes by this name. */
function shown(name: string, port = tls.httpsPort): Promise<X509Certificate> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, servername: name, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate() as X509Certificate);
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

suite('certificates', () => {
  test('are there before the first visit, for the platform and for a site, and plain visitors are sent to TLS', async () => {
    const { expires_at, source } = await inState(site, 'issued');
    assert.equal(source, 'acme');
    assert.ok(new Date(expires_at as unknown as string).getTime() > Date.now());
    const first = await tls.visit(site, '/');
    assert.equal(first.status, 200);
    assert.equal(first.headers['strict-transport-security'], undefined);
    assert.equal((await tls.visit2(site, '/')).text, first.text);
    await eventually(async () => (await tls.visit('localhost', '/healthz').catch(() => undefined))?.status === 200);
    const plain = await visit(tls.app, site, '/a?b=c');
    assert.equal(plain.status, 301);
    assert.equal(plain.headers.location, `https://${site}:${tls.httpsPort}/a?b=c`);
    assert.equal((await visit(tls.app, site, '/a', { method: 'POST', body: 'x' })).status, 308);
  });

  test('another process serves them too, and hears of new ones', async () => {
    const port = await freePort();
    const { config } = tls.app.services;
    const other = await startTestApp({
      databaseUrl: tls.app.databaseUrl,
      env: { ROLE: 'api', HTTPS_PORT: String(port), ACME_DIRECTORY: config.acme?.directory ?? 'off' },
    });
    try {
      assert.equal((await shown('localhost', port)).fingerprint256, (await shown('localhost')).fingerprint256);
      const domain = await newDomain();
      await inState(domain, 'issued');
      await eventually(async () => (await shown(domain, port).catch(() => undefined)) !== undefined);
    } finally {
      await other.close();
    }
  });

  test('are got by TLS-ALPN-01 as well', async () => {
    tls.authority.options.types = ['tls-alpn-01'];
    const before = tls.authority.counts['tls-alpn-01'];
    await inState(await newDomain(), 'issued');
    assert.equal(tls.authority.counts['tls-alpn-01'], before + 1);
    delete tls.authority.options.types;
  });

  test('that can not be got say why and when the next try is; then they are got', async () => {
    const { options } = tls.authority;
    const right = options.httpPort;
    Object.assign(options, { types: ['http-01'], httpPort: await freePort() });
    const domain = await newDomain();
    const failing = await inState(domain, 'failing');
    assert.match(failing.reason ?? '', /ECONNREFUSED/);
    assert.ok(new Date(failing.next_try_at as unknown as string).getTime() > Date.now() + 60_000);
    assert.equal((await visit(tls.app, domain, '/')).status, 200, 'it is served without TLS until then');
    Object.assign(options, { httpPort: right });
    delete options.types;
    await makeDue(domain);
    await inState(domain, 'issued');
  });

  test('that the authority has no more of now are asked for when it says', async () => {
    tls.authority.options.limit = () => 7200;
    const domain = await newDomain();
    const { reason, next_try_at } = await inState(domain, 'failing');
    assert.equal(reason, 'too many certificates');
    assert.ok(new Date(next_try_at as unknown as string).getTime() > Date.now() + 7_000_000);
    delete tls.authority.options.limit;
  });

  test('are asked for only by names that lead here, and under the platform’s own domain by the primary one alone', async () => {
    const { db } = tls.app.services;
    const asked: string[] = [];
    tls.authority.options.limit = (name) => void asked.push(name);
    const unknown = await newDomain(null);
    const params = { fqdn: site, domain: unknown };
    await owner.api.setSiteCertificate({ params, body: ownCertificate(unknown, { days: 2 }) });
    await makeDue(unknown);
    const dropped = await newDomain(null);
    await owner.api.setSiteCertificate({ params: { ...params, domain: dropped }, body: ownCertificate(dropped) });
    await owner.api.deleteSiteCertificate({ params: { ...params, domain: dropped } });
    const { fqdn: further, certificate } = await owner.api.createSiteDomain({
      params: { fqdn: site },
      body: { domain: newFqdn() },
    });
    assert.deepEqual([certificate.state, /primary/.test(certificate.reason ?? '')], ['none', true]);
    await sql`insert into certificates (name) values ('nobodys.example.org')`.execute(db);
    const last = await newDomain();
    await inState(last, 'issued');
    assert.deepEqual(asked, [last], `none of ${[unknown, dropped, further]}`);
    assert.match((await certificateOf(dropped))?.reason ?? '', /do not lead here yet/);
    delete tls.authority.options.limit;
  });

  test('are renewed at two thirds of their life, or when the authority says so, without a moment without one', async () => {
    const domain = await newDomain();
    await inState(domain, 'issued');
    const first = await eventually(() => shown(domain).catch(() => undefined));
    const row = await tls.app.services.db
      .selectFrom('certificates')
      .select(['not_before', 'not_after', 'renew_at'])
      .where('name', '=', domain)
      .executeTakeFirstOrThrow();
    const [from, to, at] = [row.not_before, row.not_after, row.renew_at].map((date) => date?.getTime() ?? 0) as [
      number,
      number,
      number,
    ];
    const share = (at - from) / (to - from);
    assert.ok(share > 0.63 && share < 0.667, `at ${share} of its life`);
    // A day later it is asked about, and the authority wants it renewed now.
    const { asked, replaced } = { ...tls.authority.counts };
    await makeDue(domain);
    await eventually(async () => (await shown(domain)).fingerprint256 !== first.fingerprint256);
    assert.ok(tls.authority.counts.asked > asked);
    assert.ok(tls.authority.counts.replaced > replaced, 'the order says which one it replaces');
  });

  test('survive requests that go wrong on the way', async () => {
    let requests = 0;
    tls.authority.options.fault = () => (requests++ % 4 === 0 ? 'badNonce' : undefined);
    await inState(await newDomain(), 'issued');
    assert.ok(tls.authority.counts.badNonce > 1);
    delete tls.authority.options.fault;
  });

  test('of a removed name are gone, and nobody is shown one for a name that is not ours', async () => {
    const domain = await newDomain();
    await inState(domain, 'issued');
    await eventually(() => shown(domain).catch(() => undefined));
    await owner.api.deleteSiteDomain({ params: { fqdn: site, domain } });
    await eventually(async () => (await shown(domain).catch(() => undefined)) === undefined);
    await assert.rejects(shown('elsewhere.example.org'));
    assert.deepEqual(await tls.app.services.db.selectFrom('acme_challenges').selectAll().execute(), []);
  });
});

test('teams take turns at the authority, and none uses up what it gives to all, by names that come and go either', async (t) => {
  const app = await startTestApp();
  t.after(() => app.close());
  const { db } = app.services;
  const teams = [await registerPerson(app), await registerPerson(app)];
  const [many, one] = await Promise.all(teams.map(async (person) => ({ person, site: await newSite(person) })));
  const wanted = { own: [], wildcards: [], given: ['.nowhere.example'], known: [] };
  const add = async (siteId: string, count: number) => {
    const names = Array.from({ length: count }, () => newFqdn().replace('localhost', 'example'));
    const rows = names.map((fqdn) => ({ fqdn, site_id: siteId, verified_at: new Date(), next_look_at: NEVER }));
    await db.insertInto('site_names').values(rows).execute();
    await insertWanted(db, wanted);
    return names;
  };
  const take = async (limit: number) => (await takeDue(db, limit, wanted)).map(({ name }) => name);
  const churned = await add(many?.site.id as string, 150);
  const [own] = await add(one?.site.id as string, 1);
  const first = await take(8);
  assert.ok(first.length === 8 && first.includes(own as string), 'a single name does not wait for a hundred others');
  assert.equal(first.length + (await take(500)).length, 101);
  assert.deepEqual(await take(500), []);
  // Names that go leave nothing of what was asked for them.
  await db.deleteFrom('site_names').where('fqdn', 'in', churned).execute();
  await add(many?.site.id as string, 50);
  assert.deepEqual(await take(500), []);
  const [next] = await add(one?.site.id as string, 1);
  assert.deepEqual(await take(500), [next]);
  await sql`update certificate_orders set ordered_at = now() - interval '4 hours'`.execute(db);
  assert.equal((await take(500)).length, 50);
});

test('any number of strangers who ask for challenges cost a query a second, and an authority is answered', async () => {
  let queries = 0;
  const count: KyselyPlugin = {
    transformQuery: ({ node }) => {
      queries++;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const { services } = tls.app;
  const shelf = new CertificateShelf({ ...services, db: services.db.withPlugin(count) });
  const token = randomBytes(24).toString('base64url');
  const strangers = () =>
    Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        assert.equal(await shelf.answerTo(token), undefined);
        assert.equal(await shelf.challengeFor(`s${n}.example`), undefined);
      }),
    );
  await strangers();
  assert.equal(queries, 2);
  const row = { token, name: 'ours.example', type: 'http-01', key_authorization: `${token}.x` };
  await insertChallenge(services.db, row);
  assert.equal(await shelf.answerTo(token), row.key_authorization);
  await deleteChallenge(services.db, token);
});

suite('an own certificate', () => {
  test('is checked, served, sealed, and gives way to one of the authority when it is removed', async () => {
    const domain = await newDomain();
    const params = { fqdn: site, domain };
    const { chain, key } = ownCertificate(domain);
    const other = { params, body: { chain, key: ownCertificate(domain).key } };
    await assert.rejects(owner.api.setSiteCertificate(other), (error) => {
      refused(422)(error);
      assert.match(JSON.stringify((error as { faults: unknown }).faults), /not the key/);
      return true;
    });
    const set = await owner.api.setSiteCertificate({ params, body: { chain, key } });
    assert.deepEqual([set.certificate.state, set.certificate.source], ['issued', 'own']);
    const own = new X509Certificate(chain).fingerprint256;
    await eventually(async () => (await shown(domain).catch(() => undefined))?.fingerprint256 === own);
    const { key_sealed } = await tls.app.services.db
      .selectFrom('certificates')
      .select('key_sealed')
      .where('name', '=', domain)
      .executeTakeFirstOrThrow();
    assert.ok(!key_sealed?.includes('PRIVATE KEY'));
    await owner.api.deleteSiteCertificate({ params });
    await inState(domain, 'issued');
    await eventually(async () => (await shown(domain).catch(() => undefined))?.fingerprint256 !== own);
    await assert.rejects(owner.api.deleteSiteCertificate({ params }), refused(404, 'domain.no_own_certificate'));
  });

  test('that comes while one is being ordered stays, however the order ends', async () => {
    const { options } = tls.authority;
    const right = options.httpPort;
    for (const isRight of [true, false]) {
      const held = Promise.withResolvers<void>();
      const reached = Promise.withResolvers<void>();
      const server = createServer(async (request, response) => {
        reached.resolve();
        await held.promise;
        const token = (request.url ?? '').split('/').at(-1) ?? '';
        const row = (await listChallenges(tls.app.services.db)).find((each) => each.token === token);
        response.end(isRight ? row?.key_authorization : 'another answer');
      });
      const httpPort = await freePort();
      server.listen(httpPort, '127.0.0.1');
      Object.assign(options, { types: ['http-01'], httpPort });
      const { issued, failed } = tls.authority.counts;
      const domain = await newDomain();
      await reached.promise;
      await owner.api.setSiteCertificate({ params: { fqdn: site, domain }, body: ownCertificate(domain) });
      held.resolve();
      const { counts } = tls.authority;
      await eventually(async () => (isRight ? counts.issued > issued : counts.failed > failed));
      Object.assign(options, { httpPort: right });
      delete options.types;
      await inState(await newDomain(), 'issued');
      const { state, source, reason } = (await certificateOf(domain)) ?? {};
      assert.deepEqual({ state, source, reason }, { state: 'issued', source: 'own', reason: null });
      server.close();
    }
  });
});
