import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isRunning } from '#runtimes/folders/run-folder.ts';
import { type Runtime, SiteFailure, type SiteSpec } from '#runtimes/runtime.ts';
import { copySite, createSite, newSpec, putProbe, request, until } from './contract-site.ts';

/** Limits that a test does not come near to, however busy the machine is. */
const GENEROUS_MS = 240_000;

/** What every driver must do about the processes that its PHP runs in, and about what that PHP asks of its own site. */
export function describePhpProcesses(
  name: string,
  open: (options: {
    requestTimeoutMs: number;
    /** Whether PHP stands ready for sites that wake. */
    isWarm: boolean;
  }) => Promise<{ runtime: Runtime; close(): Promise<void> }>,
): void {
  describe(`contract of PHP's processes: ${name}`, () => {
    let runtime: Runtime;
    let site: SiteSpec;
    let close = async () => {};
    before(async () => {
      ({ runtime, close } = await open({ requestTimeoutMs: GENEROUS_MS, isWarm: false }));
      site = await createSite(runtime, 'busy.localhost');
    });
    after(() => close());

    const get = (path: string, target = site) => request(runtime, target, { path, timeoutMs: GENEROUS_MS });
    const pids = () => runtime.awake().flatMap(({ siteId, pid }) => (siteId === site.id ? [pid] : []));
    const inContent = (file: string) => join(runtime.contentFolder(site.id), file);

    it('ends a command too when some work has the site to itself, and starts none', async () => {
      const path = await putProbe(
        runtime,
        site,
        'command.php',
        `$n = 0; while (true) { file_put_contents('/site/wordpress/wp-content/counted', $n++); usleep(20000); }`,
      );
      const command = { timeoutMs: GENEROUS_MS, maxOutputBytes: 1_000 };
      const running = runtime.exec(site, { ...command, args: ['php', `/site/wordpress${path}`] });
      await until(() => existsSync(inContent('counted')), GENEROUS_MS);
      const starting = runtime.exec(site, { ...command, args: ['wp', 'option', 'get', 'home'] });
      starting.catch(() => {});
      const resume = await runtime.suspend(site.id);
      assert.notEqual((await running).exitCode, 0);
      await assert.rejects(starting, (error) => error instanceof SiteFailure && error.reason === 'stopped');
      resume();
    });

    it('ends a process that hangs before it begins, and another answers', async () => {
      let heard = 0;
      runtime.listen({ touched: (siteId) => siteId === site.id && heard++ });
      const path = await putProbe(runtime, site, 'answer.php', "echo 'an answer';");
      assert.equal((await get(path)).text, 'an answer');
      await until(() => heard === 2);
      const hanging = pids();
      for (const pid of hanging) process.kill(pid, 'SIGSTOP');
      assert.equal((await get(path)).text, 'an answer');
      await until(() => !hanging.some(isRunning), GENEROUS_MS);
    });

    it('warms a site up before anybody asks for it, and minds nothing where it can not', async () => {
      const warm = await open({ requestTimeoutMs: GENEROUS_MS, isWarm: true });
      try {
        const early = await createSite(warm.runtime, 'early.localhost');
        await warm.runtime.warmUp(early);
        assert.deepEqual(
          warm.runtime.awake().map(({ siteId }) => siteId),
          [early.id],
        );
        await warm.runtime.warmUp(newSpec(early, 'nowhere.localhost'));
      } finally {
        await warm.close();
      }
    });

    describe('what a site asks of itself', () => {
      const heard: { siteId: string; request: IncomingMessage }[] = [];
      let server: Server;
      let asking = '';
      before(async () => {
        server = createServer((incoming, response) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.once('end', () => response.end(`itself: ${Buffer.concat(chunks)}`));
        });
        runtime.answerOwnCalls((siteId, connection) => {
          server.once('request', (incoming: IncomingMessage) => heard.push({ siteId, request: incoming }));
          server.emit('connection', connection);
        });
        asking = `function ask($url) {
          $curl = curl_init($url);
          curl_setopt_array($curl, [CURLOPT_RETURNTRANSFER => 1, CURLOPT_TIMEOUT => 60, CURLOPT_POSTFIELDS => 'by curl']);
          $out[] = curl_exec($curl);
          $context = stream_context_create(['http' => ['method' => 'POST', 'content' => 'by stream', 'header' => 'Content-Type: text/plain', 'timeout' => 60]]);
          $out[] = @file_get_contents($url, false, $context);
          $out[] = wp_remote_retrieve_body(wp_remote_post($url, ['body' => 'by WordPress', 'timeout' => 60]));
          return $out;
        }`;
      });
      after(() => server.close());
      const answers = ['itself: by curl', 'itself: by stream', 'itself: by WordPress'];

      it('is answered for commands as well', async () => {
        heard.length = 0;
        const code = "echo wp_remote_retrieve_body(wp_remote_get(home_url('/')));";
        const ran = await runtime.exec(site, {
          args: ['wp', 'eval', code],
          timeoutMs: GENEROUS_MS,
          maxOutputBytes: 1_000,
        });
        assert.equal(ran.stdout, 'itself: ');
        assert.deepEqual(
          heard.map(({ siteId }) => siteId),
          [site.id],
        );
      });

      it('opens no way to anything else, and none at all from an offline site', async () => {
        const neighbour = createServer((_request, response) => response.end('internal'));
        await new Promise<void>((ready) => neighbour.listen(0, '127.0.0.1', ready));
        const { port } = neighbour.address() as { port: number };
        const path = await putProbe(
          runtime,
          site,
          'others.php',
          `foreach (['http://busy.localhost:${port}/', 'http://busy.localhost/', 'http://other.localhost:8080/', 'http://localhost:8080/', 'http://127.0.0.1:8080/', 'http://192.0.0.8:${port}/', 'http://busy.localhost.:${port}/'] as $url) {
            $curl = curl_init($url); curl_setopt_array($curl, [CURLOPT_RETURNTRANSFER => 1, CURLOPT_TIMEOUT => 5]); $out[] = curl_exec($curl);
          }
          echo json_encode(array_filter($out));`,
        );
        heard.length = 0;
        assert.equal((await get(path)).text, '[]');
        const offline = { ...newSpec(site, 'busy.localhost'), isOffline: true };
        await copySite(runtime, site, offline);
        await putProbe(runtime, offline, 'itself.php', `${asking} echo json_encode(array_filter(ask('${site.url}')));`);
        const answer = await get('/wp-content/plugins/probe/itself.php', offline).finally(() => neighbour.close());
        assert.notDeepEqual(answer.text, JSON.stringify(answers));
        assert.doesNotMatch(answer.text, /itself/);
        assert.deepEqual(heard, []);
        await runtime.delete(offline.id);
      });

      // By https it is another process, so that comes last.
      for (const protocol of ['http', 'https']) {
        it(`comes to the platform and nowhere else, by ${protocol}`, async () => {
          const own = { ...site, url: site.url.replace('http:', `${protocol}:`) };
          const path = await putProbe(
            runtime,
            site,
            'itself.php',
            `require '/site/wordpress/wp-load.php'; ${asking} echo json_encode(ask(home_url('/asked?x=1')));`,
          );
          heard.length = 0;
          assert.deepEqual(JSON.parse((await get(path, own)).text), answers);
          assert.deepEqual(
            heard.map(({ siteId, request: { url, headers } }) => [siteId, url, headers.host]),
            Array(3).fill([site.id, '/asked?x=1', 'busy.localhost:8080']),
          );
        });
      }
    });
  });
}
