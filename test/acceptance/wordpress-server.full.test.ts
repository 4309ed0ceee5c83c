import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import type { Site } from '#sdk';
import { registerPerson } from '#testkit/app/people.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { CMS, newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { visit, visitKept } from '#testkit/clients/visit.ts';
import { openSession, type Session, signInToSite } from '#testkit/clients/wordpress-session.ts';
import { putFile } from '#testkit/contracts/contract-site.ts';

/** What a WordPress expects of the server under it, on the real one: here there is no Apache and no nginx. */

let app: TestApp;
let site: Site;
let plain: Site;
let owner: Session;
before(async () => {
  app = await startTestApp({ runtime: 'php-wasm' });
  const ada = await registerPerson(app, 'ada');
  await putOnPlan(app, ada.teamId, 'micro');
  site = await newSite(ada);
  plain = await newSite(ada, { fqdn: 'plain.example.org' });
  owner = await signInToSite(app, site.fqdn);
});
after(() => app?.close());

const home = () => `http://${site.fqdn}:${new URL(app.url).port}`;

test('the back office is found without its slash, and so is every folder', async () => {
  const admin = await owner.ask('/wp-admin?welcome=1');
  assert.deepEqual([admin.status, admin.headers.location], [301, '/wp-admin/?welcome=1']);
  assert.equal((await owner.ask('/wp-admin/?welcome=1')).status, 200);
  assert.equal((await visit(app, site.fqdn, '/wp-content/themes/twentytwentyfive')).status, 301);
  // Where links have no slash at their end, WordPress must not send people back.
  await siteOnDisk(app, site.id).setOption('permalink_structure', '/%postname%');
  assert.equal((await visit(app, site.fqdn, '/wp-content/themes/')).headers.location, undefined);
  await siteOnDisk(app, site.id).setOption('permalink_structure', '/%postname%/');
});

test('WordPress knows that addresses are rewritten, and asks nobody for an .htaccess', async () => {
  const screen = await owner.ask('/wp-admin/options-permalink.php');
  assert.match(screen.text, /value="\/%postname%\/"/);
  assert.doesNotMatch(screen.text, /\/index\.php\/|\.htaccess/);
  const nonce = /name="_wpnonce" value="(\w+)"/.exec(screen.text)?.[1] ?? '';
  const structure = '/%year%/%postname%/';
  const fields = { _wpnonce: nonce, selection: 'custom', permalink_structure: structure };
  assert.equal((await owner.send('/wp-admin/options-permalink.php', fields)).status, 302);
  const saved = await owner.ask('/wp-admin/options-permalink.php?settings-updated=true');
  assert.match(saved.text, /Permalink structure updated\./);
  assert.doesNotMatch(saved.text, /\.htaccess/);
  const address = `/${new Date().getUTCFullYear()}/hello-world/`;
  assert.equal((await visit(app, site.fqdn, address)).status, 200);
});

test('application passwords work on loopback without TLS, and nowhere else', async () => {
  const nonce = (await owner.ask('/wp-admin/admin-ajax.php?action=rest-nonce')).text;
  const path = '/wp-json/wp/v2/users/me/application-passwords';
  const headers = { 'content-type': 'application/json', 'x-wp-nonce': nonce };
  const made = await owner.ask(path, { method: 'POST', headers, body: JSON.stringify({ name: 'A test' }) });
  assert.equal(made.status, 201, made.text);
  const { password } = JSON.parse(made.text) as { password: string };
  const authorization = `Basic ${Buffer.from(`${CMS.cms_username}:${password}`).toString('base64')}`;
  const me = await visit(app, site.fqdn, '/wp-json/wp/v2/users/me?context=edit', { headers: { authorization } });
  assert.deepEqual([me.status, JSON.parse(me.text).username], [200, CMS.cms_username]);

  const elsewhere = await signInToSite(app, plain.fqdn);
  assert.match((await owner.ask('/wp-admin/profile.php')).text, /id="new_application_password_name"/);
  const profile = await elsewhere.ask('/wp-admin/profile.php');
  assert.equal(profile.status, 200);
  assert.doesNotMatch(profile.text, /id="new_application_password_name"/);
});

