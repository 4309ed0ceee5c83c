import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { idsNamedIn } from '#integrations/analytics/plausible.ts';
import { type Client, createClient } from '#sdk';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { eventually, refused } from '../../../test/expect.ts';
import { letIn, type Person, registerPerson } from '../../../test/people.ts';
import { startTrickyNames, type TrickyNames } from '../../../test/tricky-names.ts';
import { type GivenAnswer, type SeenRequest, startUpstream, type Upstream } from '../../../test/upstream.ts';

type CmsProxyBody = Parameters<Client['cmsProxy']>[0]['body'];

/** Requests that are passed on to servers elsewhere: each is a small one on loopback that speaks the vendor's protocol. */
const PASSWORD = 'abcd efgh "ijkl" mnop';
const BASIC = `Basic ${Buffer.from(`ada:${PASSWORD}`).toString('base64')}`;
const SLASHED = 'with/slashes/and/ä';
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
  if (headers.authorization !== BASIC && pathname !== '/wp-json/php')
    return { status: 401, body: { code: 'rest_not_logged_in', message: 'You are not currently logged in.' } };
  if (pathname === '/xmlrpc.php') {
    const text = /<string>(.*)<\/string>/.exec(body)?.[1] ?? '';
    const echo = text.startsWith('QUOTED') ? text.replaceAll('"', '&quot;') : text;
    const answer = `<?xml version="1.0"?><methodResponse><params><param><value><string>${echo}</string></value></param></params></methodResponse>`;
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
  // PHP writes slashes with a backslash before them, and whatever is not ASCII as a number.
  if (pathname === '/wp-json/php')
    return {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ password: SLASHED }).replaceAll('/', '\\/').replaceAll('ä', '\\u00e4'),
    };
  if (pathname === '/wp-json/picture')
    return { headers: { 'content-type': 'image/png' }, body: Buffer.from([0x89, 0x50, 0xff]) };
  if (pathname === '/wp-json/text') return { headers: { 'content-type': 'text/plain' }, body: 'words' };
  if (pathname === '/wp-json/broken') return { headers: { 'content-type': 'application/json' }, body: '{"a":' };
  if (pathname === '/wp-json/deep')
    return {
      headers: { 'content-type': 'application/json' },
      body: `${'['.repeat(5_000_000)}${']'.repeat(5_000_000)}`,
    };
  if (pathname === '/wp-json/big') return { body: 'x'.repeat(10 * 1024 * 1024 + 1) };
  if (pathname === '/wp-json/many')
    return { headers: { 'content-type': 'application/json' }, body: `[${'{},'.repeat(499_999)}{} ]` };
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
  // JSON, but deeper than any reader or writer of it would go.
  const { body: deep, body_encoding } = await cms({ path: '/wp-json/deep' });
  assert.deepEqual([body_encoding, String(deep).length], ['text', 10_000_000]);
  // Or more of it than could be written again while others wait.
  const many = await cms({ path: '/wp-json/many' });
  assert.deepEqual([many.body_encoding, String(many.body).length], ['text', 1_500_002]);
  const kinds = ['picture', 'text', 'broken'].map(async (name) => {
    const { body, body_encoding } = await cms({ path: `/wp-json/${name}` });
    return [body, body_encoding];
  });
  assert.deepEqual(await Promise.all(kinds), [
    ['iVD/', 'base64'],
    ['words', 'text'],
    ['{"a":', 'text'],
  ]);
  const head = await cms({ path: '/wp-json/text', method: 'head' });
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
  const php = `php.example.com:${wordpress.port}`;
  await store(php, SLASHED);
  assert.deepEqual((await cms({ fqdn: php, path: '/wp-json/php' })).body, { password: '[cut]' });
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

test('viewers read, members do the rest, and a token that may only read reads', async () => {
  const posts = '/wp-json/wp/v2/posts';
  for (const method of ['get', 'head', 'options'] as const) await cms({ path: posts, method }, viewer);
  for (const method of ['post', 'put', 'patch', 'delete'] as const)
    await assert.rejects(cms({ path: posts, method }, viewer), refused(403), method);
  // A batch holds requests of its own.
  for (const path of ['/wp-json/batch/v1', '/wp-json/wc/v3/products/batch', '/wp-json/BATCH/v1', '/wp-json/b%61tch/v1'])
    await assert.rejects(cms({ path }, viewer), refused(403), path);
  for (const scope of ['read', 'plan'] as const) {
    const { token } = await owner.api.createApiToken({ body: { name: scope, scopes: [scope] } });
    const narrow = { ...owner, api: createClient({ baseUrl: app.url, token }) };
    assert.equal((await cms({ path: posts }, narrow)).status_code, 200);
    await assert.rejects(cms({ path: posts, method: 'post' }, narrow), refused(403, 'auth.insufficient_scope'));
    await assert.rejects(cms({ path: '/wp-json/batch/v1' }, narrow), refused(403, 'auth.insufficient_scope'));
  }
});

