import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Fault } from '#core/errors.ts';
import { compileReader } from '#core/http/validation.ts';
import {
  ANALYTICS_ROOT,
  CMS_ROOT,
  cmsEffect,
  effectBelow,
  isPublicRead,
  readProxyRequest,
  restTargetOf,
  STOREFRONT_ROOT,
  targetOf,
} from './proxy.rules.ts';
import { StorefrontRequest } from './proxy.schema.ts';

const read = (input: Parameters<typeof readProxyRequest>[0], root = CMS_ROOT) =>
  readProxyRequest({ path: root, ...input }, root);

/** Fails unless the request is refused with a 422 that names this field. */
function assertRefused(input: Parameters<typeof readProxyRequest>[0], field: string, root = CMS_ROOT): void {
  assert.throws(
    () => read(input, root),
    (error: { status?: number; faults?: { loc: unknown[] }[] }) => {
      assert.deepEqual([error.status, error.faults?.[0]?.loc], [422, ['body', field]], JSON.stringify(input));
      return true;
    },
    JSON.stringify(input),
  );
}

suite('a path', () => {
  const taken = ['/wp-json', '/wp-json/', '/wp-json/wp/v2/posts', '/wp-json/a%20b', '/wp-json/x..y', '/wp-json/a//b'];
  for (const path of taken)
    test(`${path} is taken as it is`, () => {
      assert.equal(read({ path }).path, path);
    });

  const refused: [why: string, ...paths: string[]][] = [
    ['has no slash in front', '', 'wp-json/', '@evil.example/wp-json'],
    ['names a host', 'http://evil.example/wp-json/', '//evil.example/wp-json/', '/%2fevil.example/wp-json/'],
    ['goes up', '/wp-json/../wp-admin/', '/wp-json/./x', '/wp-json/..'],
    ['goes up in an encoding', '/wp-json/%2e%2e/wp-admin/', '/wp-json/%252e%252e/x', '/wp-json/..%2fwp-admin'],
    ['holds a backslash', '/wp-json/a\\b', '/wp-json/%5c..'],
    ['holds a control character', '/wp-json/a\r\nHost: x', '/wp-json/%0d%0a', '/wp-json/%00', '/wp-json/%250a'],
    ['is outside of the root', '/wp-admin/admin-ajax.php', '/wp-jsonx', '/x/wp-json/', '/WP-JSON/', '/'],
    ['holds a query or a fragment', '/wp-json/?a=1', '/wp-json/#a'],
    ['is no path of a URL', '/wp-json/ä', '/wp-json/%zz', '/wp-json/a b'],
  ];
  for (const [why, ...paths] of refused)
    test(`that ${why} is refused`, () => {
      for (const path of paths) assertRefused({ path }, 'path');
    });

  test('that starts with two slashes names a host, whatever the root is', () => {
    for (const path of ['//evil.example', '/%2fevil.example']) assertRefused({ path }, 'path', '/');
  });

  test('of a storefront is below /admin/api, and of analytics below /api', () => {
    for (const path of ['/admin/products.json', '/admin/api/../oauth', '/admin/apix', '/'])
      assertRefused({ path }, 'path', STOREFRONT_ROOT);
    assert.equal(read({ path: '/admin/api/2024-04/x.json' }, STOREFRONT_ROOT).path, '/admin/api/2024-04/x.json');
    for (const path of ['/login', '/apix']) assertRefused({ path }, 'path', ANALYTICS_ROOT);
  });
});

