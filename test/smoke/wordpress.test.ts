import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { CMS, newSite } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';

/** The life of a site on the real WordPress, once: what the memory driver imitates everywhere else in the fast tier. */
let app: TestApp;
let owner: Person;
before(async () => {
  app = await startTestApp({ runtime: 'php-wasm' });
  owner = await registerPerson(app, 'Owner');
});
after(() => app?.close());

test('a new site serves WordPress, publishes a post, and a restore takes the post back', async () => {
  const site = await newSite(owner);
  const front = await visit(app, site.fqdn, '/');
  assert.equal(front.status, 200);
  assert.ok(front.text.includes(CMS.cms_blog_name), 'the front page shows the title of the site');
  assert.match(front.text, /wp-includes/, 'the page comes from WordPress');

  const before = await siteOnDisk(app, site.id).keep();
  const title = `Published ${randomUUID()}`;
  const body_json = JSON.stringify({ title, status: 'publish', content: 'By the smoke test.' });
  const published = await owner.api.cmsProxy({
    body: { fqdn: site.fqdn, method: 'post', path: '/wp-json/wp/v2/posts', body_json },
  });
  assert.equal(published.status_code, 201);
  const pageWithPost = async () => (await visit(app, site.fqdn, `/?uncached=${randomUUID()}`)).text.includes(title);
  assert.ok(await pageWithPost(), 'visitors see the post');

  const params = { fqdn: site.fqdn };
  const restored = await owner.api.createPitRestore({ params, wait: 60, body: { restore_point: before } });
  assert.equal(restored.failed_reason, null);
  assert.equal(await pageWithPost(), false, 'the post is still there after the restore');
  assert.equal((await visit(app, site.fqdn, '/wp-login.php')).status, 200);
});
