import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { collect, copySite, createSite, firstContent, newSpec, putProbe, request, until, wp } from './contract-site.ts';
import { type LoggedError, type Runtime, SiteFailure, type SiteSpec } from './runtime.ts';
import { createLoginUrl, signRequest } from './wordpress/access.ts';

/** What every driver must do. A driver's own test opens it and calls this. */
export function describeRuntime(name: string, open: () => Promise<{ runtime: Runtime; close(): Promise<void> }>): void {
  describe(`runtime contract: ${name}`, () => {
    let runtime: Runtime;
    let site: SiteSpec;
    let close = async () => {};
    before(async () => {
      ({ runtime, close } = await open());
      site = await createSite(runtime, 'first.localhost');
    });
    after(() => close());

    const get = (path: string, target = site) => request(runtime, target, { path });
    const putPhp = (name: string, code: string) => putProbe(runtime, site, name, code);

    it('serves a new site at its own address, with its own title and administrator', async () => {
      const page = await get('/');
      assert.equal(page.status, 200);
      assert.match(page.text, /<title>first\.localhost &amp; sons<\/title>/);
      assert.match(page.text, /http:\/\/first\.localhost:8080\//);
      assert.doesNotMatch(page.text, /siteyard\.invalid/);
      const users = await runtime.exec(
        site,
        wp('user', 'list', '--format=json', '--fields=user_login,user_email,roles'),
      );
      assert.deepEqual(JSON.parse(users.stdout), [
        { user_login: 'ada', user_email: 'ada@example.com', roles: 'administrator' },
      ]);
    });

    it('makes the same site again when creation is repeated', async () => {
      const again = await createSite(runtime, 'again.localhost');
      await writeFile(join(runtime.contentFolder(again.id), 'left-over.txt'), 'x');
      await runtime.create(again, firstContent('second attempt'));
      assert.equal(existsSync(join(runtime.contentFolder(again.id), 'left-over.txt')), false);
      assert.match((await get('/', again)).text, /<title>second attempt<\/title>/);
      await runtime.delete(again.id);
    });

    it('tells that it is healthy, and only the platform may ask', async () => {
      const health = await runtime.health(site);
      assert.deepEqual(health.problems, []);
      assert.equal(health.coreVersion, site.coreVersion);
      const forged = signRequest({ ...site, accessKey: 'another' }, { method: 'GET', path: '/.siteyard/health' });
      const refused = await request(runtime, site, { path: '/.siteyard/health', headers: forged });
      assert.equal(refused.status, 404);
      const old = signRequest(site, { method: 'GET', path: '/.siteyard/health' }, new Date(Date.now() - 120_000));
      assert.equal((await request(runtime, site, { path: '/.siteyard/health', headers: old })).status, 404);
    });

    it('acts as the first administrator for a signed request, and for nobody else', async () => {
      const body = JSON.stringify({ title: 'From the platform', status: 'publish' });
      const path = '/wp-json/wp/v2/posts';
      const headers = { 'content-type': 'application/json', 'x-siteyard-as-administrator': '1' };
      const signed = { ...headers, ...signRequest(site, { method: 'POST', path, body }) };
      const made = await request(runtime, site, { method: 'POST', path, body, headers: signed });
      assert.equal(made.status, 201, made.text);
      assert.equal(made.headers['x-siteyard-purge'], 'all');
      const unsigned = await request(runtime, site, { method: 'POST', path, body, headers });
      assert.equal(unsigned.status, 401);
      const otherBody = await request(runtime, site, { method: 'POST', path, body: `${body} `, headers: signed });
      assert.equal(otherBody.status, 401);
    });

    it('signs a person in by a link, once', async () => {
      const { url } = createLoginUrl(site);
      const path = url.slice(site.url.length);
      const first = await get(path);
      assert.equal(first.status, 302, first.text);
      assert.equal(first.headers.location, `${site.url}/wp-admin/`);
      assert.match(String(first.headers['set-cookie']), /wordpress_logged_in_/);
      const second = await get(path);
      assert.equal(second.status, 403);
      assert.doesNotMatch(String(second.headers['set-cookie']), /wordpress_logged_in_/);
      assert.equal((await get(`${path.slice(0, -1)}x`)).status, 403);
    });

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

    it('tells what PHP wrote to its error log, and at which request or command', async () => {
      const told: LoggedError[] = [];
      runtime.listen({ logged: (siteId, errors) => void (siteId === site.id && told.push(...errors)) });
      const path = await putPhp('log.php', "error_log('its own words'); trigger_error('mind this', E_USER_WARNING);");
      await get(`${path}?a=b`);
      await until(() => told.length >= 2);
      const file = 'wp-content/plugins/probe/log.php';
      assert.deepEqual(
        told.map(({ atMs: _atMs, message, ...error }) => error),
        [
          { level: 'plain', file: null, line: null, request: `GET ${path}?a=b` },
          { level: 'warning', file, line: 2, request: `GET ${path}?a=b` },
        ],
      );
      assert.deepEqual(
        told.map(({ message }) => message),
        ['its own words', 'mind this'],
      );
      const failing = await putPhp('cli.php', "trigger_error('in a command', E_USER_WARNING);");
      // Options are not told of: a password may be among them.
      await runtime.exec(site, { ...wp(), args: ['php', `.${failing}`, '--user_pass=secret', 'a', 'b'] });
      assert.equal(told.at(-1)?.message, 'in a command');
      assert.equal(told.at(-1)?.request, `php .${failing}`);
      const offline = { ...site, isOffline: true };
      await get(path, offline);
      await runtime.exec(offline, { ...wp(), args: ['php', `.${failing}`] });
      await get('/wp-login.php');
      assert.equal(told.length, 3);
    });

    it('survives a request that never ends and tells of it; those behind it are answered', async () => {
      const told: LoggedError[] = [];
      runtime.listen({ logged: (_siteId, errors) => void told.push(...errors) });
      const loop = await putPhp('loop.php', 'while (true) {}');
      const endless = get(loop);
      const behind = Promise.all([get('/wp-login.php'), get('/wp-login.php')]);
      await assert.rejects(endless, (error) => error instanceof SiteFailure && error.reason === 'timeout');
      for (const answer of await behind) assert.equal(answer.status, 200);
      assert.deepEqual(
        told.map(({ level, request: during }) => [level, during]),
        [['fatal', `GET ${loop}`]],
      );
    });

    it('ends an endless request even when its visitor has left', async () => {
      const loop = await putPhp('loop.php', 'while (true) {}');
      await assert.rejects(request(runtime, site, { path: loop, timeoutMs: 500 }));
      assert.equal((await get('/wp-login.php')).status, 200);
    });

    it('survives a request that uses up its memory', async () => {
      const path = await putPhp('memory.php', '$all = []; while (true) { $all[] = str_repeat("x", 1 << 20); }');
      const answer = await get(path);
      assert.equal(answer.status, 500);
      assert.equal(answer.headers['x-siteyard-failure'], 'memory');
      assert.equal((await get('/wp-login.php')).status, 200);
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
        @file_put_contents(ABSPATH_OR('index.php'), '<?php echo "owned";');
        @file_put_contents('/site/platform/siteyard.php', '<?php');
        $out[] = @shell_exec('id');
        echo json_encode(array_map(fn($x) => $x === false || $x === null || $x === '' ? null : substr($x, 0, 40), $out));
        function ABSPATH_OR($name) { return '/site/wordpress/' . $name; }`,
      );
      const answer = await get(path);
      assert.deepEqual(JSON.parse(answer.text), [null, null, null, null, null, null]);
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

    it('hands over what WordPress mails, and nothing of a copy', async () => {
      const heard: string[] = [];
      runtime.listen({ mail: (siteId) => heard.push(siteId) });
      const code = `require '/site/wordpress/wp-load.php'; $copy = ['Bcc: hidden@example.com'];
        echo json_encode(wp_mail('bob@example.com', 'Grüße', 'Hello Bob', $copy));`;
      assert.equal((await get(await putPhp('mail.php', code))).text, 'true');
      const [mail, ...more] = await collect(runtime.outgoingMail(site.id));
      assert.equal(more.length, 0);
      assert.deepEqual(mail?.to, ['bob@example.com', 'hidden@example.com']);
      const text = mail?.message.toString() ?? '';
      assert.match(text, /^To: bob@example\.com/m);
      assert.match(text, /^Subject: =\?utf-8\?/im);
      assert.match(text, /Hello Bob/);
      assert.doesNotMatch(text, /hidden/);
      await until(() => heard.length > 0);
      assert.deepEqual(heard, [site.id]);
      await mail?.drop();
      assert.equal(await runtime.hasOutgoingMail(site.id), false);

      const copy = { ...newSpec(site, 'copy.localhost'), isCopy: true };
      await copySite(runtime, site, copy);
      assert.equal((await get('/wp-content/plugins/probe/mail.php', copy)).text, 'false');
      assert.equal(await runtime.hasOutgoingMail(copy.id), false);
      await runtime.delete(copy.id);
    });

    it('copies a site under another address and key, while it is being written', async () => {
      const cookie = String((await get(createLoginUrl(site).url.slice(site.url.length))).headers['set-cookie']).split(
        ';',
      )[0];
      const copy = newSpec(site, 'staging.localhost');
      await copySite(runtime, site, copy);
      const page = await get('/', copy);
      assert.match(page.text, /http:\/\/staging\.localhost:8080/);
      assert.doesNotMatch(page.text, /first\.localhost:8080/);
      const admin = await request(runtime, copy, { path: '/wp-admin/profile.php', headers: { cookie: cookie ?? '' } });
      assert.equal(admin.status, 302, 'a session of the original must not work on the copy');
      await runtime.delete(copy.id);
      assert.equal((await get('/')).status, 200);
    });

    it('tells when the scheduled work is due', async () => {
      const heard: (Date | null)[] = [];
      runtime.listen({ status: (siteId, status) => siteId === site.id && heard.push(status.nextCronAt) });
      const code = "require '/site/wordpress/wp-load.php'; wp_schedule_single_event(1900000000 - 900000000, 'probe');";
      await get(await putPhp('cron.php', code));
      await until(() => heard.some((time) => time?.getTime() === 1_000_000_000_000));
      await runtime.exec(site, wp('cron', 'event', 'delete', 'probe'));
    });

    it('runs wp-cli, keeps to limits of time and output, and knows no other program', async () => {
      const listed = await runtime.exec(site, wp('option', 'get', 'home'));
      assert.equal(listed.stdout, 'http://first.localhost:8080\n');
      assert.equal(listed.exitCode, 0);
      const cut = await runtime.exec(site, { ...wp('eval', 'echo str_repeat("x", 5000);'), maxOutputBytes: 1_000 });
      assert.equal(cut.stdout.length, 1_000);
      assert.equal(cut.truncated, true);
      const late = await runtime.exec(site, { ...wp('eval', 'while (true) {}'), timeoutMs: 3_000 });
      assert.equal(late.exitCode, 124);
      const unknown = await runtime.exec(site, { ...wp(), args: ['bash', '-c', 'id'] });
      assert.equal(unknown.exitCode, 127);
      const failing = await runtime.exec(site, wp('option', 'get', 'no_such_option'));
      assert.equal(failing.exitCode, 1);
    });

    it('moves the database to another address and back, serialised values included', async () => {
      const value = 'a:1:{s:3:"url";s:32:"http://first.localhost:8080/ü";}'.replace('s:32', 's:30');
      const database = await runtime.database(site.id);
      try {
        assert.ok((await database.tables()).includes('wp_posts'));
        await database.query("insert into wp_options (option_name, option_value) values ('probe', ?)", value);
        await database.moveTo('https://elsewhere.example');
        const [row] = await database.query("select option_value from wp_options where option_name = 'probe'");
        assert.equal(row?.option_value, 'a:1:{s:3:"url";s:28:"https://elsewhere.example/ü";}');
        await database.moveTo('https://elsewhere.example');
        await database.moveTo(site.url);
        const [back] = await database.query("select option_value from wp_options where option_name = 'probe'");
        assert.equal(back?.option_value, value);
        await assert.rejects(database.query('select from'), /syntax error/);
      } finally {
        database.close();
      }
    });

    it('is not held up by a database that was made to be read for ever', async () => {
      const database = await runtime.database(site.id);
      const endless = database.query(
        'with recursive n(x) as (select 1 union all select x + 1 from n) select max(x) from n',
      );
      let ticks = 0;
      const timer = setInterval(() => ticks++, 5);
      await until(() => ticks > 5);
      clearInterval(timer);
      database.close();
      await assert.rejects(endless);
    });

    it('stops, and starts again by the next request', async () => {
      await runtime.stop(site.id);
      assert.equal(
        runtime.awake().some(({ siteId }) => siteId === site.id),
        false,
      );
      assert.equal((await get('/')).status, 200);
      assert.equal(
        runtime.awake().some(({ siteId }) => siteId === site.id),
        true,
      );
    });

    it('answers who comes while it is being stopped', async () => {
      for (let round = 0; round < 4; round++) {
        const [answer] = await Promise.all([
          get('/wp-login.php'),
          new Promise((wait) => setTimeout(wait, round * 3)).then(() => runtime.stop(site.id)),
        ]);
        assert.equal(answer.status, 200);
      }
    });

    it('archives, restores and deletes, each safe to repeat', async () => {
      const gone = await createSite(runtime, 'gone.localhost');
      assert.ok((await runtime.diskUsageBytes(gone.id)) > 100_000);
      await runtime.archive(gone.id);
      await runtime.archive(gone.id);
      assert.equal(existsSync(runtime.contentFolder(gone.id)), false);
      assert.ok((await runtime.list()).includes(gone.id));
      await runtime.restore(gone.id);
      await runtime.restore(gone.id);
      assert.equal((await get('/', gone)).status, 200);
      await runtime.delete(gone.id);
      await runtime.delete(gone.id);
      assert.equal((await runtime.list()).includes(gone.id), false);
    });
  });
}
