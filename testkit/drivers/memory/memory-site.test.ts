import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sqliteFileOf } from '#runtimes/folders/site-folder.ts';
import type { Runtime, SiteSpec } from '#runtimes/runtime.ts';
import { signRequest, uploadHeaders } from '#runtimes/wordpress/access.ts';
import { hashForWordPress } from '#runtimes/wordpress/password.ts';
import { type DriverUnderTest, firstContent, newSpec, request } from '#testkit/contracts/contract-site.ts';
import { openMemoryRuntime } from '#testkit/drivers/memory/open-memory-runtime.ts';

const POSTS = '/wp-json/wp/v2/posts';

describe('a site in memory', () => {
  let driver: DriverUnderTest;
  let runtime: Runtime;
  let site: SiteSpec;
  before(async () => {
    driver = await openMemoryRuntime();
    ({ runtime } = driver);
    site = newSpec(await runtime.prepared(), 'small.localhost');
    const { title, admin } = firstContent('Small');
    await runtime.create(site, { title, admin: { ...admin, passwordHash: await hashForWordPress("it's a secret ") } });
  });
  after(() => driver.close());

  const get = (path: string, headers = {}) => request(runtime, site, { path, headers });
  const post = (path: string, body: string, headers = {}) =>
    request(runtime, site, { method: 'POST', path, body, headers });
  /** As the platform does in the name of the first administrator. */
  const asAdministrator = (path: string, body: string, headers = {}) => {
    const signed = signRequest(site, { method: 'POST', path, body });
    return post(path, body, { 'x-siteyard-as-administrator': '1', ...signed, ...headers });
  };
  const JSON_BODY = { 'content-type': 'application/json' };

  const signIn = async (password: string) => {
    const form = new URLSearchParams({ log: 'ada', pwd: password }).toString();
    const answer = await post('/wp-login.php', form, { 'content-type': 'application/x-www-form-urlencoded' });
    return { status: answer.status, cookie: String(answer.headers['set-cookie']).split(';')[0] ?? '' };
  };

  it('lets somebody in by the form, who then writes with a nonce, or with an application password', async () => {
    assert.equal((await signIn('another')).status, 200);
    const { status, cookie } = await signIn("it's a secret");
    assert.equal(status, 302);
    assert.equal((await get('/wp-admin/')).status, 302);
    assert.match((await get('/wp-admin/', { cookie })).text, /Howdy, ada/);

    const title = (text: string) => JSON.stringify({ title: text, status: 'publish' });
    assert.equal((await post(POSTS, title('Nobody'), { ...JSON_BODY, cookie })).status, 401);
    const nonce = (await get('/wp-admin/admin-ajax.php?action=rest-nonce', { cookie })).text;
    const made = await post(POSTS, title('By hand'), { ...JSON_BODY, cookie, 'x-wp-nonce': nonce });
    assert.equal(made.status, 201, made.text);

    const path = '/wp-json/wp/v2/users/me/application-passwords';
    const { password } = JSON.parse((await asAdministrator(path, '{"name":"a program"}', JSON_BODY)).text);
    const basic = (secret: string) => ({ authorization: `Basic ${Buffer.from(`ada:${secret}`).toString('base64')}` });
    assert.equal((await post(POSTS, title('Wrong'), { ...JSON_BODY, ...basic('wrong') })).status, 401);
    assert.equal((await post(POSTS, title('By program'), { ...JSON_BODY, ...basic(password) })).status, 201);
    const front = (await get('/')).text;
    for (const shown of ['By hand', 'By program']) assert.match(front, new RegExp(`>${shown}</a>`));
    assert.doesNotMatch(front, /Nobody|Wrong/);
    const { link } = JSON.parse(made.text) as { link: string };
    assert.equal((await get(link.slice(site.url.length))).status, 200);
  });

  it('takes uploads, and none while the platform says so', async () => {
    const path = '/wp-json/wp/v2/media';
    const file = { 'content-type': 'text/plain', 'content-disposition': 'attachment; filename="../a b.txt"' };
    const refused = await asAdministrator(path, 'words', { ...file, ...uploadHeaders('The storage is used up.') });
    assert.deepEqual([refused.status, JSON.parse(refused.text).code], [402, 'siteyard_storage']);
    const made = await asAdministrator(path, 'words', file);
    assert.equal(made.status, 201, made.text);
    const { source_url } = JSON.parse(made.text) as { source_url: string };
    const name = source_url.slice(`${site.url}/wp-content/`.length);
    assert.match(name, /^uploads\/\d{4}\/\d{2}\/[\w.-]+$/);
    assert.equal(await readFile(join(runtime.contentFolder(site.id), name), 'utf8'), 'words');
  });

  it('publishes what is due when its clock is called', async () => {
    const database = await runtime.database(site.id);
    const later = JSON.stringify({ title: 'Later', status: 'future', date: '2100-01-01T00:00:00' });
    const { id } = JSON.parse((await asAdministrator(POSTS, later, JSON_BODY)).text) as { id: number };
    await get('/wp-cron.php?doing_wp_cron');
    assert.doesNotMatch((await get('/')).text, /Later/);
    await database.query("update wp_posts set post_date_gmt = '2001-01-01 00:00:00' where ID = ?", id);
    database.close();
    assert.equal((await get('/wp-cron.php?doing_wp_cron')).headers['x-siteyard-purge'], 'all');
    assert.match((await get('/')).text, /Later/);
  });

  it('runs no PHP, and nothing outside of its content', async () => {
    await driver.put(site, 'outside.php', [{ sayFile: '../database/.ht.sqlite' }]);
    for (const path of ['/wp-content/plugins/probe/outside.php', '/wp-content/../database/x.php'])
      assert.notEqual((await get(path)).status, 200);
    assert.equal(existsSync(join(runtime.contentFolder(site.id), '..', 'database', 'x.php')), false);
  });

  it('says that its database is broken, and makes no other', async () => {
    const broken = newSpec(site, 'broken.localhost');
    await runtime.create(broken, firstContent('Broken'));
    const file = sqliteFileOf(runtime.storage(broken.id));
    for (const spoil of [() => writeFile(file, 'no database at all'), () => rm(file)]) {
      await spoil();
      const answer = await request(runtime, broken, { path: '/' });
      assert.equal(answer.status, 503);
      assert.match(answer.text, /database is missing or damaged/);
    }
    assert.equal(existsSync(file), false);
  });
});
