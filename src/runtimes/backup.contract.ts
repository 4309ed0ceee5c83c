import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  copySite,
  copyStorage,
  createSite,
  firstContent,
  newSpec,
  putProbe,
  request,
  until,
  wp,
} from './contract-site.ts';
import type { Runtime, SiteFailure, SiteSpec, SiteStorage } from './runtime.ts';

/** What backups, restores and previews need of every driver. A driver's own test opens it and calls this. */
export function describeBackups(name: string, open: () => Promise<{ runtime: Runtime; close(): Promise<void> }>): void {
  describe(`backup contract: ${name}`, () => {
    let runtime: Runtime;
    let site: SiteSpec;
    let close = async () => {};
    before(async () => {
      ({ runtime, close } = await open());
      site = await createSite(runtime, 'first.localhost');
    });
    after(() => close());

    const get = (path: string, target = site) => request(runtime, target, { path });
    const putPhp = (name: string, code: string, target = site) => putProbe(runtime, target, name, code);

    it('lets an offline site mail nobody, run nothing by the clock, call nobody and tell nothing', async () => {
      const plugins = join(runtime.contentFolder(site.id), 'mu-plugins');
      await mkdir(plugins);
      const clock = "add_action('probe_clock', fn() => file_put_contents(WP_CONTENT_DIR . '/clock.txt', 'x'));";
      await writeFile(join(plugins, 'clock.php'), `<?php\n${clock}`);
      const schedule = "require '/site/wordpress/wp-load.php'; wp_schedule_single_event(time() - 10, 'probe_clock');";
      await get(await putPhp('schedule.php', schedule));
      const offline = { ...newSpec(site, 'offline.localhost'), isOffline: true };
      await copySite(runtime, site, offline);
      await rm(plugins, { recursive: true });

      const told: string[] = [];
      const tell = (what: string) => (siteId: string) => siteId === offline.id && told.push(what);
      runtime.listen({ mail: tell('mail'), status: tell('status'), changed: tell('changed') });
      const page = await get('/', offline);
      assert.equal(page.status, 200);
      assert.match(page.text, /<meta name='robots' content='[^']*noindex/);
      assert.match(String(page.headers['x-robots-tag']), /noindex/);

      assert.equal((await get('/wp-cron.php?doing_wp_cron', offline)).status, 200);
      assert.equal(existsSync(join(runtime.contentFolder(offline.id), 'clock.txt')), false);
      const mail = '{"from":"a@example.com","to":["b@example.com"],"message":""}';
      const code = `require '/site/wordpress/wp-load.php'; require ABSPATH . 'wp-admin/includes/update.php';
        file_put_contents('/site/outbox/mail-1-a.json', '${mail}');
        file_put_contents('/site/outbox/status.json', '{"favicon_url":null,"next_cron":1}');
        $since = microtime(true);
        foreach (['_site_transient_update_core', '_site_transient_update_plugins', '_site_transient_update_themes'] as $name) delete_option($name);
        wp_version_check(); wp_update_plugins(); wp_update_themes();
        update_option('blogname', 'Changed');
        echo json_encode([wp_mail('bob@example.com', 'Hello', 'Bob'), @mail('bob@example.com', 'Hello', 'Bob'),
          is_wp_error(wp_remote_get(home_url('/'))), microtime(true) - $since < 9]);`;
      assert.equal((await get(await putPhp('offline.php', code, offline), offline)).text, '[false,false,true,true]');
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

    it('keeps what the time machine has beside a site from its PHP and out of its size', async () => {
      const { content, staging, state } = runtime.storage(site.id);
      assert.equal(content, runtime.contentFolder(site.id));
      await get('/');
      const sizeBefore = await runtime.diskUsageBytes(site.id);
      await mkdir(staging);
      assert.equal((await stat(staging)).dev, (await stat(content)).dev);
      await writeFile(join(staging, 'journal.json'), Buffer.alloc(1_000_000, 'secret'));
      await writeFile(state, Buffer.alloc(1_000_000, 'secret'));
      assert.equal(await runtime.diskUsageBytes(site.id), sizeBefore);
      const path = await putPhp(
        'beside.php',
        `foreach (['/site', WP_CONTENT, WP_CONTENT . '/..', '${join(content, '..')}'] as $folder)
          foreach (['restoring/journal.json', 'archive-state.json'] as $name) {
            $out[] = @file_get_contents("$folder/$name");
            @file_put_contents("$folder/$name", 'changed');
          }
        echo json_encode(array_filter($out, fn($text) => is_string($text) && str_contains($text, 'secret')));`.replaceAll(
          'WP_CONTENT',
          "'/site/wordpress/wp-content'",
        ),
      );
      assert.equal((await get(path)).text, '[]');
      assert.match(await readFile(state, 'utf8'), /^secret/);
      assert.match(await readFile(join(staging, 'journal.json'), 'utf8'), /^secret/);
      await Promise.all([rm(staging, { recursive: true }), rm(state)]);
    });

    it('tells before PHP runs and after it has ended, however it ended', async () => {
      const written = join(runtime.contentFolder(site.id), 'written.txt');
      await writeFile(written, '');
      /** How much PHP had written when it was told, each time. */
      let heard: number[] = [];
      runtime.listen({ touched: (siteId) => siteId === site.id && heard.push(statSync(written).size) });
      const tells = async (work: () => Promise<unknown>) => {
        const before = statSync(written).size;
        heard = [];
        await work();
        // The end of PHP may be told after its answer, and PHP goes on without its visitor.
        await until(() => heard.at(-1) === before + 1, 240_000);
        assert.equal(heard[0], before);
      };
      const write = "file_put_contents('/site/wordpress/wp-content/written.txt', 'x', FILE_APPEND);";
      const short = await putPhp('write.php', write);
      const endless = await putPhp('write-and-loop.php', `${write} while (true) { usleep(10000); }`);
      const broken = await putPhp('write-and-break.php', `${write} this_function_does_not_exist();`);
      await tells(() => get(short));
      await tells(() => get(broken));
      // It is ended long after its visitor has left.
      await tells(() => assert.rejects(request(runtime, site, { path: endless, timeoutMs: 6_000 })));
      const run = (path: string) => ({ ...wp(), args: ['php', `/site/wordpress${path}`] as [string, string] });
      await tells(() => runtime.exec(site, run(short)));
      await tells(() => runtime.exec(site, { ...run(endless), timeoutMs: 10_000 }));

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
      await tells(() => runtime.restore(written.id));
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
      await get('/wp-login.php');
      const [first, second] = [await runtime.suspend(site.id), await runtime.suspend(site.id)];
      assert.ok(!runtime.awake().some(({ siteId }) => siteId === site.id));
      const stopped = (error: SiteFailure) => error.reason === 'stopped';
      await assert.rejects(get('/wp-login.php'), stopped);
      await assert.rejects(runtime.exec(site, wp('option', 'get', 'home')), stopped);
      first();
      first();
      await assert.rejects(get('/wp-login.php'), stopped);
      second();
      assert.equal((await get('/wp-login.php')).status, 200);
    });
  });
}