suite('a query', () => {
  test('becomes a query string: lists as name[], null left out', () => {
    const { query } = read({
      query_params_json: '{"per_page":5,"include":[1,2],"ids[]":["a"],"sticky":true,"x":null}',
    });
    const target = targetOf(read({ query_params_json: '{"a":[1,2],"b":"x&y=z"}' }));
    assert.deepEqual(query, [
      ['per_page', '5'],
      ['include[]', '1'],
      ['include[]', '2'],
      ['ids[]', 'a'],
      ['sticky', 'true'],
    ]);
    assert.equal(target, '/wp-json?a%5B%5D=1&a%5B%5D=2&b=x%26y%3Dz');
    assert.equal(targetOf(read({ query_params_json: '' })), '/wp-json');
  });

  const names = ['_method', 'rest_route', '_method[]', '_METHOD', 'x-http-method-override', 'Rest_Route[a]'];
  for (const name of names)
    test(`that overrides the method or the path with ${name} is refused`, () => {
      assertRefused({ query_params_json: JSON.stringify({ [name]: 'x' }) }, 'query_params_json');
    });

  for (const name of ['.method', ' _method', '[method', 'rest.route', 'a&_method', '', 'a[', 'a]b', 'ä'])
    test(`with a name that PHP could read as another one is refused: ${JSON.stringify(name)}`, () => {
      assertRefused({ query_params_json: JSON.stringify({ [name]: 'x' }) }, 'query_params_json');
    });

  for (const text of ['[1]', '"a"', '1', 'null', '{', 'a=1', '{"a":{"b":1}}', '{"a":[[1]]}'])
    test(`that is not an object of scalars and lists is refused: ${text}`, () => {
      assertRefused({ query_params_json: text }, 'query_params_json');
    });
});

suite('a body', () => {
  test('is sent as JSON, with a number that is longer than a double as it was written', () => {
    const { body, bodyText } = read({ method: 'post', body_json: '{ "a": 12345678901234567890, "b": [1.50] }' });
    assert.equal(bodyText, '{"a":12345678901234567890,"b":[1.50]}');
    assert.deepEqual(Object.keys(body as object), ['a', 'b']);
    assert.deepEqual([read({}).body, read({}).bodyText], [undefined, undefined]);
  });

  test('holds a name once: the one whose value was checked', () => {
    const { body, bodyText } = read({ method: 'post', body_json: '{"site_id":"theirs", "site_id":"own"}' });
    assert.equal(bodyText, '{"site_id":"own"}');
    assert.deepEqual(body, { site_id: 'own' });
  });

  test('is refused where it overrides the method, is no JSON, or is nested too deep to be written', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    for (const body_json of ['{"_method":"DELETE"}', '{"REST_ROUTE":"/"}', '{', '', deep])
      assertRefused({ method: 'post', body_json }, 'body_json');
  });

  for (const method of ['get', 'head', 'options'])
    test(`is refused with ${method}`, () => {
      assertRefused({ method, body_json: '{}' }, 'body_json');
    });
});

suite('a request reads', () => {
  const cases: [method: string | undefined, path: string, reads: boolean][] = [
    [undefined, '/wp-json/wp/v2/posts', true],
    ['get', '/wp-json/wp/v2/posts', true],
    ['head', '/wp-json/wp/v2/posts', true],
    ['options', '/wp-json/wp/v2/posts', true],
    ['post', '/wp-json/wp/v2/posts', false],
    ['put', '/wp-json/wp/v2/posts', false],
    ['patch', '/wp-json/wp/v2/posts', false],
    ['delete', '/wp-json/wp/v2/posts', false],
    // A batch holds requests of its own.
    ['get', '/wp-json/batch/v1', false],
    ['get', '/wp-json/wc/v3/products/batch', false],
    ['get', '/wp-json/BATCH/v1', false],
    ['get', '/wp-json/b%61tch/v1', false],
    ['get', '/wp-json/b%2561tch/v1', false],
    ['get', '/wp-json/batches', true],
  ];
  for (const [method, path, reads] of cases)
    test(`${reads ? '' : 'not '}with ${method ?? 'no method'} ${path}`, () => {
      assert.equal(read({ ...(method && { method }), path }).reads, reads);
    });
});

