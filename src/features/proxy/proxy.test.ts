import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { type Client, createClient } from '#sdk';
import { letIn, type Person, registerPerson } from '#testkit/app/people.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { eventually, refused } from '#testkit/expect.ts';
import { startTrickyNames, type TrickyNames } from '#testkit/servers/changing-dns-server.ts';
import { type GivenAnswer, type SeenRequest, startUpstream, type Upstream } from '#testkit/servers/upstream.ts';

type CmsProxyBody = Parameters<Client['cmsProxy']>[0]['body'];

/** Requests that are passed on to servers elsewhere: each is a small one on loopback that speaks the vendor's protocol. */
const PASSWORD = 'abcd efgh "ijkl" mnop';
const BASIC = `Basic ${Buffer.from(`ada:${PASSWORD}`).toString('base64')}`;
const SHOP_TOKEN = 'shpat_0123456789abcdef';
const ANALYTICS_TOKEN = 'plausible-token-0123456789';

let app: TestApp;
let names: TrickyNames;
let wordpress: Upstream;
let shop: Upstream;
let plausible: Upstream;
let other: Upstream;
let owner: Person;
let viewer: Person;
let host: string;
/** The sites that Plausible has. */
const listed: string[] = [];
/** Until this is resolved, a slow answer takes. */
const slow = Promise.withResolvers<void>();

before(async () => {
  names = await startTrickyNames((name, type) => {
    if (type !== 'A' || !name.endsWith('.example.com')) return [];
    return name.startsWith('mixed.') ? ['127.0.0.1', '203.0.114.7'] : ['127.0.0.1'];
  });
  other = await startUpstream(({ headers }) => ({ body: { authorization: headers.authorization ?? null } }));
  wordpress = await startUpstream(answerAsWordPress);
  shop = await startUpstream(answerAsShop);
  plausible = await startUpstream(answerAsPlausible);
  app = await startTestApp({
    env: {
      OUTBOUND_ALLOW: '127.0.0.0/8',
      DNS_SERVERS: names.address,
      STOREFRONT_DOMAIN: `shops.example.com:${shop.port}`,
      ANALYTICS_URL: `http://127.0.0.1:${plausible.port}/`,
      ANALYTICS_TOKEN,
    },
  });
  owner = await registerPerson(app, 'Owner');
  viewer = await registerPerson(app, 'Viewer');
  await letIn(owner, viewer, 'viewer');
  host = `blog.example.com:${wordpress.port}`;
  await store(host, PASSWORD);
  await store(`acme.shops.example.com:${shop.port}`, SHOP_TOKEN);
});
after(async () => {
  await app?.close();
  await Promise.all([names, wordpress, shop, plausible, other].map((each) => each?.close()));
});

const store = (fqdn: string, password: string) =>
  owner.api.createApplicationPassword({ body: { fqdn, username: 'ada', password, team_id: owner.teamId } });
const cms = (more: Partial<CmsProxyBody>, person = owner) => person.api.cmsProxy({ body: { fqdn: host, ...more } });

