import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';

test('the metrics report when the first certificate expires and how many cannot be obtained', async (t) => {
  const app = await startTestApp();
  t.after(() => app.close());
  assert.doesNotMatch(await readMetrics(app), /^siteyard_certificate_expiry_seconds/m);
  await sql`insert into certificates (name, source, chain, key_sealed, not_after, failures) values
    ('one.example', 'own', 'chain', ''::bytea, now() + interval '5 days', 0),
    ('two.example', 'own', 'chain', ''::bytea, now() + interval '50 days', 0),
    ('three.example', 'acme', null, null, null, 4)`.execute(app.services.db);
  const page = await readMetrics(app);
  const [, seconds] = /^siteyard_certificate_expiry_seconds\{certificate="first"\} (\S+)$/m.exec(page) ?? [];
  assert.ok(Math.abs(Number(seconds) - 5 * 86_400) < 3600, page);
  assert.match(page, /^siteyard_certificates\{state="failing"\} 1$/m);
  assert.match(page, /^siteyard_certificates\{state="expiring"\} 1$/m);
  assert.match(page, /^siteyard_certificates\{state="issued"\} 2$/m);
  for (const name of [
    'build_info{version="0',
    'database_up 1',
    'database_size_bytes ',
    'disk_free_bytes{folder="data"}',
  ])
    assert.ok(page.includes(`siteyard_${name}`), name);
});

async function readMetrics({ services, url }: TestApp): Promise<string> {
  const token = services.config.metricsToken ?? services.secrets.derive('metrics token');
  return (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
}
