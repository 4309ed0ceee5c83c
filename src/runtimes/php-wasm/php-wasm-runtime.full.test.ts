import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { requestSite } from '#runtimes/request.ts';
import type { SiteSpec } from '#runtimes/runtime.ts';
import { describeBrokenDatabases } from '#testkit/contracts/broken-database.contract.ts';
import { createSite, putProbe, request } from '#testkit/contracts/contract-site.ts';
import { describePhp } from '#testkit/contracts/php.contract.ts';
import { describeRuntime } from '#testkit/contracts/runtime.contract.ts';
import { openTestRuntime } from '#testkit/drivers/wordpress-cache.ts';
import { eventually } from '#testkit/expect.ts';

describeRuntime('PHP in WebAssembly', openTestRuntime);
describePhp('PHP in WebAssembly', openTestRuntime);
describeBrokenDatabases('PHP in WebAssembly', openTestRuntime);

/** What is made ready waits for everybody else on a busy machine. */
const LONG_MS = 300_000;

const open = (options: Parameters<typeof openTestRuntime>[0]) =>
  openTestRuntime({ requestTimeoutMs: LONG_MS, ...options });

describe('PHP in WebAssembly', () => {
  it('serves a site from a warm worker, one worker for one site ever', async () => {
    const { runtime, close } = await open({ standbyWorkers: 1 });
    try {
      const site = await createSite(runtime, 'warm.localhost');
      await eventually(async () => runtime.standbyReady === 1, LONG_MS);
      const asked = requestSite(runtime, site, { method: 'GET', path: '/', timeoutMs: 120_000 });
      // The next one is made at once, and may be ready before the answer is.
      await eventually(async () => runtime.standbyReady === 0, LONG_MS);
      const answer = await asked;
      assert.equal(answer.status, 200);
      assert.match(answer.body.toString(), /<title>warm\.localhost/);
      const [awake] = runtime.awake();
      await runtime.stop(site.id);
      await eventually(async () => runtime.standbyReady === 1, LONG_MS);
      assert.equal(existsSync(`/proc/${awake?.pid}`), false);
      await runtime.delete(site.id);
      await eventually(async () => runtime.standbyReady === 0, LONG_MS);
    } finally {
      await close();
    }
  });

  it('lets a site call networks that the operator allows, and an offline one nobody', async () => {
    let visits = 0;
    const server = createServer((_request, response) => {
      visits++;
      response.end('internal');
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const { port } = server.address() as { port: number };
    const { runtime, close } = await open({ allowedNetworks: ['127.0.0.0/8'] });
    try {
      const site = await createSite(runtime, 'caller.localhost');
      const folder = join(runtime.contentFolder(site.id), 'plugins');
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'call.php'), `<?php echo file_get_contents('http://127.0.0.1:${port}/');`);
      const call = (spec: SiteSpec, path: string) =>
        requestSite(runtime, spec, { method: 'GET', path: `/wp-content/plugins/${path}`, timeoutMs: 120_000 });
      assert.equal((await call(site, 'call.php')).body.toString(), 'internal');
      assert.equal(visits, 1);

      const offline = { ...site, isOffline: true };
      await writeFile(
        join(folder, 'call-all.php'),
        `<?php
        foreach (['127.0.0.1', 'localhost', '127.0.0.2'] as $host) {
          $out[] = @file_get_contents("http://$host:${port}/");
          $curl = curl_init("http://$host:${port}/");
          curl_setopt_array($curl, [CURLOPT_RETURNTRANSFER => 1, CURLOPT_TIMEOUT => 3]);
          $out[] = curl_exec($curl);
          $socket = @fsockopen($host, ${port}, $number, $text, 2);
          if ($socket) { fwrite($socket, "GET / HTTP/1.0\\r\\n\\r\\n"); $out[] = stream_get_contents($socket); }
        }
        $since = microtime(true);
        @file_get_contents('https://api.wordpress.org/');
        $out[] = gethostbyname('localhost.') === '127.0.0.1' ? 'internal' : '';
        $late = microtime(true) - $since >= ini_get('default_socket_timeout');
        echo json_encode([array_filter($out, fn($text) => is_string($text) && str_contains($text, 'internal')), $late]);`,
      );
      assert.equal((await call(offline, 'call-all.php')).body.toString(), '[[],false]');
      const command = { args: ['php', '/site/wordpress/wp-content/plugins/call.php'] as [string, string] };
      const ran = await runtime.exec(offline, { ...command, timeoutMs: 120_000, maxOutputBytes: 10_000 });
      assert.doesNotMatch(ran.stdout, /internal/);
      assert.equal(visits, 1);
    } finally {
      server.close();
      await close();
    }
  });

  it('leaves nothing open behind a request, so that the six-hundredth calls out as the first did', async () => {
    const server = createServer((_request, response) => response.end('reached'));
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const { port } = server.address() as { port: number };
    const { runtime, close } = await open({ allowedNetworks: ['127.0.0.1/32'] });
    try {
      const site = await createSite(runtime, 'steady.localhost');
      const open = await putProbe(runtime, site, 'open.php', "echo count(scandir('/proc/self/fd'));");
      const call = await putProbe(
        runtime,
        site,
        'call.php',
        `require '/site/wordpress/wp-load.php'; echo wp_remote_retrieve_body(wp_remote_get('http://127.0.0.1:${port}/'));`,
      );
      const careless = await putProbe(
        runtime,
        site,
        'careless.php',
        `shell_exec('ls'); popen('ls', 'r'); mail('a@example.com', 'b', 'c'); @fopen(__DIR__, 'w');
        $curl = curl_init('http://127.0.0.2/'); curl_setopt($curl, CURLOPT_RETURNTRANSFER, 1); curl_exec($curl);
        $kept = new PDO('sqlite:' . __DIR__ . '/kept.db', null, null, [PDO::ATTR_PERSISTENT => true]);
        $kept->exec('create table if not exists visits (id integer primary key)'); $kept->exec('insert into visits default values');
        echo $kept->query('select count(*) from visits')->fetchColumn();`,
      );
      const ask = async (path: string) => (await request(runtime, site, { path })).text;
      assert.equal(await ask(call), 'reached');
      assert.equal(await ask(careless), '1');
      // The first time PHP has the script itself open, which it keeps compiled from then on.
      await ask(open);
      const [before, pid] = [await ask(open), runtime.awake()[0]?.pid ?? 0];
      const socketsBefore = socketsOf(pid);
      for (let count = 1; count <= 600; count++) {
        if (count % 50 === 0) assert.equal(await ask(careless), String(1 + count / 50));
        else await ask(open);
      }
      assert.equal(await ask(call), 'reached');
      assert.equal(await ask(open), before);
      assert.equal(runtime.awake()[0]?.pid, pid, 'it was one process all the time');
      await eventually(async () => socketsOf(pid) <= socketsBefore, 30_000);
    } finally {
      server.close();
      await close();
    }
  });

  it('stops a worker that nobody uses, and the longest unused one when memory runs out', async () => {
    const { runtime, close } = await open({ memoryBudgetBytes: 1_000 * 1024 * 1024 });
    try {
      const sites = [];
      for (const name of ['a', 'b', 'c']) {
        const site = await createSite(runtime, `${name}.localhost`);
        sites.push(site.id);
        const path = await putProbe(runtime, site, 'answer.php', "echo 'an answer';");
        assert.equal((await request(runtime, site, { path })).text, 'an answer');
      }
      assert.deepEqual(
        runtime
          .awake()
          .map(({ siteId }) => siteId)
          .sort(),
        sites.slice(1).sort(),
      );
    } finally {
      await close();
    }
  });

  it('ends what a killed service left running, and nothing else', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'killed-'));
    // The pid of a process that is gone, and under it a slot whose worker still runs.
    const { pid: gone } = spawnSync('true');
    const slot = join(dataDir, 'run', String(gone), 'slot');
    const otherSlot = join(dataDir, 'run', String(gone), 'other');
    const worker = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', slot]);
    const bystander = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    for (const [folder, { pid }] of [
      [slot, worker],
      [otherSlot, bystander],
    ] as const) {
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'pid'), String(pid));
    }
    const ended = once(worker, 'exit');
    const { close } = await open({ dataDir });
    assert.deepEqual(await ended, [null, 'SIGKILL']);
    assert.equal(bystander.exitCode, null);
    assert.equal(existsSync(join(dataDir, 'run', String(gone))), false);
    bystander.kill();
    await close();
  });
});

/** How many sockets the process has open, by the operating system's account. */
function socketsOf(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  const targets = readdirSync(folder).map((name) => {
    try {
      return readlinkSync(join(folder, name));
    } catch {
      // It was closed in this very moment.
      return '';
    }
  });
  return targets.filter((target) => target.startsWith('socket:')).length;
}