async function answerAsWordPress({ method, url, headers, body }: SeenRequest): Promise<GivenAnswer | undefined> {
  if (url.pathname === '/wp-json/slow') await slow.promise;
  const { pathname } = url;
  if (pathname === '/wp-json/moved') return { status: 301, headers: { location: '/wp-json/wp/v2/posts' } };
  if (pathname === '/wp-json/away')
    return { status: 302, headers: { location: `http://other.example.com:${other.port}/wp-json/` } };
  if (pathname === '/wp-json/loop') return { status: 302, headers: { location: '/wp-json/loop' } };
  if (headers.authorization !== BASIC)
    return { status: 401, body: { code: 'rest_not_logged_in', message: 'You are not currently logged in.' } };
  if (pathname === '/xmlrpc.php') {
    const text = /<string>(.*)<\/string>/.exec(body)?.[1] ?? '';
    const answer = `<?xml version="1.0"?><methodResponse><params><param><value><string>${text}</string></value></param></params></methodResponse>`;
    return { headers: { 'content-type': 'text/xml; charset=UTF-8' }, body: answer };
  }
  if (pathname === '/wp-json/echo')
    return {
      headers: {
        'content-type': 'application/json',
        'set-cookie': ['a=1'],
        connection: 'x-secret-hop',
        'x-secret-hop': '1',
        'x-wp-total': '3',
        'x-echo': String(headers.authorization),
      },
      body: JSON.stringify({ headers, password: PASSWORD, method, query: url.search }),
    };
  if (pathname === '/wp-json/picture')
    return { headers: { 'content-type': 'image/png' }, body: Buffer.from([0x89, 0x50, 0xff]) };
  if (pathname === '/wp-json/big') return { body: 'x'.repeat(10 * 1024 * 1024 + 1) };
  if (pathname === '/wp-json/failing') return { status: 500, body: { code: 'internal' } };
  if (pathname.startsWith('/wp-json/wp/v2/posts'))
    return { status: method === 'POST' ? 201 : 200, body: [{ id: 7, body }] };
  return undefined;
}

function answerAsShop({ method, headers, url }: SeenRequest): GivenAnswer | undefined {
  if (headers['x-shopify-access-token'] !== SHOP_TOKEN)
    return {
      status: 401,
      body: { errors: '[API] Invalid API key or access token (unrecognized login or wrong password)' },
    };
  if (url.pathname === '/admin/api/2024-04/away.json')
    return { status: 302, headers: { location: `http://other.example.com:${other.port}/admin/api/` } };
  if (url.pathname === '/admin/api/2024-04/products.json')
    return method === 'POST'
      ? { status: 201, body: { product: { id: 1 } } }
      : { body: { products: [], echo: SHOP_TOKEN } };
  return { status: 404, body: { errors: 'Not Found' } };
}

function answerAsPlausible({ headers, url, body }: SeenRequest): GivenAnswer | undefined {
  if (headers.authorization !== `Bearer ${ANALYTICS_TOKEN}`)
    return { status: 401, body: { error: 'Invalid API key. Please make sure you are using a valid API key.' } };
  if (url.pathname === '/api/v1/stats/aggregate') return { body: { results: { visitors: { value: 123 } } } };
  if (url.pathname === '/api/v2/query') return { body: { results: [], query: JSON.parse(body) } };
  // As Plausible does with a key of its own team: whatever team_id says, everything is listed.
  if (url.pathname === '/api/v1/sites') return { body: { sites: listed.map((domain) => ({ domain })), meta: {} } };
  if (url.pathname.startsWith('/api/v1/sites')) return { body: { domain: 'somebody.example.com' } };
  return undefined;
}

test('a request goes out with the stored password, and its answer comes back as what it is', async () => {
  const read = await cms({
    path: '/wp-json/wp/v2/posts',
    query_params_json: '{"per_page":5,"include":[1,2],"sticky":true,"x":null}',
  });
  assert.equal(read.status_code, 200);
  assert.deepEqual(read.body, [{ id: 7, body: '' }]);
  const seen = wordpress.seen.at(-1) as SeenRequest;
  assert.equal(decodeURIComponent(seen.url.search), '?per_page=5&include[]=1&include[]=2&sticky=true');
  assert.equal(seen.method, 'GET');
  const written = await cms({ path: '/wp-json/wp/v2/posts', method: 'post', body_json: '{"title":"Ä"}' });
  assert.deepEqual([written.status_code, written.body], [201, [{ id: 7, body: '{"title":"Ä"}' }]]);
  assert.equal(wordpress.seen.at(-1)?.headers['content-type'], 'application/json');
  const { body, body_encoding } = await cms({ path: '/wp-json/picture' });
  assert.deepEqual([body, body_encoding], ['iVD/', 'base64']);
  const head = await cms({ path: '/wp-json/picture', method: 'head' });
  assert.deepEqual([head.body, head.body_encoding], [null, 'empty']);
  assert.equal((await cms({ path: '/wp-json/failing' })).status_code, 500);
});

