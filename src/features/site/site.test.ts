import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { before, suite, test } from 'node:test';
import { compareSync } from 'bcryptjs';
import { sql } from 'kysely';
import { createClient } from '#sdk';
import { letIn, type Person, registerPerson, signInAs } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { CMS, newFqdn, newSite, putOnPlan } from '#testkit/app/sites.ts';
import { OPERATOR, type TestApp } from '#testkit/app/test-app.ts';
import { refused } from '#testkit/expect.ts';

let app: TestApp;
before(async () => {
  app = await sharedApp();
});

async function personOn(plan: string): Promise<Person> {
  const person = await registerPerson(app, 'Owner');
  await putOnPlan(app, person.teamId, plan);
  return person;
}

const rowsOf = async (teamId: string) => {
  const { db } = app.services;
  const sites = await db.selectFrom('sites').selectAll().where('team_id', '=', teamId).execute();
  const ids = sites.map(({ id }) => id);
  const names =
    ids.length === 0 ? [] : await db.selectFrom('site_names').selectAll().where('site_id', 'in', ids).execute();
  return { sites, names };
};

suite('creating a site', () => {
  test('answers at once with a busy site, and the waiting caller with the finished one', async () => {
    const owner = await personOn('micro');
    const fqdn = newFqdn();
    const first = await owner.api.createSite({ body: { ...CMS, fqdn, team_id: owner.teamId } });
    assert.equal(first.busy, 'creating');
    assert.equal(first.active, false);
    assert.equal(first.fqdn, fqdn);
    const events = await owner.api.listSiteEvents({ params: { fqdn } });
    assert.equal(events.results[0]?.event_type, 'site.created');

    const site = await newSite(owner);
    assert.equal(site.busy, null);
    assert.equal(site.active, true);
    assert.equal(site.is_testing, true);
    assert.equal(site.domain_option, 'platform');
    assert.equal(site.team.id, owner.teamId);
    assert.equal(site.created_by.id, owner.userId);
    assert.equal(site.tenant_id, site.team.tenant_id);
    assert.match(String(site.dkim_key), /^v=DKIM1; k=rsa; p=[\w+/=]{100,}$/);
    assert.ok(site.http_auth_password.length >= 16);
    assert.ok(site.current_storage > 100_000 && site.current_storage < 5_000_000, String(site.current_storage));
    assert.equal(site.properties.url, `http://${site.fqdn}:${new URL(app.url).port}`);
    assert.match(String(site.properties.core_version), /^\d+\.\d+/);
    const done = await owner.api.listSiteEvents({ params: { fqdn: site.fqdn } });
    assert.notEqual(done.results[0]?.finished_at, null);
    assert.equal((await owner.api.getTeam({ params: { team_id: owner.teamId } })).storage_usage > 0, true);
  });

  test("writes the first administrator, with a hash that WordPress takes for the password's", async () => {
    const owner = await personOn('micro');
    const password = ` it's a "long" \\ one `;
    const body = { ...CMS, fqdn: newFqdn(), team_id: owner.teamId, cms_password: password };
    const site = await owner.api.createSite({ wait: 60, body });
    const database = await app.runtime.database(site.id);
    const [user] = await database.query('select * from wp_users');
    database.close();
    assert.equal(user?.user_login, CMS.cms_username);
    assert.equal(user?.user_email, CMS.cms_email);
    // Slashed and trimmed, as it arrives from WordPress' own form.
    const digest = createHmac('sha384', 'wp-sha384').update(`it\\'s a \\"long\\" \\\\ one`).digest('base64');
    assert.match(String(user?.user_pass), /^\$wp\$2y\$\d\d\$/);
    assert.ok(compareSync(digest, String(user?.user_pass).slice(3)));
  });

  test('keeps the password nowhere', async () => {
    const owner = await personOn('micro');
    const secret = 'Zm9vYmFyIHF1dXg-unmistakable';
    const body = { ...CMS, fqdn: newFqdn(), team_id: owner.teamId, cms_password: secret };
    await owner.api.createSite({ wait: 60, body, idempotencyKey: 'a-key' });
    for (const table of ['jobs.job', 'idempotent_answers', 'events', 'sites']) {
      const { rows } = await sql<{ text: string }>`select t::text as text from ${sql.raw(table)} t`.execute(
        app.services.db,
      );
      const spellings = (['utf8', 'hex', 'base64'] as const).map((encoding) => Buffer.from(secret).toString(encoding));
      const holds = rows.some(({ text }) => spellings.some((spelling) => text.includes(spelling)));
      assert.ok(!holds, `${table} holds the password`);
    }
  });

  const wrong: [what: string, field: string, change: Record<string, unknown>][] = [
    ['a name of one label', 'fqdn', { fqdn: 'blog' }],
    ['an address', 'fqdn', { fqdn: '192.0.2.1' }],
    ['a name with an underscore', 'fqdn', { fqdn: 'my_blog.example.com' }],
    ['a label of 64 letters', 'fqdn', { fqdn: `${'a'.repeat(64)}.example.com` }],
    ['a name of 254 letters', 'fqdn', { fqdn: `${'a.'.repeat(125)}comm` }],
    ['a URL', 'fqdn', { fqdn: 'https://blog.example.com/' }],
    ['two labels under the site domain', 'fqdn', { fqdn: 'a.b.localhost' }],
    ['an unknown region', 'region_name', { region_name: 'atlantis' }],
    ['a template', 'template_name', { template_name: 'shop' }],
    ['a repository', 'git_url', { git_url: 'file:///etc' }],
    ['an empty user name', 'cms_username', { cms_username: '' }],
    ['a user name that WordPress would change', 'cms_username', { cms_username: 'Zoë<b>' }],
    ['a blank title', 'cms_blog_name', { cms_blog_name: ' ' }],
    ['an address that is none', 'cms_email', { cms_email: 'ada' }],
    ['an empty first name', 'cms_first_name', { cms_first_name: '' }],
    ['no password', 'cms_password', { cms_password: '' }],
    ['a password of blanks', 'cms_password', { cms_password: ' \t\r\n\v' }],
    ['a password that PHP takes for none', 'cms_password', { cms_password: '0' }],
    ['the same with blanks', 'cms_password', { cms_password: ' 0\n' }],
    ['a password of more bytes than WordPress takes', 'cms_password', { cms_password: `x${'ä'.repeat(2048)}` }],
    ['a password that slashes make too long', 'cms_password', { cms_password: "'".repeat(2049) }],
    ['a password beyond all measure', 'cms_password', { cms_password: `a${' '.repeat(500_000)}a` }],
  ];
  test('refuses each wrong field with a 422 that names it, and leaves nothing behind', async () => {
    const owner = await personOn('business');
    const before = await app.runtime.list();
    for (const [what, field, change] of wrong) {
      const body = { ...CMS, fqdn: newFqdn(), team_id: owner.teamId, ...change };
      await assert.rejects(owner.api.createSite({ body }), (error) => {
        refused(422)(error);
        const { faults } = error as { faults?: { loc: unknown[] }[] };
        assert.ok(
          faults?.some(({ loc }) => loc[1] === field),
          `${what}: ${JSON.stringify(faults)}`,
        );
        return true;
      });
    }
    assert.deepEqual(await rowsOf(owner.teamId), { sites: [], names: [] });
    assert.deepEqual(
      (await app.runtime.list()).filter((id) => !before.includes(id)),
      [],
    );
  });

  test('takes an international name in its ASCII form, and finds it under both', async () => {
    const owner = await personOn('micro');
    const unique = newFqdn().split('.')[0];
    const site = await newSite(owner, { fqdn: `Bücher-${unique}.LOCALHOST` });
    assert.match(site.fqdn, /^xn--[a-z0-9-]+\.localhost$/);
    const found = await owner.api.getSite({ params: { fqdn: `bücher-${unique}.localhost` } });
    assert.equal(found.id, site.id);
  });

  test('gives a name to the first of many who want it', async () => {
    const people = await Promise.all([personOn('micro'), personOn('micro'), personOn('micro')]);
    const fqdn = newFqdn();
    const answers = await Promise.allSettled(people.map((person) => newSite(person, { fqdn })));
    const failures = answers.filter((answer) => answer.status === 'rejected');
    assert.equal(failures.length, 2);
    for (const { reason } of failures) refused(409, 'site.name_taken')(reason);
    const sites = await app.services.db.selectFrom('sites').select('id').where('fqdn', '=', fqdn).execute();
    assert.equal(sites.length, 1);
  });

  test('stops at the plan: 402 names the limit, also for many at once', async () => {
    const owner = await registerPerson(app);
    await newSite(owner);
    await assert.rejects(newSite(owner), (error) => {
      refused(402, 'plan.sites')(error);
      assert.match((error as Error).message, /plan free has room for 1 site/);
      return true;
    });
    await assert.rejects(newSite(owner, { is_free: true }), refused(402, 'plan.sites'));

    await putOnPlan(app, owner.teamId, 'micro');
    const answers = await Promise.allSettled(Array.from({ length: 5 }, () => newSite(owner)));
    assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 2);
    for (const answer of answers) if (answer.status === 'rejected') refused(402, 'plan.sites')(answer.reason);
    // The free slot comes on top of what the plan has, once.
    await newSite(owner, { is_free: true });
    await assert.rejects(newSite(owner, { is_free: true }), refused(402, 'plan.sites'));
    assert.equal((await rowsOf(owner.teamId)).sites.length, 4);
  });

  test('is not for teams that are out of storage, suspended or unpaid', async () => {
    const owner = await personOn('micro');
    const { db } = app.services;
    const set = (change: object) => db.updateTable('teams').set(change).where('id', '=', owner.teamId).execute();
    await set({ storage_usage: 10_000_000_000 });
    await assert.rejects(newSite(owner), refused(402, 'plan.storage'));
    await set({ storage_usage: 0, is_active: false });
    await assert.rejects(newSite(owner), refused(403, 'team.suspended'));
    await set({ is_active: true, is_expired: true });
    await assert.rejects(newSite(owner), refused(402, 'team.expired'));
    assert.deepEqual(await rowsOf(owner.teamId), { sites: [], names: [] });
  });

  test('is answered the same for a repeated key, and made once', async () => {
    const owner = await personOn('micro');
    const input = { wait: 60, idempotencyKey: 'once', body: { ...CMS, fqdn: newFqdn(), team_id: owner.teamId } };
    const first = await owner.api.createSite(input);
    const second = await owner.api.createSite(input);
    assert.equal(second.id, first.id);
    assert.equal(second.busy, null);
    await owner.api.deleteSite({ params: { fqdn: first.fqdn } });
    assert.equal((await owner.api.createSite(input)).id, first.id);
  });
});

