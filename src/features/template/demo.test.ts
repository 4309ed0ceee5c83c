import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import type { Site, Template } from '#sdk';
import { type Person, registerPerson, signInAs } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { CMS, newFqdn, newSite, putOnPlan } from '#testkit/app/sites.ts';
import { OPERATOR, type TestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { refused } from '#testkit/expect.ts';
import { pageName } from './demo.export.ts';
import { linksOfPage, linksOfStyle, withoutHost } from './demo.links.ts';

let app: TestApp;
let maker: Person;
let operator: Omit<Person, 'userId' | 'teamId'>;
let site: Site;

before(async () => {
  app = await sharedApp();
  maker = await registerPerson(app, 'Maker');
  await putOnPlan(app, maker.teamId, 'business');
  operator = await signInAs(app, OPERATOR.email, OPERATOR.password);
  site = await newSite(maker);
  const disk = siteOnDisk(app, site.id);
  await disk.write('themes/own/style.css', `@import "more.css"; body { background: url('back.png') }`);
  await disk.write('themes/own/more.css', 'p { color: red }');
  await disk.write('themes/own/back.png', 'a picture');
  await disk.write('uploads/secret.txt', 'nobody links here');
  const url = `http://${site.fqdn}:${new URL(app.url).port}`;
  await addPost('page', 'deep', '<p>Far away</p>');
  await addPost(
    'post',
    'first',
    `<link rel="stylesheet" href="${url}/wp-content/themes/own/style.css?ver=2"><a href="${url}/deep/">on</a><script>fetch("${url}/x")</script>`,
  );
});

const addPost = (type: string, name: string, content: string) =>
  siteOnDisk(app, site.id).query(
    `insert into wp_posts (post_title, post_name, post_status, post_type, post_date, post_content, post_excerpt, to_ping, pinged, post_content_filtered)
     values (?, ?, 'publish', ?, '2024-01-02 00:00:00', ?, '', '', '', '')`,
    ...[name, name, type, content],
  );

const make = (name: string) =>
  maker.api.createTemplate({
    wait: 60,
    query: { create_static_site: true },
    body: {
      url: `https://example.com/${name}`,
      fqdn: site.fqdn,
      description: 'With a demo',
      tag: 'blog',
      is_public: true,
    },
  });
const get = (template_name: string) => maker.api.getTemplate({ params: { template_name } });
const hostOf = ({ demo_url }: Template) => new URL(String(demo_url)).hostname;
const look = (template: Template, path: string, more: Parameters<typeof visit>[3] = {}) =>
  visit(app, hostOf(template), path, more);

/** Opens one that is not for everybody, as a browser does with its link. */
async function enter(template: Template): Promise<Record<string, string>> {
  const { pathname, search } = new URL(String(template.demo_url));
  const answer = await look(template, `${pathname}${search}`);
  assert.equal(answer.status, 303);
  return { cookie: String(answer.headers['set-cookie']).split(';')[0] as string };
}

suite('a demo', () => {
  test('has every page that a link leads to and all that they are made of, without the address of the site', async () => {
    const template = await make('whole');
    const headers = await enter(template);
    const open = async (path: string) => (await look(template, path, { headers })).text;
    assert.match(await open('/'), /<a href="\/deep\/">on<\/a>/);
    assert.match(await open('/'), /href="\/wp-content\/themes\/own\/style\.css\?ver=2"/);
    assert.match(await open('/deep/'), /Far away/);
    assert.match(await open('/wp-content/themes/own/style.css?ver=2'), /back\.png/);
    assert.equal(await open('/wp-content/themes/own/more.css'), 'p { color: red }');
    assert.equal(await open('/wp-content/themes/own/back.png'), 'a picture');
    for (const path of ['/', '/first/', '/deep/']) assert.doesNotMatch(await open(path), /\.invalid/);
    const missing = await look(template, '/nothing/', { headers });
    assert.deepEqual([missing.status, /Page not found/.test(missing.text)], [404, true]);
    for (const path of ['/wp-content/uploads/secret.txt', '/wp-login.php', '/wp-content/../etc'])
      assert.notEqual((await look(template, path, { headers })).status, 200, path);
    const copy = await maker.api.createSite({
      wait: 60,
      body: { ...CMS, fqdn: newFqdn(), team_id: maker.teamId, template_name: 'whole' },
    });
    await assert.rejects(siteOnDisk(app, copy.id).read('siteyard-demo/not-found.html'), { code: 'ENOENT' });
  });

  test('is for those who may see the template, and harms nobody who looks at it', async () => {
    const template = await make('guarded');
    const closed = await look(template, '/');
    assert.deepEqual([closed.status, closed.text.includes('Far')], [403, false]);
    assert.equal((await look(template, '/.siteyard/preview?token=1.x')).status, 403);
    const inside = await look(template, '/', { headers: await enter(template) });
    assert.deepEqual([inside.status, inside.headers['cache-control']], [200, 'private, no-store']);
    await operator.api.approveTemplate({ params: { template_name: 'guarded' }, body: { approved: true } });
    const open = await get('guarded');
    assert.equal(new URL(String(open.demo_url)).pathname, '/');
    const { status, headers } = await look(open, '/');
    assert.equal(status, 200);
    assert.match(String(headers['content-security-policy']), /^sandbox allow-scripts allow-popups /);
    assert.deepEqual([headers['x-content-type-options'], headers['set-cookie']], ['nosniff', undefined]);
    assert.equal((await look(open, '/', { headers: { 'if-none-match': String(headers.etag) } })).status, 304);
    assert.equal((await look(open, '/', { method: 'POST', body: 'x=1' })).status, 405);
    const head = await look(open, '/', { method: 'HEAD' });
    assert.deepEqual([head.status, head.text, Number(head.headers['content-length']) > 0], [200, '', true]);
    const fqdn = hostOf(open);
    const taken = { ...CMS, fqdn, team_id: maker.teamId };
    await assert.rejects(maker.api.createSite({ body: taken }), refused(422), 'no site can have its name');
  });

  test('is made anew with the template, and gone with it', async () => {
    const template = await make('renewed');
    assert.equal((await look(template, '/new/', { headers: await enter(template) })).status, 404);
    await addPost('post', 'new', 'Just came');
    const params = { template_name: 'renewed' };
    const again = await maker.api.updateTemplate({ params, query: { update_git: true }, body: {}, wait: 60 });
    assert.match((await look(again, '/new/', { headers: await enter(again) })).text, /Just came/);
    await maker.api.deleteTemplate({ params });
    await untilGone(() => look(again, '/'), 404);
  });
});

/** What a template is like is believed for a moment. */
async function untilGone(ask: () => Promise<{ status: number }>, status: number): Promise<void> {
  for (let tries = 0; (await ask()).status !== status; tries++) {
    assert.ok(tries < 100);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

suite('the links of a page', () => {
  const host = 'a.invalid:80';

  test('are found however they are written, and lose their host', () => {
    const html = `<a href='http://${host}/one/?p=1&amp;q=2'>x</a><img srcset="http://${host}/s.png 1x, //${host}/l.png 2x">
      <script type="importmap">{"imports":{"m":"http://${host}/wp-includes/m.js"}}</script><script>var a = {"u":"http:\\/\\/${host}\\/wp-content\\/p.js"}</script>
      <div style="background:url(&quot;x&quot;);background:url(http://${host}/b.jpg)"><a href="http://${host}">home</a><a href="mailto:x@y">m</a>`;
    const text = withoutHost(html, host);
    assert.ok(!text.includes(host));
    assert.deepEqual(
      linksOfPage(text).sort(),
      [
        '/',
        '/b.jpg',
        '/l.png',
        '/one/?p=1&q=2',
        '/s.png',
        '/wp-content/p.js',
        '/wp-includes/m.js',
        '&quot;x&quot;',
      ].sort(),
    );
    assert.deepEqual(linksOfStyle(`@import 'a.css';x{y:url("b.png")}z{y:url( c.png )}`), ['a.css', 'b.png', 'c.png']);
  });

  test('of a page that was made to be read for ever are found in time', () => {
    for (const piece of [
      '<a href="',
      "<b src='",
      'url(',
      '<link ',
      'href   ',
      '@import "',
      '"/wp-content/',
      '<link rel=',
    ]) {
      const begun = performance.now();
      linksOfPage(withoutHost(piece.repeat(2_000_000 / piece.length), host));
      linksOfPage(`url(${piece}${' '.repeat(100_000)}(`);
      assert.ok(performance.now() - begun < 5_000, piece);
    }
    const begun = performance.now();
    pageName(`${'/'.repeat(1_000_000)}a`);
    assert.ok(performance.now() - begun < 5_000);
  });
});