test('a path stays on the host and below its root, in every spelling', async () => {
  const sent = wordpress.seen.length;
  const paths = [
    '',
    'wp-json/',
    'http://evil.example/wp-json/',
    '//evil.example/wp-json/',
    '/wp-json/../wp-admin/',
    '/wp-json/%2e%2e/wp-admin/',
  ];
  const more = [
    '/wp-json/%252e%252e/x',
    '/wp-json/..%2fwp-admin',
    '/wp-json/a\\b',
    '/wp-json/%5c..',
    '/wp-json/a\r\nHost: x',
    '/wp-json/%0d%0a',
    '/wp-json/%00',
  ];
  const others = [
    '/wp-admin/admin-ajax.php',
    '/wp-jsonx',
    '/x/wp-json/',
    '/wp-json/?a=1',
    '/wp-json/#a',
    '/wp-json/ä',
    '/wp-json/%zz',
    '/wp-json/./x',
    '@evil.example/wp-json',
    '/WP-JSON/',
  ];
  for (const path of [...paths, ...more, ...others]) {
    await assert.rejects(cms({ path }), (error: { faults?: { loc: unknown[] }[] }) => {
      refused(422)(error);
      assert.deepEqual(error.faults?.[0]?.loc, ['body', 'path'], path);
      return true;
    });
  }
  assert.equal(wordpress.seen.length, sent);
  const shopPaths = ['/admin/products.json', '/admin/api/../oauth', '/admin/apix', '/'];
  for (const path of shopPaths)
    await assert.rejects(owner.api.storefrontProxy({ body: { shop_name: 'acme', path } }), refused(422), path);
});

test('nothing but method and path says what is done', async () => {
  const queries = [
    { _method: 'DELETE' },
    { rest_route: '/wp/v2/users' },
    { '_method[]': 'x' },
    { '.method': 'DELETE' },
    { ' _method': 'DELETE' },
  ];
  for (const query of [
    ...queries,
    { '[method': 'x' },
    { 'rest.route': '/' },
    { _METHOD: 'x' },
    { 'a&_method': 'x' },
    { a: { b: 1 } },
    { a: [[1]] },
  ])
    await assert.rejects(cms({ query_params_json: JSON.stringify(query) }), refused(422), JSON.stringify(query));
  for (const text of ['[1]', '"a"', '1', 'null', '{', 'a=1'])
    await assert.rejects(cms({ query_params_json: text }), refused(422), text);
  await assert.rejects(cms({ method: 'post', body_json: '{"_method":"DELETE"}' }), refused(422));
  await assert.rejects(cms({ method: 'post', body_json: '{' }), refused(422));
  await assert.rejects(cms({ method: 'get', body_json: '{}' }), refused(422));
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
  for (const shop_name of [
    '',
    'a.b',
    'acme.evil.example/',
    'acme@evil',
    'acme#',
    'Acme',
    '-a',
    '127.0.0.1',
    'a:80',
    'ä',
    'a b',
  ])
    await assert.rejects(owner.api.storefrontProxy({ body: { shop_name } }), refused(422), shop_name);
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
    ['/api/v2/query', {}, { method: 'post', body: { site_id: [theirs] } }],
    [stats, { 'site_id[]': theirs }],
    [`/api/v1/sites/${theirs}`, {}],
    [`/api/v1/sites/${theirs}`, { site_id: mine }],
    [`/api/v1/sites/${mine}`, {}, { method: 'put', body: { domain: theirs } }],
    [`/api/v1/sites/${mine}`, { domain: theirs }, { method: 'put' }],
    ['/api/v1/sites', {}, { method: 'post', body: { domain: theirs } }],
    ['/api/v1/sites/goals', { site_id: theirs }],
  ];
  for (const request of foreign)
    await assert.rejects(ask(...request), refused(404, 'site.not_found'), JSON.stringify(request));
  const unnamed: Parameters<typeof ask>[] = [
    [stats, {}],
    ['/api/v1/sites', {}],
    ['/api/v1/sites', { site_id: mine }],
    ['/api/v1/sites/teams', { site_id: mine }],
    ['/api/v2/query', {}, { method: 'post', body: {} }],
    ['/api/event', { site_id: mine }],
    ['/login', { site_id: mine }],
    ['/api/v1/sites%2fx', { site_id: mine }],
  ];
  for (const request of unnamed) await assert.rejects(ask(...request), refused(422), JSON.stringify(request));
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
  for (const query of [others, { 'team_id[]': others.team_id }, { team_id: '1' }, { team_id: [own.team_id, 1] }])
    await assert.rejects(ask('get', '/api/v1/sites', query), refused(404, 'team.not_found'), JSON.stringify(query));
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

test('a site is looked up once, however often it is named', () => {
  const query = Array.from({ length: 5000 }, () => ['site_id[]', 'a.example.com'] as const);
  const request = { method: 'GET', path: '/api/v1/stats/aggregate', query, body: undefined };
  assert.deepEqual(idsNamedIn(request)?.sites, new Set(['a.example.com']));
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
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  await assert.rejects(cms({ method: 'post', body_json: deep }), refused(422));
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
  // As WordPress writes it.
  assert.match(await (await call(xml('QUOTED {{password}}'))).text(), /<string>QUOTED \[cut\]<\/string>/);
  // Of a password too that would mean something in a pattern, or in a template.
  const strange = `dollar.example.com:${wordpress.port}`;
  await store(strange, "$& $$ $' {{username}} <&>");
  await call(xml('{{password}}'), 'text/xml', owner, strange);
  assert.match(wordpress.seen.at(-1)?.body ?? '', /<string>\$&amp; \$\$ \$' \{\{username\}\} &lt;&amp;&gt;<\/string>/);
  for (const type of ['application/json', 'text/plain', 'text/xmlx', 'application/x-www-form-urlencoded'])
    assert.equal((await call('{}', type)).status, 422, type);
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
  await services.db
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
    .execute();
  return fqdn;
}
