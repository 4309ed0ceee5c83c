import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { idsNamedIn, withSitesAlone } from '#integrations/analytics/plausible.ts';
import { ANALYTICS_ROOT, readProxyRequest } from './proxy.rules.ts';

/** What a request to the analytics server is about, read as the operation reads it; undefined where it is more than it names. */
function named(method: string, path: string, query: object = {}, body?: object) {
  const input = { method, path, query_params_json: JSON.stringify(query) };
  const request = readProxyRequest(body ? { ...input, body_json: JSON.stringify(body) } : input, ANALYTICS_ROOT);
  const ids = idsNamedIn(request);
  return ids && { sites: [...ids.sites], teams: [...ids.teams], guests: [...ids.guests], listsSites: ids.listsSites };
}

const STATS = '/api/v1/stats/aggregate';
const [MINE, THEIRS] = ['mine.example.com', 'theirs.example.com'];

suite('the sites that a request names', () => {
  const cases: [what: string, found: string[], ...request: Parameters<typeof named>][] = [
    ['in the query', [MINE], 'get', STATS, { site_id: MINE }],
    ['in the body', [MINE], 'post', '/api/v2/query', {}, { site_id: MINE }],
    ['in both', [MINE, THEIRS], 'post', '/api/v2/query', { site_id: MINE }, { site_id: THEIRS }],
    ['in a list, which is no id', [`${THEIRS},x`], 'post', '/api/v2/query', {}, { site_id: [THEIRS, 'x'] }],
    ['as the element of a list', [THEIRS], 'get', STATS, { 'site_id[]': THEIRS }],
    ['in other letters', [THEIRS], 'get', STATS, { SITE_ID: THEIRS }],
    ['in the path', [MINE], 'get', `/api/v1/sites/${MINE}`],
    ['in the path and the query', [THEIRS, MINE], 'get', `/api/v1/sites/${THEIRS}`, { site_id: MINE }],
    ['by a new domain in the body', [MINE, THEIRS], 'put', `/api/v1/sites/${MINE}`, {}, { domain: THEIRS }],
    ['by a new domain in the query', [MINE, THEIRS], 'put', `/api/v1/sites/${MINE}`, { domain: THEIRS }],
    ['by the domain of a new site', [THEIRS], 'post', '/api/v1/sites', {}, { domain: THEIRS }],
    ['for its goals', [THEIRS], 'get', '/api/v1/sites/goals', { site_id: THEIRS }],
    ['for one of its goals', [MINE], 'delete', '/api/v1/sites/goals/1', {}, { site_id: MINE }],
  ];
  for (const [what, found, ...request] of cases)
    test(what, () => {
      assert.deepEqual(named(...request)?.sites, found);
    });

  test('are looked up once, however often one is named', () => {
    const query = Array.from({ length: 5000 }, () => ['site_id[]', MINE] as const);
    assert.deepEqual(idsNamedIn({ method: 'GET', path: STATS, query, body: undefined })?.sites, new Set([MINE]));
  });
});

suite('a request that could reach more than it names is none', () => {
  const cases: Parameters<typeof named>[] = [
    ['get', STATS],
    ['get', '/api/v1/sites'],
    ['get', '/api/v1/sites', { site_id: MINE }],
    ['get', '/api/v1/sites', { domain: MINE }],
    ['get', '/api/v1/sites/teams', { site_id: MINE }],
    ['post', '/api/v2/query', {}, {}],
    ['get', '/api/v2/query/x', { site_id: MINE }],
    ['get', '/api/event', { site_id: MINE }],
    ['get', '/api/v3/stats', { site_id: MINE }],
    ['get', '/api/v1/sites%2fx', { site_id: MINE }],
  ];
  for (const request of cases)
    test(JSON.stringify(request), () => {
      assert.equal(named(...request), undefined);
    });
});

suite('the teams that a request names', () => {
  test('are those of a list of sites, whose answer is cut to their sites', () => {
    const list = (query: object) => named('get', '/api/v1/sites', query);
    assert.deepEqual(list({ team_id: 'a' }), { sites: [], teams: ['a'], guests: [], listsSites: true });
    assert.deepEqual(list({ 'team_id[]': 'b' })?.teams, ['b']);
    assert.deepEqual(list({ team_id: ['a', 1] })?.teams, ['a', '1']);
    assert.deepEqual(list({ team_id: 'a', site_id: MINE })?.sites, [MINE]);
  });

  test('are that of a site that is added, which lists nothing', () => {
    const added = named('post', '/api/v1/sites', {}, { domain: MINE, team_id: 'a' });
    assert.deepEqual(added, { sites: [MINE], teams: ['a'], guests: [], listsSites: false });
  });

  test('leave nothing else in the answer, whatever it is', () => {
    const sites = [{ domain: MINE }, { domain: THEIRS }, null, {}];
    assert.deepEqual(withSitesAlone({ sites, meta: { after: 1 }, more: 1 }, [MINE]), {
      sites: [{ domain: MINE }],
      meta: { after: 1 },
    });
    for (const body of [null, 'text', [], { sites: 'x' }])
      assert.deepEqual(withSitesAlone(body, [MINE]), { sites: [], meta: undefined });
  });
});

suite('the people that a request names', () => {
  const GUESTS = '/api/v1/sites/guests';
  test('are those who are added as guests, in the query and the body', () => {
    assert.deepEqual(named('put', GUESTS, {}, { site_id: MINE, email: 'a@b.example' })?.guests, ['a@b.example']);
    const both = named('put', GUESTS, { email: 'x@b.example' }, { site_id: MINE, email: 'a@b.example' });
    assert.deepEqual(both?.guests, ['x@b.example', 'a@b.example']);
  });

  test('are none if a guest is removed or the list of guests is invalid', () => {
    assert.deepEqual(named('delete', `${GUESTS}/a@b.example`, { site_id: MINE, email: 'a@b.example' })?.guests, []);
    assert.deepEqual(named('get', STATS, { site_id: MINE, email: 'a@b.example' })?.guests, []);
  });
});
