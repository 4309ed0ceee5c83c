import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { eventually } from '../../../test/expect.ts';
import { type Person, registerPerson } from '../../../test/people.ts';
import { newSite, putOnPlan } from '../../../test/sites.ts';
import { startTlsApp, type TlsApp } from '../../../test/tls-app.ts';
import { visit } from '../../../test/visit.ts';

let tls: TlsApp;
let owner: Person;
before(async () => {
  tls = await startTlsApp({ env: { HSTS_SECONDS: '31536000' } });
  owner = await registerPerson(tls.app);
  await putOnPlan(tls.app, owner.teamId, 'starter');
});
after(() => tls?.close());

const certificateOf = async (fqdn: string, domain = fqdn) => {
  const { results } = await owner.api.listSiteDomains({ params: { fqdn } });
  return results.find((each) => each.fqdn === domain)?.certificate;
};
const issued = (fqdn: string, domain = fqdn) =>
  eventually(async () => (await certificateOf(fqdn, domain))?.state === 'issued');

suite('certificates', () => {
  test('are there before the first visit, for the platform and for a site, by HTTP/1.1 and HTTP/2', async () => {
    const site = await newSite(owner);
    await issued(site.fqdn);
    const first = await tls.visit(site.fqdn, '/');
    assert.equal(first.status, 200);
    assert.equal(first.headers['strict-transport-security'], 'max-age=31536000');
    const second = await tls.visit2(site.fqdn, '/');
    assert.equal(second.status, 200);
    assert.equal(second.text, first.text);
    await eventually(async () => (await tls.visit('localhost', '/healthz').catch(() => undefined))?.status === 200);
    assert.deepEqual(JSON.parse((await tls.visit2('localhost', '/healthz')).text), { status: 'alive' });
    const plain = await visit(tls.app, site.fqdn, '/a?b=c');
    assert.equal(plain.status, 301);
    assert.equal(plain.headers.location, `https://${site.fqdn}:${tls.httpsPort}/a?b=c`);
  });
});
