import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { followUsage } from '#features/billing/billing.jobs.ts';
import { planSiteWork } from '#features/site-upkeep/site-upkeep.jobs.ts';
import type { Site } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { CMS, newSite } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { zipOf } from '#testkit/archives/zip.ts';
import { type Visited, visit } from '#testkit/clients/visit.ts';
import { putFile } from '#testkit/contracts/contract-site.ts';
import { eventually } from '#testkit/expect.ts';

/** Uploads in a real WordPress while the storage of its team is used up, and when it is free again. */
let app: TestApp;
let owner: Person;
let site: Site;
let cookie: string;
let nonce: string;
before(async () => {
  app = await startTestApp({ runtime: 'php' });
  owner = await registerPerson(app, 'Owner');
  site = await newSite(owner);
  await putFile(app.runtime, site, 'plugins/known/known.php', pluginText('1.0'));
  await putFile(app.runtime, site, 'plugins/directory.zip', zipOf('fresh/fresh.php', pluginText('1.0')));
  await putFile(app.runtime, site, 'plugins/update.zip', zipOf('known/known.php', pluginText('2.0')));
  await putFile(app.runtime, site, 'mu-plugins/directory.php', DIRECTORY);
  const { url } = await owner.api.createSiteLogin({ params: { fqdn: site.fqdn } });
  const { pathname, search } = new URL(url);
  const signedIn = await visit(app, site.fqdn, pathname + search);
  cookie = [signedIn.headers['set-cookie']]
    .flat()
    .map((line) => line?.split(';')[0])
    .join('; ');
  nonce = (await open('/wp-admin/admin-ajax.php?action=rest-nonce')).text;
});
after(() => app?.close());

const SENTENCE = 'The plan free has 1 GB of storage, and that is used up; delete something or choose a larger plan.';
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const pluginText = (version: string) => `<?php\n/* Plugin Name: Known\nVersion: ${version} */\n`;

/** Stands for the directory of wordpress.org, which tests can not reach: what it offers, and its files. */
const DIRECTORY = `<?php
add_filter( 'plugins_api', fn() => (object) array(
  'name' => 'Fresh', 'slug' => 'fresh', 'version' => '1.0', 'download_link' => 'https://directory.example/directory.zip', 'language_packs' => array() ) );
add_filter( 'site_transient_update_plugins', fn() => (object) array( 'last_checked' => time(), 'response' => array( 'known/known.php' => (object) array(
  'slug' => 'known', 'plugin' => 'known/known.php', 'new_version' => '2.0', 'package' => 'https://directory.example/update.zip' ) ) ) );
add_filter( 'upgrader_pre_download', function ( $reply, $package ) {
  if ( ! str_starts_with( $package, 'https://directory.example/' ) ) return $reply;
  copy( WP_PLUGIN_DIR . '/' . basename( $package ), '/tmp/package.zip' );
  return '/tmp/package.zip';
}, 10, 2 );
`;

const setTeam = (change: object) =>
  app.services.db.updateTable('teams').set(change).where('id', '=', owner.teamId).execute();
const job = () => ({
  id: 'a test',
  services: app.services,
  signal: new AbortController().signal,
  commit: async () => {},
});
const follow = () => followUsage.run({}, job());

const open = (path: string, method = 'GET') =>
  visit(app, site.fqdn, path, { method, headers: { cookie, 'x-wp-nonce': nonce ?? '' } });

async function send(path: string, fields: Record<string, string | [name: string, file: Buffer]>): Promise<Visited> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.set(name, value);
    else form.set(name, new Blob([new Uint8Array(value[1])]), value[0]);
  }
  const encoded = new Response(form);
  const headers = { cookie, 'x-wp-nonce': nonce, 'content-type': encoded.headers.get('content-type') ?? '' };
  const body = Buffer.from(await encoded.arrayBuffer());
  return visit(app, site.fqdn, path, { method: 'POST', headers, body });
}

const json = (path: string, value: object) =>
  visit(app, site.fqdn, path, {
    method: 'POST',
    headers: { cookie, 'x-wp-nonce': nonce, 'content-type': 'application/json' },
    body: JSON.stringify(value),
  });

const uploadForm = () => send('/wp-json/wp/v2/media', { file: ['pixel.png', PIXEL] });

const uploadRaw = (headers: Record<string, string> = {}) =>
  visit(app, site.fqdn, '/wp-json/wp/v2/media', {
    method: 'POST',
    headers: {
      cookie,
      'x-wp-nonce': nonce,
      'content-type': 'image/png',
      'content-disposition': 'attachment; filename="raw.png"',
      ...headers,
    },
    body: PIXEL,
  });

/** What WordPress puts into a page for the form that it holds. */
async function nonceIn(page: string, pattern: RegExp): Promise<string> {
  const { text } = await open(page);
  const found = pattern.exec(text)?.[1];
  assert.ok(found, `${page} holds no nonce: ${text.slice(0, 500)}`);
  return found;
}