suite('a request for public content of WordPress', () => {
  const isPublic = (path: string, query: object = {}, method = 'get') =>
    isPublicRead(read({ path: CMS_ROOT + path, query_params_json: JSON.stringify(query), method }));

  const content = [
    ...['/wp/v2', '/wp/v2/', '/wp/v2/posts', '/wp/v2/posts/', '/wp/v2/pages', '/wp/v2/media'],
    ...['/wp/v2/categories/1', '/wp/v2/tags', '/wp/v2/comments', '/wp/v2/search'],
    ...['/wp/v2/types', '/wp/v2/types/post', '/wp/v2/taxonomies/category', '/wp/v2/statuses'],
  ];
  for (const path of content)
    test(`names a route of WordPress that visitors may read: ${path}`, () => {
      for (const method of ['get', 'head', 'options']) assert.ok(isPublic(path, {}, method), method);
      assert.ok(!isPublic(path, {}, 'post'));
    });

  const privileged = [
    ...['/wp/v2/settings', '/wp/v2/plugins', '/wp/v2/plugins/shop/shop', '/wp/v2/themes', '/wp/v2/users'],
    ...['/wp/v2/users/me', '/wp/v2/users/1', '/wp/v2/menus', '/wp/v2/menu-items', '/wp/v2/blocks', '/wp/v2/comments/7'],
    // A draft has a number too.
    ...[
      '/wp/v2/posts/7',
      '/wp/v2/pages/7',
      '/wp/v2/media/7',
      '/wp/v2/posts/7/revisions',
      '/wp/v2/pages/7/autosaves/8',
      '/wp/v2/users/1/application-passwords',
    ],
  ];
  for (const path of privileged)
    test(`names no route that only editors and administrators may read: ${path}`, () => assert.ok(!isPublic(path)));

  const unknown = [
    ...['', '/', '/x/v1/do', '/shop/v1/orders', '/oembed/1.0/proxy', '/wp-block-editor/v1/url-details', '/batch/v1'],
    ...['/wp/v2/url-details', '/wp/v2/product', '/wp/v2/posts/7/x', '/wp/v2/posts/me', '/wp/v3/posts', '/wp/v2/Posts'],
    ...['/wp/v2/posts%2f7', '/wp/v2/posts&context=edit', '/wp/v2//posts', '/wp/v2/posts/7;'],
  ];
  for (const path of unknown)
    test(`names no route that is not known, which may do anything: ${path}`, () => assert.ok(!isPublic(path)));

  test('has only parameters that are known to select, order and page', () => {
    for (const query of [
      { page: 2, per_page: 5, orderby: 'date', order: 'asc', search: 'tea', include: [1, 2], _fields: 'id,title' },
      { context: 'view' },
      { context: 'embed', status: 'publish' },
      { 'categories[terms]': '3' },
    ])
      assert.ok(isPublic('/wp/v2/posts', query), JSON.stringify(query));
    for (const query of [
      { context: 'edit' },
      { 'context[]': 'edit' },
      { status: 'draft' },
      { status: 'publish,private' },
      { status: ['publish', 'trash'] },
      { _embed: true },
      { '_embed[]': 'author' },
      { activate_plugin: 'shop' },
      { author_email: 'ada@example.com' },
    ])
      assert.ok(!isPublic('/wp/v2/posts', query), JSON.stringify(query));
  });
});

test('for an assistant, only public content of WordPress is a read', () => {
  assert.equal(cmsEffect({ path: '/wp-json/wp/v2/posts' }), 'read');
  for (const input of [
    { path: '/wp-json/wp/v2/settings' },
    { path: '/wp-json/wp/v2/posts', method: 'post' },
    { path: '/wp-json/../x' },
  ])
    assert.equal(cmsEffect(input), undefined, JSON.stringify(input));
  const storefront = effectBelow(STOREFRONT_ROOT);
  assert.deepEqual(
    ['get', 'delete'].map((method) => storefront({ method, path: '/admin/api/x.json' })),
    ['read', undefined],
  );
});

test('a request to a WordPress that is hosted here goes through rest_route, whatever its permalinks are', () => {
  const target = (path: string, query = '{}') => restTargetOf(read({ path, query_params_json: query }));
  assert.equal(target('/wp-json'), '/?rest_route=/');
  assert.equal(target('/wp-json/wp/v2/posts', '{"page":2}'), '/?rest_route=/wp/v2/posts&page=2');
  assert.equal(target('/wp-json/a&b+c'), '/?rest_route=/a%26b%2Bc');
});

test('the name of a shop is one label of a domain', () => {
  const readBody = compileReader('body', StorefrontRequest);
  const isTaken = (shop_name: string) => {
    const faults: Fault[] = [];
    readBody({ shop_name }, faults);
    return faults.length === 0;
  };
  for (const name of ['acme', 'a', '9-lives', 'a'.repeat(63)]) assert.ok(isTaken(name), name);
  for (const name of ['', 'a.b', 'acme.evil.example/', 'acme@evil', 'acme#', 'Acme', '-a', 'a-', '127.0.0.1', 'a:80'])
    assert.ok(!isTaken(name), name);
  for (const name of ['\u00e4', 'a b', 'a'.repeat(64), 'a\n']) assert.ok(!isTaken(name), name);
});
