import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer, request as openRequest, type Server } from 'node:http';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { SiteFailure } from '#runtimes/runtime.ts';
import { createSite, putProbe, request } from '#testkit/contracts/contract-site.ts';
import { describeRuntime } from '#testkit/contracts/runtime.contract.ts';
import { noFpm, openFpmRuntime } from '#testkit/drivers/fpm-runtime.ts';

const why = await noFpm();
if (why) describe('native PHP', () => it('can not be tried here', { skip: why }));
else {
  describeRuntime('native PHP', openFpmRuntime);

  describe('native PHP', () => {
    it('passes on what is long, both ways, and what comes slowly as it comes, with what is known at its end behind it', async () => {
      const { runtime, close } = await openFpmRuntime({ requestTimeoutMs: 60_000 });
      try {
        const site = await createSite(runtime, 'long.localhost');
        const echo = await putProbe(
          runtime,
          site,
          'echo.php',
          "$in = file_get_contents('php://input'); echo md5($in), strlen($in), $in;",
        );
        const body = 'x'.repeat(3_000_000);
        const { text } = await request(runtime, site, { method: 'POST', path: echo, body });
        assert.equal(text.length, 32 + 7 + body.length);
        assert.ok(text.slice(32).startsWith(`3000000${body.slice(0, 10)}`));

        // The same without its length.
        const asked = await (await runtime.start(site)).lease(AbortSignal.timeout(60_000));
        const length = await new Promise<string>((resolve, reject) => {
          const asking = openRequest(
            {
              createConnection: () => asked.connect(),
              method: 'POST',
              path: echo,
              headers: { host: 'long.localhost:8080' },
            },
            (response) => readText(response).then((said) => resolve(said.slice(32, 39)), reject),
          );
          asking.once('error', reject);
          asking.write(body.slice(0, 2_000_000));
          asking.end(body.slice(2_000_000));
        });
        asked.release();
        assert.equal(length, '3000000');

        const slow = await putProbe(
          runtime,
          site,
          'slow.php',
          `require '/site/wordpress/wp-load.php'; while (ob_get_level()) ob_end_flush(); echo 'first'; flush();
          while (!file_exists(WP_CONTENT_DIR . '/go')) { usleep(20000); clearstatcache(); } update_option('blogname', 'other'); echo 'last';`,
        );
        const lease = await (await runtime.start(site)).lease(AbortSignal.timeout(60_000));
        const go = () => writeFile(join(runtime.contentFolder(site.id), 'go'), '');
        const answer = await new Promise<{ text: string; trailers: NodeJS.Dict<string> }>((resolve, reject) => {
          const asking = openRequest(
            { createConnection: () => lease.connect(), path: slow, headers: { host: 'long.localhost:8080' } },
            (response) => {
              let said = '';
              response.on('data', (part: Buffer) => {
                said += part;
                if (said === 'first') go().catch(reject);
              });
              response.once('end', () => resolve({ text: said, trailers: response.trailers }));
            },
          );
          asking.once('error', reject).end();
        });
        lease.release();
        assert.deepEqual([answer.text, answer.trailers['x-siteyard-purge']], ['firstlast', 'all']);

        // Of a PHP that is not there it says so.
        const other = { ...site, phpVersion: '5.6' };
        await assert.rejects(
          request(runtime, other, { path: '/' }),
          (error) => error instanceof SiteFailure && /PHP 5\.6 is not installed/.test(error.message),
        );
      } finally {
        await close();
      }
    });

    it('lets a site call networks that the operator allows, and an offline one nobody', async (t) => {
      const server = createServer((_request, response) => response.end('internal'));
      const port = await listenAtOne(server, [9200, 27_017, 1433, 11_211, 6379]);
      if (port === undefined) return t.skip('all the ports that sites reach are taken on this machine');
      const { runtime, close } = await openFpmRuntime({ allowedNetworks: ['127.0.0.0/8'] });
      try {
        const site = await createSite(runtime, 'caller.localhost');
        const code = `$curl = curl_init('http://127.0.0.1:${port}/'); curl_setopt_array($curl, [CURLOPT_RETURNTRANSFER => 1, CURLOPT_TIMEOUT => 20]);
          echo json_encode([@file_get_contents('http://127.0.0.1:${port}/'), curl_exec($curl)]);`;
        const path = await putProbe(runtime, site, 'call.php', code);
        assert.equal((await request(runtime, site, { path })).text, '["internal","internal"]');
        assert.equal((await request(runtime, { ...site, isOffline: true }, { path })).text, '[false,false]');
      } finally {
        server.close();
        await close();
      }
    });
  });
}

async function listenAtOne(server: Server, ports: readonly number[]): Promise<number | undefined> {
  for (const port of ports) {
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (isFree) return port;
  }
  return undefined;
}