test('an answer carries no cookie, nothing of the connection, and no credential, even where the other side repeats it', async () => {
  const answer = await cms({ path: '/wp-json/echo' });
  assert.equal((answer.headers as Record<string, string>)['x-wp-total'], '3');
  for (const name of ['set-cookie', 'connection', 'x-secret-hop', 'content-length', 'transfer-encoding'])
    assert.ok(!(name in answer.headers), name);
  const text = JSON.stringify(answer);
  for (const secret of [
    PASSWORD,
    JSON.stringify(PASSWORD).slice(1, -1),
    BASIC.slice(6),
    JSON.stringify(JSON.stringify(PASSWORD)).slice(2, -2),
  ])
    assert.ok(!text.includes(secret), secret);
  await cms({ path: '/wp-json/echo' });
  const sent = wordpress.seen.at(-1)?.headers ?? {};
  // Nothing of the caller's own request travels along.
  assert.deepEqual(Object.keys(sent).sort(), [
    'accept',
    'accept-encoding',
    'authorization',
    'connection',
    'host',
    'user-agent',
  ]);
});

test('a write with an Idempotency-Key goes out once, however often and however concurrently it is asked for', async () => {
  const sent = wordpress.seen.length;
  const headers = { authorization: `Bearer ${owner.token}`, 'idempotency-key': crypto.randomUUID() };
  const post = JSON.stringify({ fqdn: host, path: '/wp-json/wp/v2/posts', method: 'post', body_json: '{}' });
  const write = () =>
    fetch(`${app.api}/cms-proxy`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: post,
    });
  const answers = await Promise.all([write(), write(), write()]);
  // Whoever comes too early is told so, whoever comes late gets the answer of the first.
  for (const { status } of answers) assert.ok(status === 200 || status === 409, String(status));
  assert.equal((await write()).headers.get('idempotent-replayed'), 'true');
  assert.equal(wordpress.seen.length, sent + 1);

  headers['idempotency-key'] = crypto.randomUUID();
  const call = () =>
    fetch(`${app.api}/xmlrpc/${host}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'text/xml' },
      body: '<methodCall><string>once</string></methodCall>',
    });
  const [first, again] = [await call(), await call()];
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  for (const answer of [first, again]) {
    assert.equal(answer.headers.get('content-type'), 'text/xml; charset=utf-8');
    assert.match(answer.headers.get('content-security-policy') ?? '', /sandbox/);
  }
  const [text, repeated] = [await first.text(), await again.text()];
  assert.match(text, /<string>once<\/string>/);
  assert.equal(repeated, text);
  assert.equal(wordpress.seen.length, sent + 2);
});

test('a read follows redirects, with the password to the same host and without it to any other; a write follows none', async () => {
  assert.equal((await cms({ path: '/wp-json/moved' })).status_code, 200);
  const away = await cms({ path: '/wp-json/away' });
  assert.deepEqual(away.body, { authorization: null });
  const shopAway = await owner.api.storefrontProxy({
    body: { shop_name: 'acme', path: '/admin/api/2024-04/away.json' },
  });
  assert.equal(shopAway.status_code, 200);
  assert.equal(other.seen.at(-1)?.headers['x-shopify-access-token'], undefined);
  assert.equal((await cms({ path: '/wp-json/moved', method: 'post' })).status_code, 301);
  await assert.rejects(cms({ path: '/wp-json/loop' }), refused(502, 'proxy.redirects'));
});

test('what the other side does wrong is told in a sentence with nothing secret in it', async () => {
  const dead = await startUpstream(() => undefined);
  await dead.close();
  const failures: [Partial<CmsProxyBody>, number, string][] = [
    [{ path: '/wp-json/big' }, 502, 'proxy.answer_too_large'],
    [{ fqdn: `dead.example.com:${dead.port}` }, 502, 'proxy.unreachable'],
    [{ fqdn: 'nowhere.invalid' }, 502, 'proxy.unreachable'],
  ];
  await store(`dead.example.com:${dead.port}`, PASSWORD);
  await store('nowhere.invalid', PASSWORD);
  for (const [request, status, code] of failures)
    await assert.rejects(cms(request), (error: Error) => {
      refused(status, code)(error);
      assert.ok(!JSON.stringify(error).includes('abcd') && !error.message.includes('127.0.0.1'), error.message);
      return true;
    });
  await assert.rejects(cms({ fqdn: 'unknown.example.com' }), refused(404, 'application_password.not_found'));
});

test('a host with a public address among its addresses is never spoken to in the clear', async () => {
  const heard: Buffer[] = [];
  const listener = createServer((socket) =>
    socket.on('error', () => {}).once('data', (data) => heard.push(data) && socket.destroy()),
  );
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const mixed = `mixed.example.com:${(listener.address() as { port: number }).port}`;
  await store(mixed, PASSWORD);
  await assert.rejects(cms({ fqdn: mixed }), refused(502, 'proxy.unreachable'));
  listener.close();
  // The first byte of a TLS handshake.
  assert.deepEqual(
    heard.map((data) => data[0]),
    [0x16],
  );
});

test('viewers, and tokens that do not write, read public content of WordPress and nothing else', async () => {
  const posts = '/wp-json/wp/v2/posts';
  const beyond: Partial<CmsProxyBody>[] = [
    { path: posts, method: 'post' },
    { path: '/wp-json/batch/v1' },
    { path: '/wp-json/echo' },
    { path: '/wp-json/echo', method: 'options' },
    { path: '/wp-json/wp/v2/settings' },
    { path: '/wp-json/wp/v2/plugins' },
    { path: '/wp-json/wp/v2/users', query_params_json: '{"context":"edit"}' },
    { path: posts, query_params_json: '{"context":"edit"}' },
  ];
  await cms({ path: posts }, viewer);
  const sent = wordpress.seen.length;
  for (const request of beyond) await assert.rejects(cms(request, viewer), refused(403), JSON.stringify(request));
  for (const scope of ['read', 'plan'] as const) {
    const { token } = await owner.api.createApiToken({ body: { name: scope, scopes: [scope] } });
    const narrow = { ...owner, api: createClient({ baseUrl: app.url, token }) };
    for (const request of beyond)
      await assert.rejects(cms(request, narrow), refused(403, 'auth.insufficient_scope'), JSON.stringify(request));
  }
  assert.equal(wordpress.seen.length, sent, 'what is refused is not sent');
  const { token } = await owner.api.createApiToken({ body: { name: 'Reader', scopes: ['read'] } });
  const reader = { ...owner, api: createClient({ baseUrl: app.url, token }) };
  assert.equal((await cms({ path: posts }, reader)).status_code, 200);
  assert.equal((await cms({ path: '/wp-json/echo' })).status_code, 200);
});

test('a path stays on the host and below its root', async () => {
  const sent = wordpress.seen.length;
  for (const path of ['/wp-json/%252e%252e/x', '/wp-admin/admin-ajax.php'])
    await assert.rejects(cms({ path }), (error: { faults?: { loc: unknown[] }[] }) => {
      refused(422)(error);
      assert.deepEqual(error.faults?.[0]?.loc, ['body', 'path'], path);
      return true;
    });
  assert.equal(wordpress.seen.length, sent);
  const body = { shop_name: 'acme', path: '/admin/products.json' };
  await assert.rejects(owner.api.storefrontProxy({ body }), refused(422));
});

test('nothing but method and path says what is done', async () => {
  await assert.rejects(cms({ query_params_json: '{"_method":"DELETE"}' }), refused(422));
  await assert.rejects(cms({ method: 'post', body_json: '{"_method":"DELETE"}' }), refused(422));
  await assert.rejects(cms({ method: 'trace' as 'get' }), refused(422));
  const noisy = await fetch(`${app.api}/cms-proxy`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${owner.token}`,
      'content-type': 'application/json',
      'x-http-method-override': 'DELETE',
    },
    body: JSON.stringify({ fqdn: host, path: '/wp-json/echo' }),
  });
  const { body } = (await noisy.json()) as { body: { headers: object; method: string } };
  assert.equal(body.method, 'GET');
  assert.ok(!('x-http-method-override' in body.headers));
});

