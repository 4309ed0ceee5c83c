import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Runtime, SiteFailure, SiteSpec, SiteStorage } from '#runtimes/runtime.ts';
import type { Step } from '../drivers/memory/steps.ts';
import {
  copySite,
  copyStorage,
  createSite,
  type DriverUnderTest,
  firstContent,
  newSpec,
  program,
  putFile,
  request,
  until,
  wp,
} from './contract-site.ts';

/** What backups, restores and previews need of every driver. A driver's own test opens it and calls this. */
export function describeBackups(name: string, open: () => Promise<DriverUnderTest>): void {
  describe(`backup contract: ${name}`, () => {
    let driver: DriverUnderTest;
    let runtime: Runtime;
    let site: SiteSpec;
    before(async () => {
      driver = await open();
      ({ runtime } = driver);
      site = await createSite(runtime, 'first.localhost');
    });
    after(() => driver.close());

    const get = (path: string, target = site) => request(runtime, target, { path });
    const put = (name: string, ...steps: Step[]) => driver.put(site, name, steps);

    it('lets an offline site mail nobody, run nothing by the clock, ask not even itself and tell nothing', async () => {
      const clock: Step = { schedule: { atSeconds: 1_000_000_000, steps: [{ append: 'clock.txt' }] } };
      await get(await put('schedule.php', clock));
      const offline = { ...newSpec(site, 'offline.localhost'), isOffline: true };
      await copySite(runtime, site, offline);
      const told: string[] = [];
      const tell = (what: string) => (siteId: string) => siteId === offline.id && told.push(what);
      runtime.listen({ mail: tell('mail'), status: tell('status'), changed: tell('changed'), logged: tell('logged') });
      const page = await get('/', offline);
      assert.equal(page.status, 200);
      assert.match(page.text, /<meta name='robots' content='[^']*noindex/);
      assert.match(String(page.headers['x-robots-tag']), /noindex/);
      assert.equal((await get('/wp-cron.php?doing_wp_cron', offline)).status, 200);
      assert.equal(existsSync(join(runtime.contentFolder(offline.id), 'clock.txt')), false);
      const steps: Step[] = [
        { setOption: ['blogname', 'Changed'] },
        { warn: 'mind this' },
        { ask: { path: '/', body: '' } },
        { mail: { to: 'bob@example.com', subject: 'Hello', text: 'Bob' } },
      ];
      assert.equal((await get(await driver.put(offline, 'offline.php', steps), offline)).text, 'false');
      assert.equal(await runtime.hasOutgoingMail(offline.id), false);
      // All that was told would have been told by the time of the next answer.
      await get('/wp-login.php', offline);
      assert.deepEqual(told, []);

      // What was scheduled is due, as the same site shows when it is let.
      await get('/wp-cron.php?doing_wp_cron', { ...offline, isOffline: false });
      assert.equal(existsSync(join(runtime.contentFolder(offline.id), 'clock.txt')), true);
      await runtime.delete(offline.id);
    });

    it('makes a site of what is put into its storage, whole or not at all, and again', async () => {
      const adopted = newSpec(site, 'adopted.localhost');
      const fill = async (storage: SiteStorage) => copyStorage(runtime.storage(site.id), storage);
      const breakOff = async (storage: SiteStorage) => {
        await fill(storage);
        throw new Error('broken off');
      };
      await assert.rejects(runtime.adopt(adopted, breakOff), /broken off/);
      assert.equal(existsSync(runtime.contentFolder(adopted.id)), false);
      await runtime.adopt(adopted, async (storage) => {
        await fill(storage);
        await writeFile(join(storage.content, 'first-attempt.txt'), 'x');
      });
      assert.equal(existsSync(join(runtime.contentFolder(adopted.id), 'first-attempt.txt')), true);
      const page = await get('/', adopted);
      assert.match(page.text, /http:\/\/adopted\.localhost:8080/);
      assert.doesNotMatch(page.text, /first\.localhost:8080/);
      await runtime.adopt(adopted, fill);
      assert.equal(existsSync(join(runtime.contentFolder(adopted.id), 'first-attempt.txt')), false);
      assert.equal((await get('/', adopted)).status, 200);
      assert.deepEqual((await runtime.health(adopted)).problems, []);
      await runtime.delete(adopted.id);
    });

    it('keeps what the time machine has beside a site out of its size', async () => {
      const { content, staging, state } = runtime.storage(site.id);
      assert.equal(content, runtime.contentFolder(site.id));
      await get('/');
      const sizeBefore = await runtime.diskUsageBytes(site.id);
      await mkdir(staging);
      assert.equal((await stat(staging)).dev, (await stat(content)).dev);
      await writeFile(join(staging, 'journal.json'), Buffer.alloc(1_000_000));
      await writeFile(state, Buffer.alloc(1_000_000));
      assert.equal(await runtime.diskUsageBytes(site.id), sizeBefore);
      await Promise.all([rm(staging, { recursive: true }), rm(state)]);
    });

    it('tells before a site works and after it has ended, however it ended', async () => {
      const written = await putFile(runtime, site, 'written.txt', '');
      /** How much the site had written when it was told, each time. */
      let heard: number[] = [];
      runtime.listen({ touched: (siteId) => siteId === site.id && heard.push(statSync(written).size) });
      const tells = async (work: () => Promise<unknown>) => {
        const before = statSync(written).size;
        heard = [];
        await work();
        // The end of the work may be told after its answer, and the work goes on without its visitor.
        await until(() => heard.at(-1) === before + 1, 240_000);
        assert.equal(heard[0], before);
      };
      const write: Step = { append: 'written.txt' };
      const short = await put('write.php', write);
      const endless = await put('write-and-loop.php', write, { loop: true });
      const broken = await put('write-and-break.php', write, { fail: true });
      await tells(() => get(short));
      await tells(() => get(broken));
      // It is ended long after its visitor has left.
      await tells(() => assert.rejects(request(runtime, site, { path: endless, timeoutMs: 6_000 })));
      const startedAt = performance.now();
      await tells(() => runtime.exec(site, program(short)));
      // Long enough to have begun, on a machine as busy as this one is now.
      const timeoutMs = Math.ceil(2_000 + 4 * (performance.now() - startedAt));
      await tells(() => runtime.exec(site, { ...program(endless), timeoutMs }));

      // Nothing runs, so there is nothing to tell.
      assert.equal((await get(short)).status, 200);
      await new Promise((wait) => setTimeout(wait, 100));
      heard = [];
      await runtime.stop(site.id);
      assert.deepEqual(heard, []);
    });

    it('tells of what the platform writes to a site', async () => {
      const written = newSpec(site, 'written.localhost');
      let heard = 0;
      runtime.listen({ touched: (siteId) => siteId === written.id && heard++ });
      const tells = async (work: () => Promise<unknown>) => {
        const working = work();
        // What counts is what is told when the work is done.
        heard = 0;
        await working;
        assert.ok(heard > 0);
      };
      await tells(() => runtime.create(written, firstContent('written')));
      await tells(() => runtime.adopt(written, (storage) => copyStorage(runtime.storage(site.id), storage)));
      await runtime.archive(written.id);
      await tells(() => runtime.unarchive(written.id));
      const database = await runtime.database(written.id);
      await tells(() => database.query("update wp_options set option_value = 'x' where option_name = 'blogname'"));
      await tells(() => database.moveTo('https://elsewhere.example'));
      heard = 0;
      await database.tables();
      assert.equal(heard, 0);
      database.close();
      await runtime.delete(written.id);
    });

    it('runs nothing of a site that is suspended, for as long as anybody wants that', async () => {
      const path = await put('answer.php', { say: 'an answer' });
      await get(path);
      const [first, second] = [await runtime.suspend(site.id), await runtime.suspend(site.id)];
      assert.ok(!runtime.awake().some(({ siteId }) => siteId === site.id));
      const stopped = (error: SiteFailure) => error.reason === 'stopped';
      await assert.rejects(get(path), stopped);
      await assert.rejects(runtime.exec(site, wp('option', 'get', 'home')), stopped);
      first();
      first();
      await assert.rejects(get(path), stopped);
      second();
      assert.equal((await get(path)).text, 'an answer');
    });
  });
}