test('a theme that came with WordPress is gone from the site that deletes it, until the site gets one of its own', async () => {
  const listed = async () => {
    const { text } = await owner.ask('/wp-admin/themes.php');
    const slugs = JSON.parse(/var _wpThemeSettings = (\{.*\});/.exec(text)?.[1] ?? '').themes.map(
      ({ id }: { id: string }) => id,
    );
    return { slugs: slugs.sort() as string[], nonce: /"ajax_nonce":"(\w+)"/.exec(text)?.[1] ?? '' };
  };
  const bundled = ['twentytwentyfive', 'twentytwentyfour', 'twentytwentythree'];
  const { slugs, nonce } = await listed();
  assert.deepEqual(slugs, bundled);
  const fields = { action: 'delete-theme', slug: 'twentytwentythree', _ajax_nonce: nonce };
  const answer = JSON.parse((await owner.send('/wp-admin/admin-ajax.php', fields)).text);
  assert.equal(answer.success, true);
  assert.deepEqual((await listed()).slugs, bundled.slice(0, 2));
  // It is gone, and not only from this list.
  const again = JSON.parse((await owner.send('/wp-admin/admin-ajax.php', fields)).text);
  assert.equal(again.data.errorMessage, 'The requested theme does not exist.');
  const themes = join(app.runtime.contentFolder(site.id), 'themes');
  await putFile(app.runtime, site, 'themes/twentytwentythree/style.css', '/* Theme Name: My own */');
  await putFile(app.runtime, site, 'themes/twentytwentythree/index.php', '<?php');
  assert.deepEqual((await listed()).slugs, bundled);
  const own = JSON.parse((await owner.send('/wp-admin/admin-ajax.php', fields)).text);
  assert.equal(own.success, true);
  assert.deepEqual((await listed()).slugs, bundled.slice(0, 2));
  assert.deepEqual(await readdir(themes), []);
  assert.equal((await visit(app, site.fqdn, '/')).status, 200);
});

test('the editor leaves compressed, and HEAD says no length that is none', async () => {
  const path = '/wp-admin/post-new.php';
  const plain = await owner.ask(path);
  const small = await owner.ask(path, { headers: { 'accept-encoding': 'gzip, deflate, br, zstd' } });
  assert.deepEqual([plain.status, small.status, small.headers['content-encoding']], [200, 200, 'zstd']);
  assert.match(zstdDecompressSync(small.body).toString(), /<\/html>\s*$/);
  assert.ok(small.body.length < plain.body.length / 5, `${small.body.length} of ${plain.body.length} bytes`);
  const head = await owner.ask(path, { method: 'HEAD' });
  assert.deepEqual([head.status, head.headers['content-length']], [200, undefined]);
  const front = await visit(app, site.fqdn, '/?head', { method: 'HEAD' });
  const { headers } = await visit(app, site.fqdn, '/?head');
  assert.deepEqual([front.headers['content-length'], front.headers.etag], [headers['content-length'], headers.etag]);
  assert.ok(Number(headers['content-length']) > 10_000);
});

test('a reader of a feed who has it is told so, by what WordPress said of it', async () => {
  const first = await visitKept(app, site.fqdn, '/feed/', { headers: { accept: 'application/rss+xml' } });
  const modified = String(first.headers['last-modified']);
  for (const headers of [{ 'if-modified-since': modified }, { 'if-none-match': String(first.headers.etag) }]) {
    const again = await visitKept(app, site.fqdn, '/feed/', { headers });
    assert.deepEqual([again.status, again.body.length], [304, 0]);
  }
});

test('a flood of visits to what is not there reaches PHP once, and sees what is there once it is', async () => {
  assert.equal((await visitKept(app, site.fqdn, '/about-later/')).status, 404);
  const nonce = (await owner.ask('/wp-admin/admin-ajax.php?action=rest-nonce')).text;
  const made = await owner.ask('/wp-json/wp/v2/pages', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-wp-nonce': nonce },
    body: JSON.stringify({ title: 'Later', slug: 'about-later', status: 'publish' }),
  });
  assert.equal(made.status, 201, made.text);
  assert.equal((await visit(app, site.fqdn, '/about-later/')).status, 200);
});

const BROKEN = `<?php
/* Plugin Name: Broken */
this_function_does_not_exist();
`;

test('a plugin that breaks the site can be paused by the link that the owner is mailed', async () => {
  await putFile(app.runtime, site, 'plugins/broken/broken.php', BROKEN);
  await siteOnDisk(app, site.id).setOption('active_plugins', 'a:1:{i:0;s:17:"broken/broken.php";}');
  const stranger = openSession(app, site.fqdn);
  const broken = await stranger.ask('/wp-login.php');
  assert.equal(broken.status, 500);
  assert.match(broken.text, /There has been a critical error on this website/);

  const mail = await app.mailTo(CMS.cms_email, 'enter_recovery_mode');
  const link = /http:\/\/\S+action=enter_recovery_mode\S+/.exec(mail)?.[0] ?? '';
  // Into recovery mode, then into the plugin, which is paused there and then, and the same address once more.
  let path = link.slice(home().length);
  const seen: number[] = [];
  for (let step = 0; step < 5; step++) {
    const { status, headers, text } = await stranger.ask(path);
    seen.push(status);
    if (status !== 302) {
      assert.match(text, /Recovery Mode Initialized/);
      break;
    }
    path = String(headers.location).slice(home().length);
  }
  assert.deepEqual(seen, [302, 302, 200]);
  await stranger.send('/wp-login.php', { log: CMS.cms_username, pwd: CMS.cms_password });
  const plugins = await stranger.ask('/wp-admin/plugins.php');
  assert.equal(plugins.status, 200);
  assert.match(plugins.text, /failed to load properly and is paused/);
  await siteOnDisk(app, site.id).setOption('active_plugins', 'a:0:{}');
});
