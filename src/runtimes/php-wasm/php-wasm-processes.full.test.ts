import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request as openRequest } from 'node:http';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { createLog } from '#core/log.ts';
import { type Runtime, SiteFailure, type SiteSpec } from '#runtimes/runtime.ts';
import { uidOfSite } from '#sandbox/sandbox.ts';
import { areForAll, canBePassed, mayUseAnyUid } from '#sandbox/system.ts';
import { createSite, firstContent, newSpec, putProbe, request } from '#testkit/contracts/contract-site.ts';
import { describePhpProcesses } from '#testkit/contracts/php-processes.contract.ts';
import { describeProcesses } from '#testkit/contracts/processes.contract.ts';
import { openTestRuntime, WORDPRESS_CACHE } from '#testkit/drivers/wordpress-cache.ts';
import { eventually } from '#testkit/expect.ts';
import { pause } from '#testkit/pause.ts';
import { runCommand } from './commands.ts';
import { openHome } from './worker-home.ts';
import { WorkerProcess } from './worker-process.ts';

describeProcesses('PHP in WebAssembly', openTestRuntime);
describePhpProcesses('PHP in WebAssembly', ({ isWarm, ...limits }) =>
  openTestRuntime({ standbyWorkers: isWarm ? 1 : 0, ...limits }),
);

const GENEROUS_MS = 240_000;
const EXTRA_IDLE_MS = 3_000;
const MB = 1024 * 1024;
/** What the driver counts for a process. */
const PROCESS_BYTES = 400 * MB;

