import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { specOf } from '#features/instance/instance.ts';
import { signRequest } from '#runtimes/wordpress/access.ts';
import type { Client, Site } from '#sdk';
import { letIn, type Person, registerPerson } from '#testkit/app/people.ts';
import { holdSite, newSite } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually, refused } from '#testkit/expect.ts';

/** The proxies to a site that is hosted here: a real WordPress, reached with the platform's signature. */
let app: TestApp;
let owner: Person;
let viewer: Person;
let site: Site;
before(async () => {
  app = await startTestApp({ runtime: 'php' });
  [owner, viewer] = [await registerPerson(app, 'Owner'), await registerPerson(app, 'Viewer')];
  await letIn(owner, viewer, 'viewer');
  site = await newSite(owner);
});
after(() => app?.close());

const cms = (more: Partial<Parameters<Client['cmsProxy']>[0]['body']>, person = owner) =>
  person.api.cmsProxy({ body: { fqdn: site.fqdn, ...more } });
const posts = '/wp-json/wp/v2/posts';

async function xmlRpc(method: string, params: string[], person = owner): Promise<string> {
  const values = params.map((value) => `<param><value>${value}</value></param>`).join('');
  const call = `<?xml version="1.0"?><methodCall><methodName>${method}</methodName><params>${values}</params></methodCall>`;
  const body = new Blob([call], { type: 'text/xml' });
  return (await person.api.callXmlRpc({ params: { fqdn: site.fqdn }, body })).text();
}

const text = (value: string) => `<string>${value}</string>`;
const number = (value: number) => `<int>${value}</int>`;
const struct = (members: Record<string, string>) =>
  `<struct>${Object.entries(members)
    .map(([name, value]) => `<member><name>${name}</name><value>${text(value)}</value></member>`)
    .join('')}</struct>`;

test('a post is made, read and deleted through the JSON API, and the next visitor sees what changed', async () => {
  const made = await cms({
    path: posts,
    method: 'post',
    body_json: JSON.stringify({ title: 'Through the proxy', content: 'Hello', status: 'publish' }),
  });
  assert.equal(made.status_code, 201, JSON.stringify(made.body));
  const { id, link } = made.body as { id: number; link: string };
  const read = await cms({ path: posts, query_params_json: JSON.stringify({ include: [id] }) }, viewer);
  assert.equal((read.body as { title: { rendered: string } }[])[0]?.title.rendered, 'Through the proxy');
  const asEditor = { path: `${posts}/${id}`, query_params_json: '{"context":"edit"}' };
  await assert.rejects(cms(asEditor, viewer), refused(403));
  assert.equal(((await cms(asEditor)).body as { title: { raw: string } }).title.raw, 'Through the proxy');
  const path = new URL(link).pathname;
  assert.match((await visit(app, site.fqdn, path)).text, /Through the proxy/);
  assert.match((await visit(app, site.fqdn, '/')).text, /Through the proxy/);
  assert.ok(!Object.keys(read.headers).some((name) => name.startsWith('x-siteyard')), JSON.stringify(read.headers));
  const gone = await cms({ path: `${posts}/${id}`, method: 'delete', body_json: '{"force":true}' });
  assert.equal((gone.body as { deleted: boolean }).deleted, true);
  assert.equal((await cms({ path: `${posts}/${id}` })).status_code, 404);
  assert.equal((await visit(app, site.fqdn, path)).status, 404);
});

test('a site without paths of its own (plain permalinks) answers just as well', async () => {
  // As saving the settings does; the rules are made anew with the next request.
  const setPermalinks = async (structure: string) => {
    const database = await app.runtime.database(site.id);
    await database.query("update wp_options set option_value = ? where option_name = 'permalink_structure'", structure);
    await database.query("delete from wp_options where option_name = 'rewrite_rules'");
    database.close();
  };
  await setPermalinks('');
  assert.equal((await visit(app, site.fqdn, posts)).status, 301);
  const query_params_json = JSON.stringify({ search: 'a+b & c', per_page: 1 });
  for (const path of ['/wp-json', '/wp-json/', '/wp-json/wp/v2/', posts, `${posts}/1`])
    assert.equal((await cms({ path, query_params_json })).status_code, 200, path);
  assert.equal((await cms({ path: `${posts}/1&context=edit` })).status_code, 404);
  await setPermalinks('/%postname%/');
});

test('a post is made, read and deleted through XML-RPC, whatever name and password the call holds', async () => {
  const who = [number(1), text('nobody'), text('no password')];
  const made = await xmlRpc('wp.newPost', [
    ...who,
    struct({ post_title: 'By XML', post_content: 'Hi', post_status: 'publish' }),
  ]);
  const id = /<string>(\d+)<\/string>/.exec(made)?.[1] ?? '';
  assert.ok(id, made);
  assert.match(await xmlRpc('wp.getPost', [...who, number(Number(id))]), /By XML/);
  const read = await cms({ path: `${posts}/${id}` });
  assert.equal((read.body as { title: { rendered: string } }).title.rendered, 'By XML');
  assert.match(await xmlRpc('wp.deletePost', [...who, number(Number(id))]), /<boolean>1<\/boolean>/);
  assert.match(await xmlRpc('wp.getPost', [...who, number(999_999)]), /<name>faultCode<\/name>/);
  await assert.rejects(xmlRpc('wp.getPost', [...who, number(1)], viewer), refused(403));
});