async function uploadInLibrary(): Promise<Visited> {
  const _wpnonce = await nonceIn('/wp-admin/media-new.php', /"multipart_params":\{[^}]*"_wpnonce":"(\w+)"/);
  const fields = { action: 'upload-attachment', _wpnonce, name: 'library.png' };
  return send('/wp-admin/async-upload.php', { ...fields, 'async-upload': ['library.png', PIXEL] });
}

const xmlCall = (method: string, password: string) => {
  const bits = `<base64>${PIXEL.toString('base64')}</base64>`;
  const member = (name: string, value: string) => `<member><name>${name}</name><value>${value}</value></member>`;
  const file = `<struct>${member('name', 'xml.png')}${member('type', 'image/png')}${member('bits', bits)}</struct>`;
  const params = ['1', CMS.cms_username, password, file].map((value) => `<param><value>${value}</value></param>`);
  return `<?xml version="1.0"?><methodCall><methodName>${method}</methodName><params>${params.join('')}</params></methodCall>`;
};

const uploadByXml = () =>
  visit(app, site.fqdn, '/xmlrpc.php', {
    method: 'POST',
    headers: { 'content-type': 'text/xml' },
    body: xmlCall('wp.uploadFile', CMS.cms_password),
  });

async function uploadByXmlProxy(): Promise<string> {
  const body = new Blob([xmlCall('metaWeblog.newMediaObject', 'none')], { type: 'text/xml' });
  return (await owner.api.callXmlRpc({ params: { fqdn: site.fqdn }, body })).text();
}

async function uploadPlugin(path: string): Promise<Visited> {
  const _wpnonce = await nonceIn(
    '/wp-admin/plugin-install.php?tab=upload',
    /update\.php\?action=upload-plugin[\s\S]{0,400}?name="_wpnonce" value="(\w+)"/,
  );
  const archive = zipOf(path, pluginText('2.0'));
  return send('/wp-admin/update.php?action=upload-plugin', { _wpnonce, pluginzip: ['plugin.zip', archive] });
}

const install = () => json('/wp-json/wp/v2/plugins', { slug: 'fresh' });

/** The edge hears of it a moment later; until then an upload is taken. */
async function fill(): Promise<void> {
  await setTeam({ storage_usage: 1_000_000_000 });
  await follow();
  await eventually(async () => (await uploadRaw()).status === 402);
}

const messageOf = ({ text }: Visited) => (JSON.parse(text) as { message: string }).message;