describe('the processes of PHP in WebAssembly', () => {
  const get = (runtime: Runtime, site: SiteSpec, path: string) =>
    request(runtime, site, { path, timeoutMs: GENEROUS_MS });
  /** Says whether a site answers, for which a fresh process does not have to read all of WordPress. */
  const isAlive = async (runtime: Runtime, site: SiteSpec) =>
    (await get(runtime, site, await putProbe(runtime, site, 'alive.php', "echo 'alive';"))).text === 'alive';
  const pidsOf = (runtime: Runtime, { id }: SiteSpec) =>
    runtime.awake().flatMap(({ siteId, pid }) => (siteId === id ? [pid] : []));

  /** A request that PHP is at until it is let go. */
  const hold = async (runtime: Runtime, site: SiteSpec, mark: string) => {
    const file = join(runtime.contentFolder(site.id), mark);
    const path = await putProbe(
      runtime,
      site,
      'hold.php',
      `$mark = '/site/wordpress/wp-content/' . $_GET['mark']; file_put_contents("$mark.begun", '');
      while (!file_exists("$mark.go")) { usleep(20000); clearstatcache(); } echo 'let go';`,
    );
    const answer = get(runtime, site, `${path}?mark=${mark}`);
    answer.catch(() => {});
    return {
      answer,
      hasBegun: () => existsSync(`${file}.begun`),
      letGo: () => writeFile(`${file}.go`, ''),
    };
  };

  it('replaces a process behind a warm one: the site is never without, and no request is lost', async () => {
    const { runtime, close } = await openTestRuntime({ requestsPerProcess: 3 });
    let watch: NodeJS.Timeout | undefined;
    try {
      const site = await createSite(runtime, 'replaced.localhost');
      await get(runtime, site, '/wp-login.php');
      const [first] = pidsOf(runtime, site);
      let gaps = 0;
      watch = setInterval(() => {
        if (pidsOf(runtime, site).length === 0) gaps++;
      }, 5);
      await eventually(async () => {
        // No whole page: its successor would wait for each of them.
        assert.ok(await isAlive(runtime, site));
        // The successor is warmed in the time that others leave.
        await pause(300);
        return !pidsOf(runtime, site).includes(first as number);
      }, GENEROUS_MS);
      assert.equal(gaps, 0);
      await eventually(async () => !existsSync(`/proc/${first}`));
    } finally {
      clearInterval(watch);
      await close();
    }
  });

  it('gives the memory of a process beyond the first to another site, and to nobody more than their share', async () => {
    const { runtime, close } = await openTestRuntime({
      memoryBudgetBytes: 4 * PROCESS_BYTES,
      leastProcessBytes: PROCESS_BYTES,
      requestTimeoutMs: GENEROUS_MS,
    });
    try {
      const prepared = await runtime.prepared();
      const [busy, second, third] = await Promise.all(
        ['busy', 'second', 'third'].map(async (owner) => {
          const site = { ...newSpec(prepared, `${owner}.localhost`), owner };
          await runtime.create(site, firstContent(owner));
          return site;
        }),
      );
      assert.ok(busy && second && third);
      const sister = { ...newSpec(prepared, 'sister.localhost'), team: busy.team };
      await runtime.create(sister, firstContent('sister'));

      const held = [await hold(runtime, busy, 'a'), await hold(runtime, busy, 'b')];
      await eventually(async () => held.every(({ hasBegun }) => hasBegun()), GENEROUS_MS);
      // A quarter of four processes is one: neither this site nor another of its owner's gets more, though there is room.
      const third_request = await hold(runtime, busy, 'c');
      const behind = await hold(runtime, sister, 'd');
      await eventually(async () => behind.hasBegun(), GENEROUS_MS);
      const waiting = isAlive(runtime, sister);
      assert.ok(await isAlive(runtime, second));
      assert.equal(pidsOf(runtime, busy).length, 2);
      assert.equal(pidsOf(runtime, sister).length, 1);
      assert.equal(third_request.hasBegun(), false);

      // All four are taken. The third site gets the place of the one that the busy site has besides its first.
      await runtime.stop(second.id);
      assert.ok(await isAlive(runtime, third));
      await behind.letGo();
      assert.ok(await waiting);
      await Promise.all(held.map(({ letGo }) => letGo()));
      await third_request.letGo();
      for (const { answer } of [...held, third_request, behind]) assert.equal((await answer).text, 'let go');
      await eventually(async () => pidsOf(runtime, busy).length === 1, GENEROUS_MS);
    } finally {
      await close();
    }
  });

  it('lets nobody be shut out by requests of others that take long, and says that the machine is too small', async () => {
    const { runtime, close } = await openTestRuntime({
      memoryBudgetBytes: 2 * PROCESS_BYTES,
      leastProcessBytes: PROCESS_BYTES,
      requestTimeoutMs: GENEROUS_MS,
    });
    try {
      const prepared = await runtime.prepared();
      const sites = await Promise.all(
        ['one', 'other', 'shut-out'].map(async (name) => {
          // Pages of a team with twice as much as whoever waits will have are ended soonest.
          const site = { ...newSpec(prepared, `${name}.localhost`), team: name === 'shut-out' ? 'one' : 'another' };
          await runtime.create(site, firstContent(name));
          return site;
        }),
      );
      const [one, other, shutOut] = sites as [SiteSpec, SiteSpec, SiteSpec];
      // Two in each, so that neither site is ever without a request.
      const long = await Promise.all(
        [one, other].flatMap((site) => ['a', 'b'].map((mark) => hold(runtime, site, mark))),
      );
      await eventually(async () => [0, 2].every((at) => long[at]?.hasBegun() || long[at + 1]?.hasBegun()), GENEROUS_MS);
      assert.ok(runtime.awake().every(({ pid }) => getPriority(pid) > 0));
      assert.ok(await isAlive(runtime, shutOut));
      assert.equal(runtime.pressure.ended, 1);
      await eventually(async () => runtime.pressure.isTooSmall);
      // Whoever was ended is told why, and the next one goes on.
      const ends = await Promise.race(
        long.map(({ answer }) =>
          answer.then(
            () => undefined,
            (error) => error,
          ),
        ),
      );
      assert.ok(ends instanceof SiteFailure && ends.reason === 'yielded');
      await Promise.all(long.map(({ letGo }) => letGo()));
      const answers = await Promise.allSettled(long.map(({ answer }) => answer));
      assert.equal(answers.filter(({ status }) => status === 'rejected').length, 1);
    } finally {
      await close();
    }
  });

  it('ends a process beyond the first when nobody has needed it for a while', async () => {
    const { runtime, close } = await openTestRuntime({
      // It is half of this for such a process.
      idleTimeoutMs: 2 * EXTRA_IDLE_MS,
      requestTimeoutMs: GENEROUS_MS,
    });
    try {
      const site = await createSite(runtime, 'quiet.localhost');
      const long = await hold(runtime, site, 'a');
      await eventually(async () => long.hasBegun(), GENEROUS_MS);
      const [first] = pidsOf(runtime, site);
      // The first process is held, so another one answers. It stays held, so that the site never falls asleep meanwhile.
      assert.ok(await isAlive(runtime, site));
      const answeredAt = performance.now();
      await eventually(async () => pidsOf(runtime, site).length === 1, GENEROUS_MS);
      assert.deepEqual(pidsOf(runtime, site), [first]);
      // It was idle a moment before its answer was read.
      assert.ok(performance.now() - answeredAt > (EXTRA_IDLE_MS * 2) / 3, 'it ended at once');

      // Somebody who reads slowly needs it until the end.
      const path = await putProbe(runtime, site, 'large.php', "echo str_repeat('x', 8 << 20);");
      const ask = async () => {
        const lease = await (await runtime.start(site)).lease(AbortSignal.timeout(GENEROUS_MS));
        const answer = await new Promise<IncomingMessage>((resolve, reject) => {
          const { hostname } = new URL(site.url);
          const asking = openRequest(
            { createConnection: () => lease.connect(), path, headers: { host: hostname } },
            resolve,
          );
          asking.once('error', reject).end();
        });
        return async () => {
          let bytes = 0;
          for await (const chunk of answer) bytes += (chunk as Buffer).length;
          lease.release();
          return bytes;
        };
      };
      const read = await ask();
      await pause(EXTRA_IDLE_MS + 2_000);
      assert.equal(pidsOf(runtime, site).length, 2);
      assert.equal(await read(), 8 << 20);
      await eventually(async () => pidsOf(runtime, site).length === 1, GENEROUS_MS);
      await long.letGo();
      assert.equal((await long.answer).text, 'let go');

      // A process that is told to leave gives them the rest.
      const readRest = await ask();
      const stopped = runtime.stop(site.id);
      await pause(300);
      assert.equal(await readRest(), 8 << 20);
      await stopped;
    } finally {
      await close();
    }
  });

  it('takes another port of its own name for what it is, and reaches it where it may', async () => {
    const server = createServer((_request, response) => response.end('internal'));
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const { port } = server.address() as { port: number };
    const slot = await mkdtemp(join(tmpdir(), 'slot-'));
    // The guard changes the process that it is in, so it gets one; names are asked for and dialled as php-wasm does.
    const ask = async (networks: string[]) => {
      const code = `import dns from 'node:dns'; import net from 'node:net'; import { syncBuiltinESMExports } from 'node:module';
        dns.lookup = (name, options, done) => done(null, '127.0.0.1', 4); syncBuiltinESMExports();
        const { guardNetwork } = await import('${import.meta.dirname}/worker/network-guard.ts');
        const guard = await guardNetwork(${JSON.stringify(networks)}, '${slot}');
        guard.own({ host: 'shop.example', port: 80, isSecure: false }, undefined);
        const address = await new Promise((done) => dns.lookup('Shop.example.', { family: 4 }, (_, found) => done(found)));
        net.createConnection(${port}, address).on('error', () => process.exit()).on('data', (data) => { console.log(String(data)); process.exit(); })
          .write('GET / HTTP/1.0\\r\\n\\r\\n');`;
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]);
      await rm(join(slot, 'own-tls.sock'), { force: true });
      return stdout;
    };
    try {
      assert.match(await ask(['127.0.0.0/8']), /internal/);
      assert.equal(await ask([]), '');
    } finally {
      server.close();
      await rm(slot, { recursive: true, force: true });
    }
  });

  it('is never root: without a sandbox too each site has a user of its own, PHP and the limited shell alike', async (t) => {
    if (!mayUseAnyUid()) return t.skip('only root can become another user');
    if (!areForAll([WORDPRESS_CACHE]) || !canBePassed([tmpdir(), WORDPRESS_CACHE]))
      return t.skip('other users can not reach the temporary folder or the checkout');
    const dataDir = await mkdtemp(join(tmpdir(), 'owned-'));
    await chmod(dataDir, 0o711);
    const { runtime, close } = await openTestRuntime({ sandbox: 'none', dataDir });
    try {
      const [site, other] = [await createSite(runtime, 'own.localhost'), await createSite(runtime, 'other.localhost')];
      // As a service that ran in another way left it: the shell is the first to come.
      await promisify(execFile)('chown', ['-R', '0:0', runtime.contentFolder(other.id)]);
      const run = (on: SiteSpec, script: string) =>
        runtime.exec(on, { args: ['bash', '-c', script], timeoutMs: GENEROUS_MS, maxOutputBytes: 1_000 });
      assert.equal((await run(other, 'echo a > a; cat a')).stdout, 'a\n');
      const probe = await putProbe(
        runtime,
        site,
        'own.php',
        "echo file_put_contents('/site/wordpress/wp-content/by-php', 'x');",
      );
      assert.equal((await get(runtime, site, probe)).text, '1');
      assert.ok(await isAlive(runtime, other));
      const userOf = (pid: number) => Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
      const users = [site, other].flatMap((each) => pidsOf(runtime, each).map(userOf));
      assert.deepEqual(users, [uidOfSite(site.id), uidOfSite(other.id)]);
      const { stdout } = await run(site, 'echo more >> by-php; cat by-php; echo mine > by-shell');
      assert.equal(stdout, 'xmore\n');
      for (const name of ['by-php', 'by-shell'])
        assert.equal(statSync(join(runtime.contentFolder(site.id), name)).uid, uidOfSite(site.id), name);
    } finally {
      await close();
    }
  });

  it('leaves no process behind where there is no room for what belongs to it on disk', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'slots-'));
    const options = {
      mode: 'run' as const,
      home: openHome,
      phpVersion: '8.3',
      ini: {},
      shared: [],
      allowedNetworks: [],
      compiler: 'baseline' as const,
      log: createLog('silent'),
    };
    try {
      // Where its number should stand something is in the way, as it is on a full disk.
      const unnoted = join(folder, 'unnoted');
      await mkdir(join(unnoted, 'pid'), { recursive: true });
      assert.throws(() => new WorkerProcess({ ...options, slot: unnoted }));
      await eventually(async () => processesOf(unnoted).length === 0);

      const worker = new WorkerProcess({ ...options, slot: join(folder, 'unassigned') });
      await worker.booted();
      await mkdir(join(worker.slot, 'site'));
      const site = { folder: 'site', config: '', configName: 'x', isOffline: true, own: null };
      const command = { args: ['php', '-v'] as const, timeoutMs: GENEROUS_MS, maxOutputBytes: 1_000 };
      await assert.rejects(runCommand(worker, folder, site, command, () => {}));
      await worker.exited;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

function processesOf(slot: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(slot);
    } catch {
      return false;
    }
  });
}
