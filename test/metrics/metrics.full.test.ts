import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { API_PREFIX } from '#core/http/operation.ts';
import { operationsOf } from '#features/feature.ts';
import { features } from '#features/index.ts';
import { registerPerson } from '#testkit/app/people.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { metricsClient } from '#testkit/clients/metrics-client.ts';
import { eventually } from '#testkit/expect.ts';
import { freePort } from '#testkit/free-port.ts';
import { type Prometheus, promtool, startPrometheus } from '#testkit/servers/prometheus.ts';
import { readConfig } from '../../src/config.ts';

const operations = operationsOf(features);

/** What an operator gets in deploy/ works with what the service really says, and a real Prometheus understands it. */
const DEPLOY = join(import.meta.dirname, '../../deploy');

interface Panel {
  title: string;
  type: string;
  targets?: { expr: string }[];
  gridPos: { x: number; y: number; w: number; h: number };
}

let app: TestApp;
let folder: string;
let prometheus: Prometheus;

before(async () => {
  app = await startTestApp();
  folder = await mkdtemp(join(tmpdir(), 'prometheus-'));
  // Something to see.
  const person = await registerPerson(app);
  await person.api.listTeams();
  const token = (await readFile(join(app.services.config.dataDir, 'metrics-token'), 'utf8')).trim();
  prometheus = await startPrometheus({ folder, port: await freePort(), target: new URL(app.url).host, token });
});
after(async () => {
  await prometheus?.stop();
  await app?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

async function scrape(): Promise<string> {
  const token = app.services.secrets.derive('metrics token');
  return (await fetch(`${app.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
}

async function readPanels(): Promise<Panel[]> {
  const files = await readdir(join(DEPLOY, 'grafana/dashboards'));
  const dashboards = files.map(async (file) =>
    JSON.parse(await readFile(join(DEPLOY, 'grafana/dashboards', file), 'utf8')),
  );
  return (await Promise.all(dashboards)).flatMap(({ panels }: { panels: Panel[] }) => panels);
}

/** As Grafana fills in what only it knows. */
const fillIn = (expression: string) =>
  expression.replaceAll('$__rate_interval', '1m').replaceAll(/\$(?:cluster|role|instance)/g, '.*');

async function readExpressions(): Promise<string[]> {
  const panels = await readPanels();
  const { groups } = await prometheus.ask('/rules');
  const rules: { query: string }[] = groups.flatMap((group: { rules: { query: string }[] }) => group.rules);
  assert.ok(rules.length >= 5);
  return [
    ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => fillIn(expr))),
    ...rules.map((r) => r.query),
  ];
}

suite('Prometheus', () => {
  test('scrapes us with the token from our data folder', async () => {
    const up = await eventually(async () => {
      const { result } = await prometheus.ask('/query', { query: 'up{job="siteyard"} == 1' });
      return result.length > 0 && result;
    });
    assert.equal(up[0].metric.instance, new URL(app.url).host);
    const { result } = await prometheus.ask('/query', {
      query: 'siteyard_http_request_duration_seconds_count{operation="listTeams",status="200"}',
    });
    assert.ok(Number(result[0].value[1]) >= 1);
  });

  test('has nothing to say against our configuration, rules and metrics', async () => {
    assert.match(await promtool(['check', 'config', join(folder, 'prometheus.yml')]), /SUCCESS/);
    await promtool(['check', 'metrics'], await scrape());
    await assert.rejects(promtool(['check', 'metrics'], 'requests 1\n'), /no help text/);
  });

  test('runs every expression of the dashboard and the rules', async () => {
    const expressions = await readExpressions();
    assert.ok(expressions.length >= 30);
    for (const query of expressions) await prometheus.ask('/query', { query });
    await assert.rejects(prometheus.ask('/query', { query: 'sum by (' }), /parse error/);
  });

  test('has every figure that a rule or a panel names', async () => {
    const text = await scrape();
    const names = (await readExpressions()).flatMap((expression) => expression.match(/\bsiteyard_\w+/g) ?? []);
    assert.ok(names.length >= 30);
    const unknown = names.filter((name) => !text.includes(`# TYPE ${name.replace(/_(?:bucket|sum|count)$/, '')} `));
    assert.deepEqual([...new Set(unknown)].sort(), []);
  });

  test('finds something for every panel that an idle platform has figures for', async () => {
    // Nothing failed, and no job waits.
    const mayBeEmpty = ['Visits that failed', 'Jobs', 'Oldest due job'];
    const panels = (await readPanels()).filter(({ title, type }) => type !== 'row' && !mayBeEmpty.includes(title));
    assert.ok(panels.length >= 15);
    for (const { title, targets = [] } of panels) {
      for (const { expr } of targets) {
        // Rates take two scrapes.
        const hasData = async () => (await prometheus.ask('/query', { query: fillIn(expr) })).result.length > 0;
        await eventually(hasData).catch(() => assert.fail(`${title} shows nothing: ${expr}`));
      }
    }
  });

  test('gets no label with the name of a site, a team or a person', async () => {
    const names = [...(await scrape()).matchAll(/[{,](\w+)="/g)].map((match) => match[1] as string);
    const known = [
      'operation',
      'method',
      'status',
      'state',
      'result',
      'reason',
      'queue',
      'percentile',
      'le',
      'cache',
      'certificate',
      'folder',
    ];
    const nodes = ['type', 'space', 'kind', 'version', 'major', 'minor', 'patch'];
    assert.deepEqual(
      [...new Set(names)].filter((name) => ![...known, ...nodes].includes(name)),
      [],
    );
  });
});

test('every metric that a panel or a rule names is one of ours', async () => {
  const types = new Map([...(await scrape()).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map((m) => [m[1], m[2]]));
  for (const expression of await readExpressions()) {
    const names = expression.match(/\b(?:siteyard_\w+|up)\b/g) ?? [];
    assert.ok(names.length > 0, expression);
    for (const name of names.filter((each) => each !== 'up')) {
      const histogram = name.replace(/_(bucket|sum|count)$/, '');
      assert.ok(types.has(name) || types.get(histogram) === 'histogram', `${name} in ${expression}`);
    }
    // A rate of what may fall is nonsense, and so is a counter as it stands.
    for (const [, name = ''] of expression.matchAll(/rate\((siteyard_\w+)/g))
      assert.ok(types.get(name) !== 'gauge', `rate of the gauge ${name}`);
  }
});

test('the panels of the dashboard fill its width and do not lie on one another', async () => {
  const panels = await readPanels();
  const taken = new Set<string>();
  for (const { title, gridPos } of panels) {
    assert.ok(gridPos.x + gridPos.w <= 24, title);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        assert.ok(!taken.has(`${x} ${y}`), `${title} lies on another panel`);
        taken.add(`${x} ${y}`);
      }
  }
});

test("Grafana's settings name our addresses, our client and what we tell of a person", async () => {
  const text = await readFile(join(DEPLOY, 'grafana/grafana.ini'), 'utf8');
  const settings = Object.fromEntries([...text.matchAll(/^(\w+) = (.*)$/gm)].map((match) => [match[1], match[2]]));
  const pathOf = (id: string) => operations.find((operation) => operation.id === id)?.path;
  const addressOf = (id: string) => `$__env{SITEYARD_URL}${API_PREFIX}${pathOf(id)}`;
  assert.equal(settings.auth_url, addressOf('authorizeMetrics'));
  assert.equal(settings.token_url, addressOf('exchangeMetricsCode'));
  assert.equal(settings.api_url, addressOf('getMetricsUser'));
  assert.equal(settings.client_id, readConfig({}).metricsClientId);
  const person = await registerPerson(app);
  const user = (await metricsClient(app).user(person.token)).json;
  for (const name of ['email', 'login', 'name', 'groups'])
    assert.ok(user[settings[`${name}_attribute_path`] as string], name);
  assert.equal(settings.role_attribute_path, "role == 'operator' && 'GrafanaAdmin' || 'Viewer'");
  assert.equal(user.role, 'customer');
  assert.equal(settings.allowed_groups, 'operators');
  assert.ok(!user.groups.includes('operators'));
});