test('a keyed write goes out once, however often it is sent and while it takes', async () => {
  const sent = () => wordpress.seen.filter(({ url }) => url.pathname === '/wp-json/slow').length;
  const body = { fqdn: host, path: '/wp-json/slow', method: 'post' as const };
  const send = () => owner.api.cmsProxy({ body, idempotencyKey: 'once' });
  const first = send();
  await eventually(async () => sent() === 1);
  await assert.rejects(send(), refused(409, 'idempotency.in_progress'));
  slow.resolve();
  assert.deepEqual(await first, await send());
  assert.equal(sent(), 1);
  await assert.rejects(owner.api.cmsProxy({ body: { ...body, method: 'put' }, idempotencyKey: 'once' }), refused(422));
});

test('a shop is reached with its own token, below /admin/api alone, and its name is one label', async () => {
  const products = await owner.api.storefrontProxy({
    body: { shop_name: 'acme', path: '/admin/api/2024-04/products.json' },
  });
  assert.deepEqual([products.status_code, products.body], [200, { products: [], echo: '[cut]' }]);
  assert.equal(shop.seen.at(-1)?.headers.host, `acme.shops.example.com:${shop.port}`);
  const made = await owner.api.storefrontProxy({
    body: {
      shop_name: 'acme',
      method: 'post',
      path: '/admin/api/2024-04/products.json',
      body_json: '{"product":{"title":"Tea"}}',
    },
  });
  assert.equal(made.status_code, 201);
  assert.equal((await owner.api.storefrontProxy({ body: { shop_name: 'acme' } })).status_code, 404);
  await assert.rejects(owner.api.storefrontProxy({ body: { shop_name: 'acme.evil.example/' } }), refused(422));
  await assert.rejects(
    owner.api.storefrontProxy({ body: { shop_name: 'other' } }),
    refused(404, 'application_password.not_found'),
  );
  await assert.rejects(viewer.api.storefrontProxy({ body: { shop_name: 'acme', method: 'post' } }), refused(403));
});

