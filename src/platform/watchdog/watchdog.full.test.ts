import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceProcess, spawnService } from '#testkit/app/service-process.ts';
import { eventually } from '#testkit/expect.ts';
import { need } from '#testkit/runner/need.ts';

const TOKEN = 'a token that only this test knows';
const PATH = '/f/api/v1/auth/login';

/** A parser with a bad worst case: a marker in its input blocks the event loop, for good in a process that shares the port. */
const SLOW_PARSER = `
const parse = JSON.parse;
function spin(ms) {
  const start = process.cpuUsage();
  // By processor time: the watchdog does not count what the thread waits for a processor.
  for (let used = 0; used < ms; used = process.cpuUsage(start).user / 1000);
}
JSON.parse = (text, ...rest) => {
  if (String(text).includes('block for a moment')) spin(4000);
  if (String(text).includes('hang a further one') && process.send) spin(Infinity);
  return parse(text, ...rest);
};`;

let dataDir: string;
let service: ServiceProcess;
let url: string;
before(async () => {
  await need('builds');
  dataDir = await mkdtemp(join(tmpdir(), 'watchdog-'));
  const env = { RUNTIME: 'memory', DATA_DIR: dataDir, PORT: '0', EDGE_PROCESSES: '2', METRICS_TOKEN: TOKEN };
  service = spawnService(env, ['--import', `data:text/javascript,${encodeURIComponent(SLOW_PARSER)}`], 1_000_000);
  url = await service.ready;
});
after(async () => {
  service.kill('SIGTERM');
  await service.exited;
  await rm(dataDir, { recursive: true, force: true });
});

test('a block of the event loop is logged with its stack and its request, and counted', async () => {
  await postJson('block for a moment');
  const line = await eventually(async () => logged('the event loop is blocked')[0]);
  assert.equal(line.request, `POST ${new URL(url).host}${PATH}`);
  assert.ok(
    line.stack.some((frame: string) => frame.startsWith('spin ')),
    line.stack.join('\n'),
  );
  assert.ok(
    line.stack.some((frame: string) => frame.startsWith('parseBody ')),
    line.stack.join('\n'),
  );
  assert.ok(line.blocked_ms >= 2_000);
  await eventually(async () => logged('the event loop is no longer blocked')[0]);
  await eventually(async () => (await readMetrics()).includes('siteyard_event_loop_blocks_total 1'));
});

test('a process that hangs is replaced while the others answer', async () => {
  await eventually(async () => {
    const hung = postJson('hang a further one').then(
      () => false,
      () => false,
    );
    return Promise.race([hung, sleep(5_000, true)]);
  });
  const killed = await eventually(async () => {
    assert.equal((await ask('GET', '/healthz')).status, 200);
    return logged('the process hangs and is killed for a restart')[0];
  }, 600_000);
  assert.notEqual(killed.pid, service.pid);
  assert.ok(killed.cpu_ms >= 30_000);
  const ended = await eventually(async () => logged('a process that shares the port has ended')[0]);
  assert.equal(ended.pid, killed.pid);
  assert.equal(ended.signal, 'SIGKILL');
  await eventually(async () => (await readMetrics()).includes('siteyard_processes_replaced_total 1'));
});

const postJson = (text: string) => ask('POST', PATH, JSON.stringify({ text }));
const readMetrics = async () => (await ask('GET', '/metrics')).body;

/** On a connection of its own: whichever process is free takes it. */
async function ask(method: string, path: string, body?: string): Promise<{ status: number | undefined; body: string }> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` };
  const request = http.request(`${url}${path}`, { method, headers, agent: false, timeout: 60_000 });
  request.once('timeout', () => request.destroy(new Error('no answer for a minute')));
  request.end(body);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  return { status: response.statusCode, body: await text(response) };
}

function logged(msg: string) {
  const lines = service
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.includes(msg));
  return lines.map((line) => JSON.parse(line));
}