suite('reading sites', () => {
  test('lists those of every team, newest first, or of one, and nobody sees those of others', async () => {
    const owner = await personOn('micro');
    const guest = await personOn('micro');
    await letIn(owner, guest, 'viewer');
    const [a, b] = [await newSite(owner), await newSite(guest)];
    const c = await newSite(owner);
    const ids = (page: { results: { id: string }[] }) => page.results.map(({ id }) => id);
    assert.deepEqual(ids(await guest.api.listSites()), [c.id, b.id, a.id]);
    assert.deepEqual(ids(await guest.api.listSites({ query: { size: 2, page: 2 } })), [a.id]);
    assert.deepEqual(ids(await guest.api.listSites({ query: { team_id: owner.teamId } })), [c.id, a.id]);
    assert.deepEqual(ids(await owner.api.listSites()), [c.id, a.id]);
    assert.equal((await guest.api.listSites({ query: { page: 9 } })).count, 3);
    await assert.rejects(owner.api.listSites({ query: { team_id: guest.teamId } }), refused(404, 'team.not_found'));
  });

  test('finds those with a text in their name, whatever its case, page by page and in the own teams alone', async () => {
    const owner = await personOn('micro');
    const guest = await personOn('micro');
    const stranger = await personOn('micro');
    await letIn(owner, guest, 'viewer');
    const word = newFqdn().replace('.localhost', '');
    const named = (person: typeof owner, name: string) => newSite(person, { fqdn: `${name}.localhost` });
    const a = await named(owner, `${word}-shop`);
    const b = await named(guest, `my-${word}`);
    await named(stranger, `${word}-blog`);
    const c = await newSite(owner);
    const find = async (search: string, more: { page?: number; size?: number; team_id?: string } = {}) =>
      (await guest.api.listSites({ query: { search, ...more } })).results.map(({ id }) => id);
    assert.deepEqual(await find(word), [b.id, a.id]);
    assert.deepEqual(await find(`${word.toUpperCase()}-SH`), [a.id]);
    assert.deepEqual(await find(word, { team_id: owner.teamId }), [a.id]);
    assert.deepEqual(await find(word, { size: 1, page: 2 }), [a.id]);
    const first = await guest.api.listSites({ query: { search: word, size: 1 } });
    assert.deepEqual([first.count, new URL(first.next as string).searchParams.get('search')], [2, word]);
    assert.deepEqual(await find(c.fqdn), [c.id]);
    // What means something in a pattern is nothing but a character here.
    for (const nothing of ['%', '_', '\\', `${word}%`, '🙂']) assert.deepEqual(await find(nothing), [], nothing);
    await assert.rejects(find(word, { team_id: stranger.teamId }), refused(404, 'team.not_found'));
    await assert.rejects(find('x'.repeat(254)), refused(422));
  });

  test('shows secrets to members and writers alone', async () => {
    const owner = await personOn('micro');
    const [viewer, member] = [await registerPerson(app), await registerPerson(app)];
    await letIn(owner, viewer, 'viewer');
    await letIn(owner, member, 'member');
    const { fqdn } = await newSite(owner);
    const read = async (person: Pick<Person, 'api'>) => {
      const one = await person.api.getSite({ params: { fqdn } });
      const listed = (await person.api.listSites()).results.find((site) => site.fqdn === fqdn);
      assert.equal(listed?.http_auth_password, one.http_auth_password);
      return [one.http_auth_password, one.code_server_password, one.dkim_key].map((secret) => !secret);
    };
    assert.deepEqual(await read(owner), [false, false, false]);
    assert.deepEqual(await read(member), [false, false, false]);
    assert.deepEqual(await read(viewer), [true, true, true]);
    const { token } = await owner.api.createApiToken({ body: { name: 'reader', scopes: ['read'] } });
    assert.deepEqual(await read({ api: createClient({ baseUrl: app.url, token: token as string }) }), [
      true,
      true,
      true,
    ]);
  });

  test('gives usage in equal steps, with zeros between', async () => {
    const owner = await personOn('micro');
    const site = await newSite(owner);
    const insert = (hour: string, visits: number) =>
      app.services.db
        .insertInto('site_usage')
        .values({ site_id: site.id, hour: new Date(hour), visits })
        .execute();
    await insert('2026-03-01T10:00:00Z', 3);
    await insert('2026-03-01T12:00:00Z', 4);
    await insert('2026-03-02T00:00:00Z', 5);
    const params = { fqdn: site.fqdn };
    const range = { from: '2026-03-01T10:30:00Z', to: '2026-03-01T13:00:00Z' };
    const hours = await owner.api.getSiteUsage({ params, query: range });
    assert.deepEqual(
      hours.points.map(({ at, visits }) => [at, visits]),
      [
        ['2026-03-01T10:00:00.000Z', 3],
        ['2026-03-01T11:00:00.000Z', 0],
        ['2026-03-01T12:00:00.000Z', 4],
      ],
    );
    const days = await owner.api.getSiteUsage({
      params,
      query: { from: '2026-03-01T00:00:00Z', to: '2026-03-02T01:00:00Z', step: 'day' },
    });
    assert.deepEqual(
      days.points.map(({ visits }) => visits),
      [7, 5],
    );
    const tooLong = { from: '2025-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z' };
    await assert.rejects(owner.api.getSiteUsage({ params, query: tooLong }), refused(422));
    await assert.rejects(owner.api.getSiteUsage({ params, query: { from: range.to, to: range.from } }), refused(422));
    assert.equal((await owner.api.getSiteUsage({ params })).points.length, 48);
  });

  test('makes a link into wp-admin for members, and not for a suspended team', async () => {
    const owner = await personOn('micro');
    const viewer = await registerPerson(app);
    await letIn(owner, viewer, 'viewer');
    const { fqdn, properties } = await newSite(owner);
    const { url, expires_at } = await owner.api.createSiteLogin({ params: { fqdn } });
    assert.ok(url.startsWith(`${properties.url}/wp-login.php?`));
    assert.ok(Date.parse(String(expires_at)) > Date.now());
    await assert.rejects(viewer.api.createSiteLogin({ params: { fqdn } }), refused(403));
    const operator = await signInAs(app, OPERATOR.email, OPERATOR.password);
    await operator.api.suspendTeam({ params: { team_id: owner.teamId }, body: { is_active: false } });
    await assert.rejects(owner.api.createSiteLogin({ params: { fqdn } }), refused(403, 'team.suspended'));
    await assert.rejects(
      owner.api.moveSite({ params: { fqdn }, body: { database: 'sqlite' } }),
      refused(403, 'team.suspended'),
    );
  });
});