test('figures are those of sites of the caller, however the site is named', async () => {
  const [mine, theirs] = [await siteOf(owner), await siteOf(await registerPerson(app, 'Stranger'))];
  const ask = (
    path: string,
    query: unknown,
    more: { method?: 'post' | 'put' | 'delete'; body?: unknown } = {},
    person = owner,
  ) =>
    person.api.analyticsProxy({
      body: {
        path,
        query_params_json: JSON.stringify(query),
        ...(more.method && { method: more.method }),
        ...(more.body !== undefined && { body_json: JSON.stringify(more.body) }),
      },
    });
  const stats = '/api/v1/stats/aggregate';
  assert.deepEqual((await ask(stats, { site_id: mine, period: '7d' }, {}, viewer)).body, {
    results: { visitors: { value: 123 } },
  });
  const answer = await ask('/api/v2/query', {}, { method: 'post', body: { site_id: mine, metrics: ['visitors'] } });
  assert.equal(answer.status_code, 200);
  assert.equal((await ask(`/api/v1/sites/${mine}`, {})).status_code, 200);
  const sent = plausible.seen.length;
  const foreign: Parameters<typeof ask>[] = [
    [stats, { site_id: theirs }],
    [stats, { site_id: 'nobody.example.com' }],
    ['/api/v2/query', { site_id: mine }, { method: 'post', body: { site_id: theirs } }],
    [`/api/v1/sites/${theirs}`, { site_id: mine }],
  ];
  for (const request of foreign)
    await assert.rejects(ask(...request), refused(404, 'site.not_found'), JSON.stringify(request));
  await assert.rejects(ask('/api/v1/sites', { site_id: mine }), refused(422));
  await assert.rejects(ask(`/api/v1/sites/${mine}`, {}, { method: 'delete' }, viewer), refused(403));
  assert.equal(plausible.seen.length, sent);
});

