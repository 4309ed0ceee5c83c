import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type LoggedError, type Runtime, SiteFailure, type SiteSpec } from '#runtimes/runtime.ts';
import { createLoginUrl, signRequest } from '#runtimes/wordpress/access.ts';
import type { Step } from '../drivers/memory/steps.ts';
import {
  collect,
  copySite,
  createSite,
  type DriverUnderTest,
  firstContent,
  newSpec,
  program,
  request,
  until,
  wp,
} from './contract-site.ts';

/** A limit that no test comes near to, however busy the machine is. */
const GENEROUS_MS = 240_000;

/** The life of a site, as every driver must give it. A driver's own test opens it, with a short limit where none is said, and calls this. */
export function describeRuntime(
  name: string,
  open: (limits?: { requestTimeoutMs: number }) => Promise<DriverUnderTest>,
): void {
  describe(`runtime contract: ${name}`, () => {
    let driver: DriverUnderTest;
    let runtime: Runtime;
    let site: SiteSpec;
    before(async () => {
      driver = await open({ requestTimeoutMs: GENEROUS_MS });
      ({ runtime } = driver);
      site = await createSite(runtime, 'first.localhost');
    });
    after(() => driver.close());

    const get = (path: string, target = site) => request(runtime, target, { path });
    const put = (name: string, ...steps: Step[]) => driver.put(site, name, steps);
    /** Says whether a site answers, for which a fresh process does not have to read all of WordPress. */
    const isAlive = async (target = site) =>
      (await get(await driver.put(target, 'alive.php', [{ say: 'alive' }]), target)).text === 'alive';

    it('serves a new site at its own address, with its own title and administrator', async () => {
      const page = await get('/');
      assert.equal(page.status, 200);
      assert.match(page.text, /<title>first\.localhost &amp; sons<\/title>/);
      assert.match(page.text, /http:\/\/first\.localhost:8080\//);
      assert.doesNotMatch(page.text, /siteyard\.invalid/);
      const database = await runtime.database(site.id);
      const users = await database.query(
        `select user_login, user_email, meta_value as roles from wp_users
         left join wp_usermeta on user_id = wp_users.ID and meta_key = 'wp_capabilities'`,
      );
      database.close();
      assert.deepEqual(users, [
        { user_login: 'ada', user_email: 'ada@example.com', roles: 'a:1:{s:13:"administrator";b:1;}' },
      ]);
    });

    it('makes the same site again when creation is repeated', async () => {
      const again = await createSite(runtime, 'again.localhost');
      await writeFile(join(runtime.contentFolder(again.id), 'left-over.txt'), 'x');
      await runtime.create(again, firstContent('second attempt'));
      assert.equal(existsSync(join(runtime.contentFolder(again.id), 'left-over.txt')), false);
      const database = await runtime.database(again.id);
      const titles = await database.query(
        "select option_value as title from wp_options where option_name = 'blogname'",
      );
      database.close();
      assert.deepEqual(titles, [{ title: 'second attempt' }]);
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

    it('says that a page which is not there may be kept for a moment', async () => {
      const keep = async (path: string) => (await get(path)).headers['x-siteyard-keep'];
      assert.equal(await keep('/'), undefined);
      assert.equal(await keep('/no-such-page/'), '30');
    });

    it('tells what a site wrote to its error log, and at which request or command', async () => {
      const told: LoggedError[] = [];
      runtime.listen({ logged: (siteId, errors) => void (siteId === site.id && told.push(...errors)) });
      const path = await put('log.php', { log: 'its own words' }, { warn: 'mind this' });
      await get(`${path}?a=b`);
      await until(() => told.length >= 2);
      const file = 'wp-content/plugins/probe/log.php';
      assert.deepEqual(
        told.map(({ atMs: _atMs, message, line, ...error }) => ({ ...error, hasLine: line !== null })),
        [
          { level: 'plain', file: null, hasLine: false, request: `GET ${path}?a=b` },
          { level: 'warning', file, hasLine: true, request: `GET ${path}?a=b` },
        ],
      );
      assert.deepEqual(
        told.map(({ message }) => message),
        ['its own words', 'mind this'],
      );
      const failing = await put('cli.php', { warn: 'in a command' });
      // Options are not told of: a password may be among them.
      await runtime.exec(site, { ...wp(), args: ['php', `.${failing}`, '--user_pass=secret', 'a', 'b'] });
      assert.equal(told.at(-1)?.message, 'in a command');
      assert.equal(told.at(-1)?.request, `php .${failing}`);
      const offline = { ...site, isOffline: true };
      await get(path, offline);
      await runtime.exec(offline, { ...wp(), args: ['php', `.${failing}`] });
      assert.ok(await isAlive());
      assert.equal(told.length, 3);
    });

    it('says that a site failed by itself, and goes on', async () => {
      const answer = await get(await put('fatal.php', { fail: true }));
      assert.equal(answer.status, 500);
      assert.equal(answer.headers['x-siteyard-failure'], 'crash');
      assert.ok(await isAlive());
    });

    it('hands over what a site mails, and a copy of it too', async () => {
      const heard: string[] = [];
      runtime.listen({ mail: (siteId) => heard.push(siteId) });
      const path = await put('mail.php', {
        mail: { to: 'bob@example.com', bcc: 'hidden@example.com', subject: 'Grüße', text: 'Hello Bob' },
      });
      assert.equal((await get(path)).text, 'true');
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
      assert.equal((await get(path, copy)).text, 'true');
      assert.equal((await collect(runtime.outgoingMail(copy.id))).length, 1);
      assert.equal(await runtime.hasOutgoingMail(site.id), false);
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
      await get(await put('cron.php', { schedule: { atSeconds: 1_000_000_000, steps: [] } }));
      await until(() => heard.some((time) => time?.getTime() === 1_000_000_000_000));
    });

    it('runs commands, keeps to limits of time and output, and knows no other program', async () => {
      const listed = await runtime.exec(site, wp('option', 'get', 'home'));
      assert.equal(listed.stdout, 'http://first.localhost:8080\n');
      assert.equal(listed.exitCode, 0);
      const cut = await runtime.exec(site, {
        ...program(await put('long.php', { say: 'x'.repeat(5000) })),
        maxOutputBytes: 1_000,
      });
      assert.equal(cut.stdout.length, 1_000);
      assert.equal(cut.truncated, true);
      const late = await runtime.exec(site, { ...program(await put('loop.php', { loop: true })), timeoutMs: 3_000 });
      assert.equal(late.exitCode, 124);
      const unknown = await runtime.exec(site, { ...wp(), args: ['python', '-c', 'id'] });
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
        await assert.rejects(database.query('select from'), /syntax/);
      } finally {
        database.close();
      }
    });

    it('is not held up by a database that was made to be read for ever', async () => {
      const database = await runtime.database(site.id);
      const tables = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `wp_options ${name}`);
      const endless = database.query(`select max(a.option_id + g.option_id) as most from ${tables.join(', ')}`);
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
      assert.ok(await isAlive());
      assert.equal(
        runtime.awake().some(({ siteId }) => siteId === site.id),
        true,
      );
    });

    it('answers who comes while it is being stopped', async () => {
      const path = await put('answer.php', { say: 'an answer' });
      for (let round = 0; round < 4; round++) {
        const [answer] = await Promise.all([
          get(path),
          new Promise((wait) => setTimeout(wait, round * 3)).then(() => runtime.stop(site.id)),
        ]);
        assert.equal(answer.text, 'an answer');
      }
    });

    it('archives, brings back and deletes, each safe to repeat', async () => {
      const gone = await createSite(runtime, 'gone.localhost');
      const path = await driver.put(gone, 'kept.php', [{ say: 'kept' }]);
      assert.ok((await runtime.diskUsageBytes(gone.id)) > 100_000);
      await runtime.archive(gone.id);
      await runtime.archive(gone.id);
      assert.equal(existsSync(runtime.contentFolder(gone.id)), false);
      assert.ok((await runtime.list()).includes(gone.id));
      await runtime.unarchive(gone.id);
      await runtime.unarchive(gone.id);
      assert.equal((await get(path, gone)).text, 'kept');
      const database = await runtime.database(gone.id);
      assert.ok((await database.tables()).includes('wp_posts'));
      database.close();
      await runtime.delete(gone.id);
      await runtime.delete(gone.id);
      assert.equal((await runtime.list()).includes(gone.id), false);
    });
  });

  describe(`limit of a request: ${name}`, () => {
    let driver: DriverUnderTest;
    let runtime: Runtime;
    let site: SiteSpec;
    before(async () => {
      driver = await open();
      ({ runtime } = driver);
      site = await createSite(runtime, 'endless.localhost');
    });
    after(() => driver.close());

    const get = (path: string) => request(runtime, site, { path });
    const isAlive = async () => (await get(await driver.put(site, 'alive.php', [{ say: 'alive' }]))).text === 'alive';

    it('survives a request that never ends and tells of it; those behind it are answered', async () => {
      const told: LoggedError[] = [];
      runtime.listen({ logged: (_siteId, errors) => void told.push(...errors) });
      const loop = await driver.put(site, 'loop.php', [{ loop: true }]);
      const endless = get(loop);
      const behind = Promise.all([isAlive(), isAlive()]);
      await assert.rejects(endless, (error) => error instanceof SiteFailure && error.reason === 'timeout');
      assert.deepEqual(await behind, [true, true]);
      assert.deepEqual(
        told.map(({ level, request: during }) => [level, during]),
        [['fatal', `GET ${loop}`]],
      );
    });

    it('ends an endless request even when its visitor has left', async () => {
      const loop = await driver.put(site, 'loop.php', [{ loop: true }]);
      await assert.rejects(request(runtime, site, { path: loop, timeoutMs: 500 }));
      assert.ok(await isAlive());
    });
  });
}
