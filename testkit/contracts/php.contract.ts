import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Runtime, SiteSpec } from '#runtimes/runtime.ts';
import { createLoginUrl } from '#runtimes/wordpress/access.ts';
import { zipOf } from '../archives/zip.ts';
import { collect, copySite, createSite, newSpec, putFile, putProbe, request, until, wp } from './contract-site.ts';

/** Stands in for the plugin directory of wordpress.org, which tests cannot reach. */
const DIRECTORY = `<?php
add_filter( 'site_transient_update_plugins', fn() => (object) array( 'last_checked' => time(), 'response' => array( 'known/known.php' => (object) array(
  'slug' => 'known', 'plugin' => 'known/known.php', 'new_version' => '2.0', 'package' => 'https://directory.example/update.zip' ) ) ) );
add_filter( 'upgrader_pre_download', fn() => copy( WP_PLUGIN_DIR . '/update.zip', '/tmp/update.zip' ) ? '/tmp/update.zip' : false );
`;

/** What every driver must do that runs PHP and WordPress, hostile PHP included. A driver's own test opens it and calls this. */
export function describePhp(
  name: string,
  open: (limits: { requestTimeoutMs: number }) => Promise<{ runtime: Runtime; close(): Promise<void> }>,
): void {
  describe(`contract of PHP: ${name}`, () => {
    let runtime: Runtime;
    let site: SiteSpec;
    let close = async () => {};
    before(async () => {
      ({ runtime, close } = await open({ requestTimeoutMs: 240_000 }));
      site = await createSite(runtime, 'first.localhost');
    });
    after(() => close());

    const get = (path: string, target = site) => request(runtime, target, { path });
    const putPhp = (name: string, code: string, target = site) => putProbe(runtime, target, name, code);

    it('says for how long a page may be kept where that is shorter than usual', async () => {
      const keep = async (path: string) => (await get(path)).headers['x-siteyard-keep'];
      assert.equal(await keep('/'), undefined);
      assert.equal(await keep('/no-such-page/'), '30');
      const plugins = join(runtime.contentFolder(site.id), 'mu-plugins');
      await mkdir(plugins, { recursive: true });
      await writeFile(join(plugins, 'nonces.php'), "<?php add_filter( 'nonce_life', fn() => 3600 );");
      assert.equal(await keep('/'), '1200');
      assert.equal(await keep('/no-such-page/'), '30');
      await rm(join(plugins, 'nonces.php'));
    });

    it('runs what was just written to the content folder', async () => {
      await putPhp('new.php', 'echo "one";');
      assert.equal((await get('/wp-content/plugins/probe/new.php')).text, 'one');
      // PHP compares times in whole seconds.
      await new Promise((wait) => setTimeout(wait, 1_100));
      await putPhp('new.php', 'echo "two";');
      assert.equal((await get('/wp-content/plugins/probe/new.php')).text, 'two');
    });

    it('knows other languages', async () => {
      const path = await putPhp(
        'languages.php',
        `$words = ['z', 'ä', 'a']; (new Collator('de_DE'))->sort($words);
        echo implode('', $words), ' ', transliterator_transliterate('Any-Latin; Latin-ASCII', 'Привет'), ' ', idn_to_ascii('müller.de'), ' ',
          (new IntlDateFormatter('fr_FR', IntlDateFormatter::LONG, IntlDateFormatter::NONE, 'UTC'))->format(0);`,
      );
      assert.equal((await get(path)).text, 'aäz Privet xn--mller-kva.de 1 janvier 1970');
    });

    it('goes on serving pages after wp-admin has updated an active plugin, and after the maintenance command', async () => {
      const pluginText = (version: string) => `<?php\n/* Plugin Name: Known\nVersion: ${version} */\n`;
      await putFile(runtime, site, 'plugins/known/known.php', pluginText('1.0'));
      await putFile(runtime, site, 'plugins/update.zip', zipOf('known/known.php', pluginText('2.0')));
      const directory = await putFile(runtime, site, 'mu-plugins/directory.php', DIRECTORY);
      const signIn = await get(createLoginUrl(site).url.slice(site.url.length));
      const cookie = [signIn.headers['set-cookie']].flat().map((line) => line?.split(';')[0]);
      const headers = { cookie: cookie.join('; '), 'content-type': 'application/x-www-form-urlencoded' };
      const open = (path: string) => request(runtime, site, { path, headers });
      const plugins = (await open('/wp-admin/plugins.php')).text;
      const [activate = ''] = /plugins\.php\?action=activate[^"]*known%2Fknown\.php[^"]*/.exec(plugins) ?? [];
      assert.equal((await open(`/wp-admin/${activate.replaceAll('&amp;', '&')}`)).status, 302);
      const [, nonce = ''] = /"ajax_nonce":"(\w+)"/.exec(plugins) ?? [];
      const fields = { action: 'update-plugin', _ajax_nonce: nonce, slug: 'known', plugin: 'known/known.php' };
      const body = new URLSearchParams(fields).toString();
      const updated = await request(runtime, site, { method: 'POST', path: '/wp-admin/admin-ajax.php', headers, body });
      const { success, data } = JSON.parse(updated.text);
      assert.deepEqual([success, data.oldVersion, data.newVersion], [true, 'Version 1.0', 'Version 2.0'], updated.text);
      const areServed = async () => {
        for (const path of ['/', '/wp-admin/', '/wp-json/']) assert.equal((await open(path)).status, 200, path);
      };
      await areServed();
      const exitCodeOf = async (...args: string[]) => (await runtime.exec(site, wp(...args))).exitCode;
      await exitCodeOf('maintenance-mode', 'activate');
      // WordPress' own files cannot be written, so there is no maintenance mode, and every command has to say the same.
      assert.equal(await exitCodeOf('maintenance-mode', 'is-active'), 1);
      assert.equal(await exitCodeOf('maintenance-mode', 'is-active'), 1);
      assert.equal(await exitCodeOf('option', 'get', 'home'), 0);
      await areServed();
      await rm(directory);
    });

    it('survives a request that uses up its memory', async () => {
      const path = await putPhp('memory.php', '$all = []; while (true) { $all[] = str_repeat("x", 1 << 20); }');
      const answer = await get(path);
      assert.equal(answer.status, 500);
      assert.equal(answer.headers['x-siteyard-failure'], 'memory');
      assert.equal((await get('/wp-login.php')).status, 200);
    });

    it('says so where a call does nothing or may not be, and locks nothing that others have too', async () => {
      const path = await putPhp(
        'calls.php',
        `$folder = '/site/wordpress/wp-content/uploads'; @mkdir($folder); $file = "$folder/file"; file_put_contents($file, 'x');
        $core = fopen('/site/wordpress/wp-load.php', 'r'); $own = fopen($file, 'r+'); $again = fopen($file, 'r+');
        $called = [
          'chown' => @chown($file, 0), 'chgrp' => @chgrp($file, 0), 'lchown' => @lchown($file, 4711), 'own' => chown($file, getmyuid()),
          'link' => @link($file, "$folder/link"), 'symlink' => @symlink('/etc/passwd', "$folder/soft"),
          'set-uid' => @chmod($file, 04755), 'set-gid' => @chmod($folder, 02755), 'chmod' => chmod($file, 0600),
          'core' => flock($core, LOCK_EX | LOCK_NB), 'lock' => flock($own, LOCK_EX), 'locked' => flock($again, LOCK_EX | LOCK_NB),
          'touch' => touch($file, 1000000000) && filemtime($file) === 1000000000,
          'mail' => @mail('a@example.com', 'subject', 'text'), 'nice' => @proc_nice(-1),
        ];
        exec('true', $output, $code); $called['exec'] = $code === 0;
        echo json_encode(array_keys(array_filter($called))), ' ', decoct(fileperms($file));`,
      );
      const [called, mode] = (await get(path)).text.split(' ');
      const may = JSON.parse(called ?? '') as string[];
      assert.deepEqual([may.filter((call) => call !== 'core'), mode], [['own', 'chmod', 'lock', 'touch'], '100600']);
      if (!may.includes('core')) return;
      // Where it can be locked, that is for the site itself alone.
      const hold = `$core = fopen('/site/wordpress/wp-load.php', 'r'); echo json_encode(flock($core, LOCK_EX | LOCK_NB));
        $mark = '/site/wordpress/wp-content/lock'; touch("$mark-held"); while (!file_exists("$mark-go")) { usleep(10000); clearstatcache(); }`;
      const holding = get(await putPhp('hold.php', hold));
      await until(() => existsSync(join(runtime.contentFolder(site.id), 'lock-held')));
      const other = await createSite(runtime, 'unlocked.localhost');
      const tried = await get(await putPhp('try.php', hold.split('\n')[0] ?? '', other), other);
      await writeFile(join(runtime.contentFolder(site.id), 'lock-go'), '');
      assert.deepEqual([(await holding).text, tried.text], ['true', 'true']);
      await runtime.delete(other.id);
    });

    it('survives an exit in a shutdown handler', async () => {
      const path = await putPhp('exit.php', 'register_shutdown_function(function () { exit(3); }); echo "before";');
      assert.equal((await get(path)).text, 'before');
      assert.equal((await get('/wp-login.php')).status, 200);
    });

    it('survives a request that opens ten thousand files', async () => {
      const path = await putPhp(
        'files.php',
        '$open = []; for ($n = 0; $n < 10000; $n++) { $open[] = fopen(__FILE__, "r"); } echo count(array_filter($open));',
      );
      const answer = await get(path);
      // It either gets its files, or fails and says so; an empty page that looks like success is neither.
      if (answer.text !== '10000') assert.equal(answer.headers['x-siteyard-failure'], 'crash');
      assert.equal((await get('/wp-login.php')).status, 200);
    });

    it('survives recursion without an end, and a fatal error says so', async () => {
      const deep = await putPhp('deep.php', 'function f($n) { return f($n + 1) . "x"; } f(0);');
      await get(deep).catch(() => {});
      const fatal = await putPhp('fatal.php', 'this_function_does_not_exist();');
      const answer = await get(fatal);
      assert.equal(answer.status, 500);
      assert.equal(answer.headers['x-siteyard-failure'], 'crash');
      assert.equal((await get('/wp-login.php')).status, 200);
    });

    it('takes what is said after a fatal error, or without a body, for the answer that it is', async () => {
      const redirect = await putPhp(
        'redirect.php',
        "register_shutdown_function(fn() => header('Location: /elsewhere', true, 302)); this_function_does_not_exist();",
      );
      const answer = await get(redirect);
      assert.deepEqual([answer.status, answer.headers.location], [302, '/elsewhere']);
      assert.equal(answer.headers['x-siteyard-failure'], undefined);
      const apology = await putPhp(
        'apology.php',
        "register_shutdown_function(function () { echo 'sorry'; }); this_function_does_not_exist();",
      );
      const said = await get(apology);
      assert.deepEqual([said.status, said.text, said.headers['x-siteyard-failure']], [500, 'sorry', undefined]);
      const closed = await get(await putPhp('closed.php', "http_response_code(503); header('Retry-After: 60');"));
      assert.deepEqual([closed.status, closed.headers['x-siteyard-failure']], [503, undefined]);
    });

    it('keeps a site inside of its own folders', async () => {
      const other = await createSite(runtime, 'neighbour.localhost');
      const secret = join(runtime.contentFolder(other.id), 'secret.txt');
      await writeFile(secret, 'another tenant');
      const outside = join(runtime.coreFolder(site.coreVersion), 'index.php');
      const before = await readFile(outside, 'utf8');
      const path = await putPhp(
        'escape.php',
        `$out = [];
        foreach (['${secret}', '/etc/passwd', '/proc/self/environ', '../../../../../../../../etc/passwd'] as $file) $out[] = @file_get_contents($file);
        @symlink('/etc', __DIR__ . '/etc-link');
        $out[] = @file_get_contents(__DIR__ . '/etc-link/passwd');
        $out[] = @file_get_contents(__DIR__ . '/made-by-a-shell');
        @file_put_contents(__DIR__ . '/made-by-a-shell', 'owned');
        @file_put_contents(ABSPATH_OR('index.php'), '<?php echo "owned";');
        @file_put_contents('/site/platform/siteyard.php', '<?php');
        $out[] = @shell_exec('id');
        // In a sandbox there may be a list of users in which it is alone.
        $isAlone = fn($x) => (bool) preg_match('/^site:x:[^\\n]*\\n$/', $x);
        echo json_encode(array_map(fn($x) => $x === false || $x === null || $x === '' || $isAlone($x) ? null : substr($x, 0, 40), $out));
        function ABSPATH_OR($name) { return '/site/wordpress/' . $name; }`,
      );
      await symlink(secret, join(runtime.contentFolder(site.id), 'plugins/probe/made-by-a-shell'));
      const answer = await get(path);
      assert.deepEqual(JSON.parse(answer.text), [null, null, null, null, null, null, null]);
      assert.equal(await readFile(secret, 'utf8'), 'another tenant');
      assert.equal(await readFile(outside, 'utf8'), before);
      assert.equal(existsSync(join(runtime.contentFolder(site.id), 'plugins/probe/etc-link')), false);
      await runtime.delete(other.id);
    });

    it('runs no native code for a site, and no code of a file that calls itself an extension', async () => {
      const path = await putPhp(
        'extension.php',
        `file_put_contents('/usr/local/lib/php/evil.so', 'x'); @mkdir('/usr/local/lib/php/20230831', 0777, true);
        file_put_contents('/usr/local/lib/php/20230831/evil.so', file_get_contents(__DIR__ . '/side-module.wasm'));
        echo json_encode([function_exists('dl') && @dl('evil.so'), ini_get('enable_dl')]);`,
      );
      await writeFile(join(runtime.contentFolder(site.id), 'plugins/probe/side-module.wasm'), 'no module at all');
      assert.deepEqual(JSON.parse((await get(path)).text), [false, '0']);
    });

    it('bears what PHP says that is no HTTP', async () => {
      const path = await putPhp(
        'headers.php',
        "header('X-Title: 日本'); header('Bad Name: x'); header('Content-Disposition: attachment; filename=\"ü.pdf\"'); echo 'ok';",
      );
      const answer = await get(path);
      assert.equal(answer.text, 'ok');
      assert.equal(Buffer.from(String(answer.headers['x-title']), 'latin1').toString(), '日本');
      const odd = await putPhp('status.php', "http_response_code(42); echo 'ok';");
      assert.equal((await get(odd)).status, 500);
    });

    it('does not trust what lies in the outbox', async () => {
      const code = `@mkdir('/site/outbox/mail-1-a.json'); @mkdir('/site/outbox/mail-1-a.json/x');
        file_put_contents('/site/outbox/mail-2-b.json', '{"from":1}'); file_put_contents('/site/outbox/mail-3-c.json', 'no json');
        @chmod('/site/outbox/status.json', 0); echo 'left';`;
      assert.equal((await get(await putPhp('outbox.php', code))).text, 'left');
      assert.deepEqual(await collect(runtime.outgoingMail(site.id)), []);
      assert.equal(await runtime.hasOutgoingMail(site.id), false);
      assert.equal((await get('/wp-login.php')).status, 200);
    });

    it('keeps a site from the machine’s own network', async () => {
      const { createServer } = await import('node:http');
      let visits = 0;
      const server = createServer((_request, response) => {
        visits++;
        response.end('internal');
      });
      await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
      const { port } = server.address() as { port: number };
      const path = await putPhp(
        'network.php',
        `$hosts = ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '127.1', '2130706433', '0x7f000001'];
        foreach ($hosts as $host) {
          $c = curl_init("http://$host:${port}/"); curl_setopt_array($c, [CURLOPT_RETURNTRANSFER => 1, CURLOPT_TIMEOUT => 3]);
          $out[] = curl_exec($c);
          $s = @fsockopen(trim($host, '[]'), ${port}, $no, $text, 2);
          if ($s) { fwrite($s, "GET / HTTP/1.0\\r\\n\\r\\n"); $out[] = stream_get_contents($s); }
        }
        $listening = @stream_socket_server('tcp://0.0.0.0:0');
        echo json_encode(array_filter($out, fn($x) => is_string($x) && str_contains($x, 'internal')));`,
      );
      const answer = await get(path).finally(() => server.close());
      assert.equal(answer.text, '[]', `${answer.status} ${answer.text}`);
      assert.equal(visits, 0);
    });

    it('lets an offline site mail nobody, run nothing by the clock, call nobody and tell nothing, whatever its PHP tries', async () => {
      const plugins = join(runtime.contentFolder(site.id), 'mu-plugins');
      await mkdir(plugins, { recursive: true });
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
        $waited = 0;
        add_action('http_api_debug', function ($answer) use (&$waited) {
          $waited += (int) (is_wp_error($answer) && str_contains($answer->get_error_message(), 'timed out'));
        });
        foreach (['_site_transient_update_core', '_site_transient_update_plugins', '_site_transient_update_themes'] as $name) delete_option($name);
        wp_version_check(); wp_update_plugins(); wp_update_themes();
        update_option('blogname', 'Changed');
        echo json_encode([wp_mail('bob@example.com', 'Hello', 'Bob'), @mail('bob@example.com', 'Hello', 'Bob'),
          is_wp_error(wp_remote_get(home_url('/'))), $waited]);`;
      assert.equal((await get(await putPhp('offline.php', code, offline), offline)).text, '[false,false,true,0]');
      assert.equal(await runtime.hasOutgoingMail(offline.id), false);
      // All that was told would have been told by the time of the next answer.
      await get('/wp-login.php', offline);
      assert.deepEqual(told, []);

      // What was scheduled is due, as the same site shows when it is let.
      await get('/wp-cron.php?doing_wp_cron', { ...offline, isOffline: false });
      assert.equal(existsSync(join(runtime.contentFolder(offline.id), 'clock.txt')), true);
      await runtime.delete(offline.id);
    });

    it('hands over what a copy mails also where plugins have a mail server or a service of their own', async () => {
      const copy = { ...newSpec(site, 'mailing.localhost'), isCopy: true };
      await copySite(runtime, site, copy);
      const code = `require '/site/wordpress/wp-load.php';
        add_action('phpmailer_init', function ($mailer) { $mailer->isSMTP(); $mailer->Host = '127.0.0.1'; $mailer->Port = 9; }, PHP_INT_MAX);
        add_filter('pre_wp_mail', function () { echo 'sent by a service '; return true; });
        echo json_encode([wp_mail('bob@example.com', 'First', 'Bob'), wp_mail('bob@example.com', 'Second', 'Bob')]);`;
      assert.equal((await get(await putPhp('mailing.php', code, copy), copy)).text, '[true,true]');
      assert.equal((await collect(runtime.outgoingMail(copy.id))).length, 2);
      await runtime.delete(copy.id);
    });

    it('keeps what the time machine has beside a site from its PHP', async () => {
      const { content, staging, state } = runtime.storage(site.id);
      await mkdir(staging);
      await writeFile(join(staging, 'journal.json'), Buffer.alloc(1_000_000, 'secret'));
      await writeFile(state, Buffer.alloc(1_000_000, 'secret'));
      const path = await putPhp(
        'beside.php',
        `foreach (['/site', WP_CONTENT, WP_CONTENT . '/..', '${join(content, '..')}'] as $folder)
          foreach (['restoring/journal.json', 'archive-state'] as $name) {
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
  });
}