test('the ids that a view shows are those that a request may name, and nobody else may', async () => {
  const [sly, guest] = [await registerPerson(app, 'Team'), await registerPerson(app, 'Other')];
  const [mine, theirs] = [await siteOf(sly), await siteOf(guest)];
  listed.push(mine, theirs, 'nobody.example.com');
  const ids = async ({ api, teamId }: Person) => ({
    team_id: (await api.getTeam({ params: { team_id: teamId } })).analytics_team_id as string,
    email: (await api.getMe()).analytics_user_id as string,
  });
  const [own, others] = [await ids(sly), await ids(guest)];
  const ask = (method: 'get' | 'put' | 'post', path: string, query: object, body?: object) =>
    sly.api.analyticsProxy({
      body: {
        method,
        path,
        query_params_json: JSON.stringify(query),
        ...(body && { body_json: JSON.stringify(body) }),
      },
    });
  const list = await ask('get', '/api/v1/sites', { team_id: own.team_id });
  assert.deepEqual(list.body, { sites: [{ domain: mine }], meta: {} });
  const add = '/api/v1/sites/guests';
  const guestOf = (email: string) => ({ site_id: mine, email, role: 'viewer' });
  assert.equal((await ask('put', add, {}, guestOf(own.email))).status_code, 200);
  assert.equal((await ask('post', '/api/v1/sites', {}, { domain: mine, team_id: own.team_id })).status_code, 200);

  const sent = plausible.seen.length;
  await assert.rejects(ask('get', '/api/v1/sites', others), refused(404, 'team.not_found'));
  const foreign = { domain: mine, team_id: others.team_id };
  await assert.rejects(ask('post', '/api/v1/sites', {}, foreign), refused(404, 'team.not_found'));
  await assert.rejects(ask('put', add, {}, guestOf(others.email)), refused(403));
  await assert.rejects(ask('put', add, { email: others.email }, guestOf(own.email)), refused(403));
  // A site of another team of the caller's is none of this one.
  await letIn(guest, sly, 'member');
  const mixed = { domain: theirs, team_id: own.team_id };
  await assert.rejects(ask('post', '/api/v1/sites', {}, mixed), refused(404, 'site.not_found'));
  assert.equal(plausible.seen.length, sent);
});

test('a body goes out with its length whatever the method is, so that no part of it can pass for the next request', async () => {
  const person = await registerPerson(app, 'Framed');
  const site_id = await siteOf(person);
  const body_json = JSON.stringify({ site_id });
  for (const method of ['delete', 'put', 'patch', 'post'] as const) {
    await person.api.analyticsProxy({ body: { path: '/api/v1/sites/goals/1', method, body_json } });
    const seen = plausible.seen.at(-1) as SeenRequest;
    assert.deepEqual([seen.method.toLowerCase(), seen.body], [method, body_json]);
    assert.equal(seen.headers['content-length'], String(body_json.length));
  }
});

test('a name that stands twice in a body goes out once, with the value that was checked', async () => {
  const mine = await siteOf(await registerPerson(app, 'Twice'));
  const person = await registerPerson(app, 'Sly');
  const own = await siteOf(person);
  // Plausible's reader of JSON (Jason) takes the first of two, and ours the last.
  await person.api.analyticsProxy({
    body: {
      path: '/api/v2/query',
      method: 'post',
      body_json: `{"site_id":"${mine}", "site_id":"${own}", "limit":12345678901234567890}`,
    },
  });
  assert.equal(plausible.seen.at(-1)?.body, `{"site_id":"${own}","limit":12345678901234567890}`);
});

