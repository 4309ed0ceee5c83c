import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, beforeEach, suite, test } from 'node:test';
import { siteUrl } from '#features/instance/instance.ts';
import { withoutRetryWaits } from '#testkit/app/job-retries.ts';
import { type Person, registerPerson, signInAs } from '#testkit/app/people.ts';
import { holdSite, newFqdn, newSite, putOnPlan } from '#testkit/app/sites.ts';
import { OPERATOR, startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually, refused } from '#testkit/expect.ts';
import { type NameServer, startNameServer } from '#testkit/servers/name-server.ts';
import { lookAtNames } from './site-domain.jobs.ts';

const IP = '203.0.113.7';
let app: TestApp;
let names: NameServer;
let owner: Person;

before(async () => {
  names = await startNameServer({ 'shop.example.org': '', 'lost.example.org': '', 'pair.example.org': '' });
  app = await startTestApp({ env: { DNS_SERVERS: names.address, PUBLIC_IP: IP } });
});
beforeEach(async () => {
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

const domainsOf = async (fqdn: string) => (await owner.api.listSiteDomains({ params: { fqdn } })).results;
const add = (
  fqdn: string,
  domain: string,
  more: { mode?: 'redirect' | 'serve'; with_www?: boolean } = {},
  by = owner,
) => by.api.createSiteDomain({ params: { fqdn }, body: { domain, ...more } });
const seen = (host: string, isRight: (answer: Awaited<ReturnType<typeof visit>>) => boolean, path = '/') =>
  eventually(async () => {
    const answer = await visit(app, host, path);
    return isRight(answer) && answer;
  });

suite('the names of a site', () => {
  test('a further one redirects or shows the site, and adding it stops nothing', async () => {
    const site = await newSite(owner);
    const [first, second] = [newFqdn(), newFqdn()];
    const added = await add(site.fqdn, first);
    assert.deepEqual([added.is_primary, added.mode, added.verified, added.pair], [false, 'redirect', true, null]);
    assert.equal((await owner.api.getSite({ params: { fqdn: site.fqdn } })).busy, null);
    const sent = await seen(first, ({ status }) => status === 301, '/a%20b?c=d');
    assert.equal(sent.headers.location, `${siteUrl(app.services, site.fqdn)}/a%20b?c=d`);
    assert.equal(sent.headers['cache-control'], 'no-cache');
    assert.equal((await visit(app, first, '/x', { method: 'POST', body: 'a' })).status, 308);

    await add(site.fqdn, second, { mode: 'serve' });
    await seen(second, ({ status }) => status === 200);
    await owner.api.updateSiteDomain({ params: { fqdn: site.fqdn, domain: second }, body: { mode: 'redirect' } });
    await seen(second, ({ status }) => status === 301);
    assert.deepEqual(
      (await domainsOf(site.fqdn)).map(({ fqdn, is_primary }) => [fqdn, is_primary]),
      [
        [site.fqdn, true],
        [first, false],
        [second, false],
      ],
    );
  });

  test('are claimed like every other name, and free again when they are removed', async () => {
    const [site, other] = [await newSite(owner), await newSite(owner)];
    const domain = newFqdn();
    await add(site.fqdn, domain);
    await assert.rejects(add(other.fqdn, domain), refused(409, 'site.name_taken'));
    await assert.rejects(newSite(owner, { fqdn: domain }), refused(409, 'site.name_taken'));
    const own = { fqdn: site.fqdn, domain: site.fqdn };
    await assert.rejects(owner.api.deleteSiteDomain({ params: own }), refused(409, 'domain.is_primary'));
    await assert.rejects(owner.api.updateSiteDomain({ params: own, body: { mode: 'serve' } }), refused(409));
    await owner.api.deleteSiteDomain({ params: { fqdn: site.fqdn, domain } });
    await seen(domain, ({ status }) => status === 404);
    assert.equal((await add(other.fqdn, domain)).fqdn, domain);
  });

  test('with another one as primary the site moves there, the old one redirects, and back', async () => {
    const site = await newSite(owner);
    const domain = newFqdn();
    await add(site.fqdn, domain);
    const promote = (fqdn: string, to: string) =>
      owner.api.promoteSiteDomain({ wait: 60, params: { fqdn, domain: to } });
    await promote(site.fqdn, domain);
    const moved = await eventually(() => owner.api.getSite({ params: { fqdn: domain } }).catch(() => undefined));
    assert.equal(moved.id, site.id);
    await seen(
      site.fqdn,
      ({ status, headers }) => status === 301 && headers.location === `${siteUrl(app.services, domain)}/`,
    );
    await seen(domain, ({ status }) => status === 200);
    await eventually(async () => (await owner.api.getSite({ params: { fqdn: domain } })).busy === null);
    await owner.api.updateSite({ wait: 60, params: { fqdn: domain }, body: { new_fqdn: site.fqdn } });
    await seen(domain, ({ status }) => status === 301);
    assert.deepEqual(
      (await domainsOf(site.fqdn)).map(({ fqdn }) => fqdn),
      [site.fqdn, domain],
    );
  });

  test('a change of the primary that fails leaves both names as they were', async () => {
    const site = await newSite(owner);
    const domain = newFqdn();
    await add(site.fqdn, domain);
    const folder = join(dirname(app.runtime.contentFolder(site.id)), 'database');
    for (const name of await readdir(folder)) await writeFile(join(folder, name), 'no database at all');
    await withoutRetryWaits(app.services.db, async () => {
      await owner.api.promoteSiteDomain({ params: { fqdn: site.fqdn, domain } });
      await eventually(async () => (await owner.api.getSite({ params: { fqdn: site.fqdn } })).busy === null);
    });
    assert.deepEqual(
      (await domainsOf(site.fqdn)).map(({ fqdn }) => fqdn),
      [site.fqdn, domain],
    );
  });

  test('a domain counts as verified by its real records, which are looked at again by the clock', async () => {
    const site = await newSite(owner);
    const domain = 'shop.example.org';
    const added = await add(site.fqdn, domain);
    assert.deepEqual([added.verified, added.pair], [false, `www.${domain}`]);
    const params = { fqdn: site.fqdn, domain };
    const before = await owner.api.verifySiteDomain({ params });
    assert.equal(before.verified, false);
    assert.deepEqual(
      before.records.map(({ type, expected, ok }) => [type, expected, ok]),
      [['A', IP, false]],
    );
    await assert.rejects(owner.api.promoteSiteDomain({ params }), refused(422, 'domain.not_verified'));
    await names.write(domain, `@ A ${IP}`);
    const due = app.services.db.updateTable('site_names').set({ next_look_at: new Date(0) });
    await due.where('fqdn', '=', domain).execute();
    await app.services.jobs.enqueue(app.services.db, lookAtNames, {});
    await eventually(async () =>
      (await domainsOf(site.fqdn)).some(({ fqdn, verified }) => fqdn === domain && verified),
    );
    await names.write(domain, '@ A 198.51.100.1');
    assert.equal((await owner.api.verifySiteDomain({ params })).verified, false);
  });

  test('www comes along where it is asked for, and both may be there already', async () => {
    const site = await newSite(owner);
    await add(site.fqdn, 'pair.example.org', { mode: 'serve', with_www: true });
    await add(site.fqdn, 'xylophones.example.org', { with_www: true });
    const all = await domainsOf(site.fqdn);
    assert.deepEqual(
      all.slice(1).map(({ fqdn, mode, pair }) => [fqdn, mode, pair]),
      [
        ['pair.example.org', 'serve', null],
        ['www.pair.example.org', 'redirect', null],
        ['xylophones.example.org', 'redirect', null],
        ['www.xylophones.example.org', 'redirect', null],
      ],
    );
    await assert.rejects(add(site.fqdn, 'pair.example.org', { with_www: true }), refused(409, 'site.name_taken'));
  });

  test('a team that proves a domain its own takes it from a site that goes on without it', async () => {
    const site = await newSite(owner);
    const thief = await personOnPlan();
    const domain = 'lost.example.org';
    await add(site.fqdn, domain);
    const theirs = await newSite(thief);
    await assert.rejects(add(theirs.fqdn, domain, {}, thief), refused(409, 'site.name_taken'));
    const claim = await thief.api.getDomainClaim({ query: { fqdn: domain, team_id: thief.teamId } });
    await names.write(domain, `_siteyard-challenge TXT "${claim.value}"`);
    assert.equal((await add(theirs.fqdn, domain, {}, thief)).fqdn, domain);
    assert.deepEqual(
      (await domainsOf(site.fqdn)).map(({ fqdn }) => fqdn),
      [site.fqdn],
    );
    assert.equal((await owner.api.getSite({ params: { fqdn: site.fqdn } })).busy, null);
  });

  test('a site that some work holds gets names, and loses none', async () => {
    const site = await newSite(owner);
    const domain = newFqdn();
    await holdSite(app, site.id);
    await add(site.fqdn, domain);
    await assert.rejects(
      owner.api.deleteSiteDomain({ params: { fqdn: site.fqdn, domain } }),
      refused(409, 'site.busy'),
    );
  });

  test('there are at most fifty', async () => {
    const site = await newSite(owner);
    const rows = Array.from({ length: 49 }, () => ({ fqdn: newFqdn(), site_id: site.id }));
    await app.services.db.insertInto('site_names').values(rows).execute();
    await assert.rejects(add(site.fqdn, newFqdn()), refused(409, 'site.too_many_names'));
    const params = { fqdn: site.fqdn };
    await assert.rejects(owner.api.updateSite({ params, body: { new_fqdn: newFqdn() } }), refused(409));
  });

  test('go with a deleted site and come back with it, those that are still free', async () => {
    const site = await newSite(owner);
    const [kept, taken] = [newFqdn(), newFqdn()];
    await add(site.fqdn, kept, { mode: 'serve' });
    await add(site.fqdn, taken);
    await owner.api.deleteSite({ wait: 60, params: { fqdn: site.fqdn } });
    await seen(kept, ({ status }) => status === 404);
    const other = await newSite(owner);
    await add(other.fqdn, taken);
    const operator = await signInAs(app, OPERATOR.email, OPERATOR.password);
    await operator.api.restoreDeletedSite({ wait: 60, params: { site_id: site.id } });
    await eventually(async () => (await domainsOf(site.fqdn)).length === 2);
    assert.deepEqual((await domainsOf(site.fqdn)).map(({ fqdn, mode }) => [fqdn, mode]).at(-1), [kept, 'serve']);
  });
});