test('a visitor gains nothing from it: not even with a signature, which the edge takes off', async () => {
  const spec = specOf(app.services, await app.services.db.selectFrom('sites').selectAll().executeTakeFirstOrThrow());
  const call = (name: string, password: string) =>
    `<?xml version="1.0"?><methodCall><methodName>wp.getUsersBlogs</methodName><params><param><value>${text(name)}</value></param><param><value>${text(password)}</value></param></params></methodCall>`;
  const body = call('ada', 'wrong');
  const signed = {
    ...signRequest(spec, { method: 'POST', path: '/xmlrpc.php', body }),
    'x-siteyard-as-administrator': '1',
  };
  for (const headers of [{}, { 'x-siteyard-as-administrator': '1' }, signed]) {
    const answer = await visit(app, site.fqdn, '/xmlrpc.php', {
      method: 'POST',
      headers: { 'content-type': 'text/xml', ...headers },
      body,
    });
    assert.match(answer.text, /<int>403<\/int>/, answer.text);
  }
  const rest = await visit(app, site.fqdn, `${posts}?context=edit`, {
    headers: {
      ...signRequest(spec, { method: 'GET', path: `${posts}?context=edit` }),
      'x-siteyard-as-administrator': '1',
    },
  });
  assert.equal(rest.status, 401);
  // Whoever knows the password still gets in with it.
  const right = await visit(app, site.fqdn, '/xmlrpc.php', {
    method: 'POST',
    headers: { 'content-type': 'text/xml' },
    body: call('ada', 'correct horse battery'),
  });
  assert.match(right.text, /isAdmin/);
});

test('a sleeping site is woken for it, and one that is busy is not disturbed', async () => {
  await owner.api.sleepSite({ params: { fqdn: site.fqdn }, wait: 60 });
  assert.equal(app.runtime.awake().length, 0);
  assert.equal((await cms({ path: posts })).status_code, 200);
  assert.equal((await owner.api.getSite({ params: { fqdn: site.fqdn } })).is_sleeping, false);
  const { db } = app.services;
  const letGo = await holdSite(app, site.id, 'restoring');
  await assert.rejects(cms({ path: posts }), refused(409, 'site.busy'));
  await letGo();
  await db.updateTable('teams').set({ is_active: false }).where('id', '=', owner.teamId).execute();
  await assert.rejects(cms({ path: posts }), refused(403, 'team.suspended'));
  await db.updateTable('teams').set({ is_active: true }).where('id', '=', owner.teamId).execute();
});

test('work that takes the site in the very moment it is woken for a call goes first', async () => {
  const { runtime } = app;
  let letGo = async () => {};
  await owner.api.sleepSite({ params: { fqdn: site.fqdn }, wait: 60 });
  const { start } = runtime;
  runtime.start = async (spec) => {
    letGo = await holdSite(app, site.id, 'restoring');
    return start.call(runtime, spec);
  };
  try {
    const body_json = JSON.stringify({ title: 'Too late', status: 'publish' });
    await assert.rejects(cms({ path: posts, method: 'post', body_json }), refused(409, 'site.busy'));
    await eventually(async () => runtime.awake().length === 0);
  } finally {
    runtime.start = start;
    await letGo();
  }
  const found = await cms({ path: posts, query_params_json: '{"search":"Too late"}' });
  assert.deepEqual(found.body, []);
});

test('whoever names the team of a site as well means the same site', async () => {
  assert.equal((await cms({ path: posts, team_id: owner.teamId })).status_code, 200);
  const body = new Blob(['<methodCall><methodName>system.listMethods</methodName></methodCall>'], { type: 'text/xml' });
  const params = { fqdn: site.fqdn };
  const answer = await owner.api.callXmlRpc({ params, query: { team_id: owner.teamId }, body });
  assert.match(await answer.text(), /wp\.newPost/);
  // Of another team it would be a stored password, and there is none.
  const other = cms({ path: posts, team_id: viewer.teamId });
  await assert.rejects(other, refused(404, 'application_password.not_found'));
});

test('a site of somebody else is not there, and neither is a way around its JSON API', async () => {
  const stranger = await registerPerson(app, 'Stranger');
  await assert.rejects(cms({ path: posts }, stranger), refused(404, 'application_password.not_found'));
  await assert.rejects(xmlRpc('system.listMethods', [], stranger), refused(404, 'application_password.not_found'));
  for (const path of ['/wp-admin/admin-ajax.php', '/wp-login.php', '/wp-cron.php', '/xmlrpc.php'])
    await assert.rejects(cms({ path }), refused(422), path);
});

test('whoever has not confirmed their address reaches their own site here, and no host elsewhere', async () => {
  const unconfirmed = await registerPerson(app, 'Unconfirmed', { verified: false });
  const { fqdn } = await newSite(unconfirmed);
  assert.equal((await unconfirmed.api.cmsProxy({ body: { fqdn, path: posts } })).status_code, 200);
  const body = new Blob(['<?xml version="1.0"?><methodCall><methodName>demo.sayHello</methodName></methodCall>'], {
    type: 'text/xml',
  });
  assert.match(await (await unconfirmed.api.callXmlRpc({ params: { fqdn }, body })).text(), /Hello!/);

  const { db, secrets } = app.services;
  const elsewhere = 'blog.example.org';
  const stored = { fqdn: elsewhere, username: 'ada', password_sealed: secrets.seal(Buffer.from('secret')) };
  const { teamId: team_id, userId: user_id } = unconfirmed;
  await db
    .insertInto('application_passwords')
    .values({ team_id, user_id, ...stored })
    .execute();
  const closed = refused(403, 'auth.unverified');
  await assert.rejects(unconfirmed.api.cmsProxy({ body: { fqdn: elsewhere, path: posts } }), closed);
  await assert.rejects(unconfirmed.api.callXmlRpc({ params: { fqdn: elsewhere }, body }), closed);
});
