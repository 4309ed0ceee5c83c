import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isRunning } from '#runtimes/folders/run-folder.ts';
import { type Runtime, SiteFailure, type SiteSpec } from '#runtimes/runtime.ts';
import type { Step } from '../drivers/memory/steps.ts';
import { copySite, createSite, type DriverUnderTest, newSpec, program, request, until, wp } from './contract-site.ts';

/** Limits that a test does not come near to, however busy the machine is. */
const GENEROUS_MS = 240_000;

/** Drivers may work in this process, which goes on. */
const isRunningElsewhere = (pid: number) => pid !== process.pid && isRunning(pid);

/**
 * What every driver must do about several requests at once: none waits for another that takes long, all of a site ends
 * together, and a site can ask itself.
 */
export function describeProcesses(
  name: string,
  open: (limits: { requestTimeoutMs: number }) => Promise<DriverUnderTest>,
): void {
  describe(`process contract: ${name}`, () => {
    let driver: DriverUnderTest;
    let runtime: Runtime;
    let site: SiteSpec;
    before(async () => {
      driver = await open({ requestTimeoutMs: GENEROUS_MS });
      ({ runtime } = driver);
      site = await createSite(runtime, 'busy.localhost');
    });
    after(() => driver.close());

    const get = (path: string, target = site) => request(runtime, target, { path, timeoutMs: GENEROUS_MS });
    const pids = () => runtime.awake().flatMap(({ siteId, pid }) => (siteId === site.id ? [pid] : []));
    const inContent = (file: string) => join(runtime.contentFolder(site.id), file);
    /** Says whether the site answers, for which a fresh process does not have to read all of WordPress. */
    const isAlive = async () => (await get(await driver.put(site, 'alive.php', [{ say: 'alive' }]))).text === 'alive';

    /** A request that goes on until it is let go; resolves when the site is at it. */
    let holds = 0;
    const hold = async () => {
      const mark = `hold-${holds++}`;
      const answer = get(await driver.put(site, `${mark}.php`, [{ hold: mark }, { say: 'let go' }]));
      answer.catch(() => {});
      await until(() => existsSync(inContent(`${mark}.begun`)), GENEROUS_MS);
      return {
        answer,
        letGo: () => writeFile(inContent(`${mark}.go`), ''),
        hasEnded: () => existsSync(inContent(`${mark}.ended`)),
      };
    };

    it('answers others while one request takes long', async () => {
      const long = await hold();
      assert.ok(await isAlive());
      assert.equal(long.hasEnded(), false);
      assert.equal(pids().length, 2);
      await long.letGo();
      assert.equal((await long.answer).text, 'let go');
    });

    it('takes what several requests write at once, and tells no visitor of a lock', async () => {
      const [one, other] = await Promise.all([hold(), hold()]);
      await Promise.all([one.letGo(), other.letGo(), one.answer, other.answer]);
      const answers = await Promise.all(
        ['a', 'b', 'c', 'd'].map(async (who) => {
          const options = Array.from({ length: 40 }, (_, n): Step => ({ setOption: [`at-once-${who}-${n}`, 'x'] }));
          return get(await driver.put(site, `write-${who}.php`, [...options, { say: 'done' }]));
        }),
      );
      assert.deepEqual(
        answers.map(({ text }) => text),
        ['done', 'done', 'done', 'done'],
      );
      const database = await runtime.database(site.id);
      const rows = await database.query("select count(*) as n from wp_options where option_name like 'at-once-%'");
      database.close();
      assert.equal(rows[0]?.n, 160);
    });

    it('tells that PHP may be running until the last of several requests has ended', async () => {
      let heard = 0;
      runtime.listen({ touched: (siteId) => siteId === site.id && heard++ });
      const long = await hold();
      assert.ok(await isAlive());
      // Two have begun and one has ended, which is told a moment after its answer. On a busy machine a request of before is told here too.
      await until(() => heard >= 3);
      const before = heard;
      await long.letGo();
      await long.answer;
      await until(() => heard > before);
    });

    it('ends all processes of a site when it is stopped, and when some work has it to itself', async () => {
      for (const end of [() => runtime.stop(site.id), () => runtime.suspend(site.id)]) {
        const held = [await hold(), await hold()];
        const running = pids();
        assert.ok(running.length >= 2);
        const resume = await end();
        assert.deepEqual(running.filter(isRunningElsewhere), []);
        assert.deepEqual(pids(), []);
        for (const { answer, letGo, hasEnded } of held) {
          await letGo();
          // It had begun, so that nobody may send it again.
          await assert.rejects(answer, (error) => error instanceof SiteFailure && error.reason === 'interrupted');
          assert.equal(hasEnded(), false);
        }
        resume?.();
      }
      assert.ok(await isAlive());
    });

    it('ends a command too when some work has the site to itself, and starts none', async () => {
      const path = await driver.put(site, 'command.php', [{ append: 'counted' }, { loop: true }]);
      const limits = { timeoutMs: GENEROUS_MS, maxOutputBytes: 1_000 };
      const running = runtime.exec(site, { ...program(path), ...limits });
      await until(() => existsSync(inContent('counted')), GENEROUS_MS);
      const resume = await runtime.suspend(site.id);
      assert.notEqual((await running).exitCode, 0);
      await assert.rejects(
        runtime.exec(site, { ...wp('option', 'get', 'home'), ...limits }),
        (error) => error instanceof SiteFailure && error.reason === 'stopped',
      );
      resume();
    });

    it('minds nothing where it can not warm a site up', async () => {
      await runtime.warmUp(newSpec(site, 'nowhere.localhost'));
    });

    describe('what a site asks of itself', () => {
      const heard: { siteId: string; request: IncomingMessage }[] = [];
      let server: Server;
      before(() => {
        server = createServer((incoming, response) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.once('end', () => response.end(`itself: ${Buffer.concat(chunks)}`));
        });
        runtime.answerOwnCalls((siteId, connection) => {
          server.once('request', (incoming: IncomingMessage) => heard.push({ siteId, request: incoming }));
          server.emit('connection', connection);
        });
      });
      after(() => server.close());
      const asking: Step = { ask: { path: '/asked?x=1', body: 'a question' } };

      it('comes to the platform and nowhere else, from requests and from commands', async () => {
        const path = await driver.put(site, 'itself.php', [asking]);
        assert.equal((await get(path)).text, 'itself: a question');
        const limits = { timeoutMs: GENEROUS_MS, maxOutputBytes: 1_000 };
        assert.equal((await runtime.exec(site, { ...program(path), ...limits })).stdout, 'itself: a question');
        assert.deepEqual(
          heard.map(({ siteId, request: { url, headers } }) => [siteId, url, headers.host]),
          Array(2).fill([site.id, '/asked?x=1', 'busy.localhost:8080']),
        );
      });

      it('is not answered to an offline site', async () => {
        heard.length = 0;
        const offline = { ...newSpec(site, 'busy.localhost'), isOffline: true };
        await copySite(runtime, site, offline);
        assert.equal((await get(await driver.put(offline, 'itself.php', [asking]), offline)).text, '');
        assert.deepEqual(heard, []);
        await runtime.delete(offline.id);
      });
    });
  });
}
