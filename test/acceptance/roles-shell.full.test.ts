import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Site } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { newSite } from '#testkit/app/sites.ts';
import { createTestDatabase, startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { openTerminal } from '#testkit/clients/terminal-client.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually, refused } from '#testkit/expect.ts';
import { freePort } from '#testkit/free-port.ts';
import { commandOf, descendants } from '../../bench/proc.ts';
import { standInCacheWithWordPress } from '../code-server/stand-in.ts';

/** What people do in a site's sandbox, with the API, the edge and the site's host in processes of their own. */
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let cache: string;
let edge: TestApp;
let host: TestApp;
let api: TestApp;
let worker: TestApp;
let ada: Person;
let site: Site;

before(async () => {
  [database, cache] = await Promise.all([createTestDatabase({ empty: true }), standInCacheWithWordPress()]);
  const port = await freePort();
  const start = (ROLE: string, env = {}) =>
    startTestApp({ runtime: 'php-wasm', databaseUrl: database.url, env: { ROLE, CACHE_DIR: cache, ...env } });
  edge = await start('edge');
  const shared = { BASE_URL: edge.url };
  [host, api, worker] = await Promise.all([
    start('host', shared),
    start('api', { ...shared, PORT: String(port) }),
    start('worker', shared),
  ]);
  api = { ...api, url: `http://localhost:${port}` };
  ada = await registerPerson(api, 'Ada');
  site = await newSite(ada);
});
after(async () => {
  await Promise.all([api, worker, edge, host].map((app) => app?.close()));
  await database?.drop();
  await rm(cache, { recursive: true, force: true });
});

/** Tells our sleeper from those of others. */
const MARK = 300_000 + process.pid;
const sleeps = () => descendants(process.pid).some((pid) => commandOf(pid) === `sleep ${MARK}`);
const run = (cmd: string, more = {}) => ada.api.runSiteCommand({ params: { fqdn: site.fqdn }, body: { cmd, ...more } });

test('a command runs on the host, with what it reads and both that it says, and ends with its caller', async (t) => {
  if (site.properties.shell !== 'bash') return t.skip('this machine has no sandbox');
  const { exit_code, stdout, stderr } = await run('cat; echo bad >&2; echo from-the-command > note.txt; exit 5', {
    stdin: 'read\n'.repeat(20_000),
  });
  assert.deepEqual([exit_code, stdout.length, stderr], [5, 100_000, 'bad\n']);
  const file = await ada.api.getSiteFile({ params: { fqdn: site.fqdn }, query: { path: 'note.txt' } });
  assert.equal(file.content, 'from-the-command\n');
  assert.equal((await run('yes | head -c 3000000')).truncated, true);
  const leaving = new AbortController();
  const gone = fetch(`${api.url}/f/api/v1/site/${site.fqdn}/shell`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ cmd: `sleep ${MARK}` }),
    signal: leaving.signal,
  });
  gone.catch(() => {});
  await eventually(async () => sleeps());
  leaving.abort();
  await eventually(async () => !sleeps());
});

test('a terminal shows much and little, hears Ctrl-C in a flood, and goes on after its page was away', async (t) => {
  if (site.properties.shell !== 'bash') return t.skip('this machine has no sandbox');
  const terminal = await openTerminal(api, ada, site.fqdn, { query: { columns: 91, rows: 17 } });
  await terminal.expect('17 91', 'stty size\r');
  await terminal.expect('kept-1', 'KEPT=1; echo kept-$KEPT\r');
  terminal.type('yes\r');
  await eventually(async () => terminal.bytes > 2_000_000);
  await terminal.expect('calm-2', '\x03echo calm-$((1+1))\r');
  terminal.socket.close();
  const again = await openTerminal(api, ada, site.fqdn, { session: terminal.session });
  await again.expect('still-1', 'echo still-$KEPT\r');
  again.type('exit 3\r');
  await again.gone();
  assert.deepEqual(again.message('exit'), { t: 'exit', code: 3 });
});

test('an editor opens through the edge, writes on the host, and ends with its switch', async (t) => {
  if (site.properties.shell !== 'bash') return t.skip('this machine has no sandbox');
  const params = { fqdn: site.fqdn };
  await ada.api.updateSite({ params, body: { code_server_enabled: true }, wait: 20 });
  const { url } = await ada.api.createCodeServerLogin({ params });
  const { pathname, search, hostname } = new URL(url);
  const page = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'none' };
  const open = (path: string, cookie = '') => visit(edge, hostname, path, { headers: { ...page, cookie } });
  const cookie = String((await open(`${pathname}${search}`)).headers['set-cookie']).split(';')[0] as string;
  const to = '/site/wordpress/wp-content/uploads/written.txt';
  assert.equal((await open(`/write?to=${to}&text=by-the-editor`, cookie)).status, 200);
  assert.equal((await host.runtime.editors.state(site.id)).state, 'running');
  assert.equal((await visit(edge, site.fqdn, '/wp-content/uploads/written.txt')).text, 'by-the-editor');
  await ada.api.updateSite({ params, body: { code_server_enabled: false }, wait: 20 });
  await eventually(async () => host.runtime.editors.running.length === 0);
  assert.equal((await open('/', cookie)).status, 404);
  await assert.rejects(ada.api.createCodeServerLogin({ params }), refused(409, 'site.code_server_off'));
});