test('without an analytics server the answer says so and nobody has an id; with one, everybody has', async () => {
  const bare = await startTestApp();
  try {
    const person = await registerPerson(bare, 'Bare');
    const site_id = await siteOf(person, bare);
    const body = { path: '/api/v1/stats/aggregate', query_params_json: JSON.stringify({ site_id }) };
    await assert.rejects(person.api.analyticsProxy({ body }), refused(503, 'analytics.not_configured'));
    const team = () => person.api.getTeam({ params: { team_id: person.teamId } });
    const { analytics_team_id, user } = await team();
    assert.deepEqual([analytics_team_id, user.analytics_user_id], [null, null]);
    // A start with a server gives everybody who is there their ids, and whoever comes later.
    const env = { ANALYTICS_URL: `http://127.0.0.1:${plausible.port}`, ANALYTICS_TOKEN, ROLE: 'api' };
    await (await startTestApp({ databaseUrl: bare.databaseUrl, env })).close();
    const later = await registerPerson(bare, 'Later');
    const given = [await team(), await later.api.getTeam({ params: { team_id: later.teamId } })];
    assert.deepEqual(
      given.map((each) => [each.analytics_team_id, each.user.analytics_user_id]),
      [person, later].map(({ teamId, email }) => [teamId, email]),
    );
  } finally {
    await bare.close();
  }
});

test('an XML-RPC call goes out as XML with the stored name and password in their places, and only XML comes back', async () => {
  const call = (body: string, type = 'text/xml', person = owner, fqdn = host) =>
    fetch(`${app.api}/xmlrpc/${fqdn}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${person.token}`, 'content-type': type },
      body,
    });
  const xml = (text: string) =>
    `<methodCall><methodName>x</methodName><params><string>${text}</string></params></methodCall>`;
  for (const type of ['text/xml', 'application/xml; charset=utf-8']) {
    const answer = await call(xml('hello'), type);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'text/xml; charset=utf-8');
    assert.match(await answer.text(), /<string>hello<\/string>/);
  }
  const filled = await call(xml('{{username}} {{password}}'));
  assert.match(wordpress.seen.at(-1)?.body ?? '', /<string>ada abcd efgh "ijkl" mnop<\/string>/);
  assert.match(await filled.text(), /<string>ada \[cut\]<\/string>/);
  assert.equal((await call('{}', 'application/json')).status, 422);
  assert.equal((await call('')).status, 422);
  assert.equal((await call(xml(''), 'text/xml', viewer)).status, 403);
  assert.equal((await call(xml(''), 'text/xml', owner, 'unknown.example.com')).status, 404);
  await store(`other.example.com:${other.port}`, PASSWORD);
  const notXml = await call(xml(''), 'text/xml', owner, `other.example.com:${other.port}`);
  assert.equal(notXml.status, 502);
  assert.equal(((await notXml.json()) as { code: string }).code, 'proxy.no_xml');
});

/** A site that is only a row: figures of it are elsewhere. */
async function siteOf(person: Person, { services }: TestApp = app): Promise<string> {
  const fqdn = `figures-${person.userId.slice(0, 8)}.example.com`;
  const region = await services.db.selectFrom('regions').select('id').executeTakeFirstOrThrow();
  const sealed = services.secrets.seal(Buffer.from('x'));
  const { id } = await services.db
    .insertInto('sites')
    .values({
      team_id: person.teamId,
      user_id: person.userId,
      fqdn,
      ...services.config.newSites,
      region_id: region.id,
      domain_option: 'custom',
      is_testing: false,
      http_auth_password_sealed: sealed,
      code_server_password_sealed: sealed,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await services.db.insertInto('site_names').values({ fqdn, site_id: id }).execute();
  return fqdn;
}
