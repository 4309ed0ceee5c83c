import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { operationsOf } from '#features/feature.ts';
import { features } from '#features/index.ts';
import { callOf, catalogueOf } from './catalogue.ts';
import { effectOf } from './effects.ts';
import type { Operation } from './operation.ts';

const operations = operationsOf(features);
const operationOf = (id: string) => operations.find((each) => each.id === id) as Operation;
const entries = catalogueOf(operations);

test('every field of every operation says what it is for', () => {
  const silent = entries.flatMap(({ id, input }) =>
    Object.entries(input.properties).flatMap(([name, { description }]) => (description ? [] : [`${id}.${name}`])),
  );
  assert.deepEqual(silent, []);
});

test('an input in one object becomes path, query and body, and what the operation does not know is refused', () => {
  const restore = operationOf('createPitRestore');
  const point = '2026-11-17T10:00:00Z';
  assert.deepEqual(callOf(restore, { fqdn: 'a.example', restore_point: point, is_dry_run: true }), {
    params: { fqdn: 'a.example' },
    query: {},
    body: { restore_point: point, is_dry_run: true },
  });
  assert.deepEqual(callOf(operationOf('listSites'), { search: 'a', size: 5 }), {
    params: {},
    query: { search: 'a', size: 5 },
  });
  assert.throws(() => callOf(restore, { fqdn: 'a.example', restore_point: point, dryrun: true }), {
    code: 'request.invalid',
  });
});

suite('a call has the effect that it would have', () => {
  const cases: [id: string, input: Record<string, unknown>, effect: string][] = [
    ['getSite', {}, 'read'],
    ['connectTerminal', {}, 'change'],
    ['previewPitRestore', {}, 'plan'],
    ['createPitRestore', { is_dry_run: true }, 'plan'],
    ['createPitRestore', { is_dry_run: 'true' }, 'change'],
    ['createPitRestore', {}, 'change'],
    ['deleteSite', {}, 'destroy'],
    ['runSiteCommand', { cmd: 'true' }, 'destroy'],
    ['cmsProxy', { path: '/wp-json/wp/v2/posts' }, 'read'],
    ['cmsProxy', { path: '/wp-json/wp/v2/posts/1', method: 'delete' }, 'change'],
    ['cmsProxy', { path: '/wp-json/wp/v2/posts/1', query_params_json: '{"_method":"DELETE"}' }, 'change'],
    ['cmsProxy', { path: '/wp-json/wp/v2/taxonomies' }, 'read'],
    // Only editors and administrators see these; the answer would be the administrator's.
    ['cmsProxy', { path: '/wp-json/wp/v2/posts/1/revisions' }, 'change'],
    ['cmsProxy', { path: '/wp-json/wp/v2/settings' }, 'change'],
    ['cmsProxy', { path: '/wp-json/wp/v2/posts', query_params_json: '{"context":"edit"}' }, 'change'],
    // As the site's administrator, a GET can do whatever a plugin or WordPress itself makes of it.
    ['cmsProxy', { path: '/wp-json/shop/v1/empty-cart' }, 'change'],
    ['cmsProxy', { path: '/wp-json/wp-block-editor/v1/url-details' }, 'change'],
    ['cmsProxy', { path: '/wp-json/oembed/1.0/proxy' }, 'change'],
    ['cmsProxy', { path: '/wp-json/wp/v2/posts/1/track' }, 'change'],
    ['cmsProxy', { path: '/wp-json/wp/v2/posts', query_params_json: '{"\\u005fembed":1}' }, 'change'],
    ['cmsProxy', { path: '/wp-json/wp/v2/posts', query_params_json: 1 }, 'change'],
    ['cmsProxy', { path: '/wp-admin/post.php?action=trash' }, 'change'],
    ['storefrontProxy', { path: '/admin/api/2024-04/products.json', method: 'get' }, 'read'],
    ['analyticsProxy', { path: '/api/v1/sites', method: 'post' }, 'change'],
  ];
  for (const [id, input, effect] of cases)
    test(`${id} ${JSON.stringify(input)}: ${effect}`, () => assert.equal(effectOf(operationOf(id), input), effect));
});