suite('while the storage is used up', () => {
  before(fill);

  test('the JSON API refuses an upload with the sentence of the platform, as a form and as it is', async () => {
    for (const answer of [await uploadForm(), await uploadRaw()])
      assert.deepEqual([answer.status, messageOf(answer)], [402, SENTENCE]);
    const stranger = await visit(app, site.fqdn, '/wp-json/wp/v2/media', { method: 'POST', body: PIXEL });
    assert.equal(stranger.status, 401);
  });

  test('the media library refuses it in the same words', async () => {
    const { success, data } = JSON.parse((await uploadInLibrary()).text);
    assert.deepEqual([success, data.message], [false, SENTENCE]);
  });

  test('XML-RPC refuses it, straight and through the proxy', async () => {
    for (const text of [(await uploadByXml()).text, await uploadByXmlProxy()])
      assert.ok(text.includes('<name>faultCode</name>') && text.includes(SENTENCE), text);
  });

  test('a new plugin is refused, as an archive and from the directory', async () => {
    assert.ok((await uploadPlugin('fresh/fresh.php')).text.includes(SENTENCE));
    const answer = await install();
    assert.deepEqual([answer.status, messageOf(answer)], [402, SENTENCE]);
    assert.equal((await open('/wp-json/wp/v2/plugins/fresh/fresh')).status, 404);
  });

  test('a plugin that is there is brought up to date, from the directory and by archive', async () => {
    const uploaded = await uploadPlugin('known/known.php');
    assert.ok(uploaded.text.includes('This plugin is already installed'));
    const replace = /href="([^"]*overwrite=update-plugin[^"]*)"/
      .exec(uploaded.text)?.[1]
      ?.replaceAll(/&(?:#038|amp);/g, '&');
    const replaced = await open(`/wp-admin/${replace}`);
    assert.ok(replaced.text.includes('Plugin updated successfully'), `${replace} ${replaced.text.slice(-300)}`);
    await putFile(app.runtime, site, 'plugins/known/known.php', pluginText('1.0'));
    const _ajax_nonce = await nonceIn('/wp-admin/plugins.php', /"ajax_nonce":"(\w+)"/);
    const fields = { action: 'update-plugin', _ajax_nonce, slug: 'known', plugin: 'known/known.php' };
    const updated = JSON.parse((await send('/wp-admin/admin-ajax.php', fields)).text);
    assert.deepEqual([updated.success, updated.data.newVersion], [true, 'Version 2.0'], JSON.stringify(updated));
  });

  test('all else goes on: posts, comments, signing in, deleting', async () => {
    const post = await json('/wp-json/wp/v2/posts', { title: 'Still here', status: 'publish' });
    assert.equal(post.status, 201, post.text);
    const comment = await json('/wp-json/wp/v2/comments', { post: JSON.parse(post.text).id, content: 'So am I' });
    assert.equal(comment.status, 201, comment.text);
    const signIn = await visit(app, site.fqdn, '/wp-login.php', {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        cookie: 'wordpress_test_cookie=WP%20Cookie%20check',
      },
      body: new URLSearchParams({ log: CMS.cms_username, pwd: CMS.cms_password, testcookie: '1' }).toString(),
    });
    assert.equal(signIn.status, 302, signIn.text);
    assert.match((await visit(app, site.fqdn, '/')).text, /Still here/);
    const media = JSON.parse((await open('/wp-json/wp/v2/media')).text) as { id: number }[];
    for (const { id } of media) {
      const gone = await open(`/wp-json/wp/v2/media/${id}?force=true`, 'DELETE');
      assert.equal(gone.status, 200, gone.text);
    }
  });

  test('no visitor talks WordPress out of it', async () => {
    assert.equal((await uploadRaw({ 'x-siteyard-uploads-refused': '' })).status, 402);
    assert.equal((await uploadRaw({ x_siteyard_uploads_refused: '' })).status, 402);
  });

  test('it is told by event and mail, and shown with the team', async () => {
    const mail = await app.mailTo(owner.email, '100 % of the storage');
    assert.match(mail.replaceAll(/=?\r?\n/g, ' '), /New uploads are refused until something is deleted/);
    assert.equal((await owner.api.getTeam({ params: { team_id: owner.teamId } })).storage_is_used_up, true);
    const { results } = await owner.api.listTeamEvents({ params: { team_id: owner.teamId } });
    const told = results.filter(({ event_type }) => event_type === 'billing.limit_reached');
    assert.deepEqual(
      told.map(({ activity }) => activity),
      ['The team has used 100 % of the storage of the plan free'],
    );
  });
});

test('a larger plan that is too small as well is the one that is named', async () => {
  await fill();
  await setTeam({ plan_type_name: 'micro', storage_usage: 10_000_000_000 });
  await eventually(async () => messageOf(await uploadRaw()).startsWith('The plan micro has 10 GB of storage'));
  await setTeam({ plan_type_name: 'free', storage_usage: 0 });
});

suite('uploads are taken again', () => {
  const isTaken = () => eventually(async () => (await uploadRaw()).status === 201);

  test('when a larger plan is there', async () => {
    await fill();
    await setTeam({ plan_type_name: 'micro' });
    await follow();
    await isTaken();
    assert.equal((await uploadForm()).status, 201);
    assert.equal(JSON.parse((await uploadInLibrary()).text).success, true);
    assert.match((await uploadByXml()).text, /xml\.png/);
    assert.match(await uploadByXmlProxy(), /xml-1\.png/);
    assert.equal((await install()).status, 201);
    await setTeam({ plan_type_name: 'free', storage_usage: 0 });
  });

  test('when something was deleted, through whatever door, and was measured', async () => {
    const { db } = app.services;
    const { runtime } = app;
    const row = db.selectFrom('sites').selectAll().where('id', '=', site.id);
    const setSite = (change: object) => db.updateTable('sites').set(change).where('id', '=', site.id).execute();
    const measure = async (isDone: (bytes: number) => boolean) => {
      await setSite({ storage_measured_at: null });
      await planSiteWork.run({}, job());
      await eventually(async () => isDone((await row.executeTakeFirstOrThrow()).storage_bytes));
    };
    const { id } = JSON.parse((await uploadRaw()).text) as { id: number };
    const media = JSON.parse((await open(`/wp-json/wp/v2/media/${id}`)).text) as { source_url: string };
    const file = new URL(media.source_url).pathname.replace('/wp-content/', '');
    await putFile(runtime, site, file, Buffer.alloc(3_000_000, 'x'));
    await setSite({ storage_is_stale: true });
    await measure((bytes) => bytes > 3_000_000);
    await fill();
    await setSite({ storage_is_stale: false });
    const body = { fqdn: site.fqdn, path: `/wp-json/wp/v2/media/${id}`, query_params_json: '{"force":true}' };
    assert.equal((await owner.api.cmsProxy({ body: { ...body, method: 'delete' } })).status_code, 200);
    assert.equal((await row.executeTakeFirstOrThrow()).storage_is_stale, true, 'nobody would measure it');
    await measure((bytes) => bytes < 3_000_000);
    await follow();
    await isTaken();
  });
});

test('a visitor can not make WordPress refuse uploads either', async () => {
  const answer = await uploadRaw({ 'x-siteyard-uploads-refused': 'No.' });
  assert.equal(answer.status, 201, answer.text);
});
