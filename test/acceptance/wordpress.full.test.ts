import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { registerPerson } from '#testkit/app/people.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { openBrowser } from '#testkit/browser/browser.ts';
import { makePng } from '#testkit/browser/png.ts';
import { visit, visitKept } from '#testkit/clients/visit.ts';
import { eventually } from '#testkit/expect.ts';

/** What the product is about, as a person does it: a real WordPress, in a real browser, behind the real edge. */

let app: TestApp;
let browser: Browser;
before(async () => {
  app = await startTestApp({ runtime: 'php-wasm' });
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await app?.close();
});

const PASSWORD = 'correct horse battery';
/** Generous: it costs nothing when the test passes. */
const PATIENCE_MS = 120_000;

it('a new site opens, its owner signs in and publishes a post with an image, and the next visitor sees it', async () => {
  const ada = await registerPerson(app, 'ada');
  const { port } = new URL(app.url);
  const home = `http://blog.localhost:${port}`;
  const site = await ada.api.createSite({
    body: {
      fqdn: 'blog.localhost',
      team_id: ada.teamId,
      cms_blog_name: 'Ada & friends',
      cms_email: 'ada@example.com',
      cms_first_name: 'Ada',
      cms_last_name: 'Lovelace',
      cms_username: 'ada',
      cms_password: PASSWORD,
    },
    wait: 60,
  });
  assert.equal(site.busy, null);

  // PHP itself says of a file that somebody saves whether it can read it, unless the machine is too busy to hear it in time.
  const save = async (path: string, content: string) =>
    (await ada.api.saveSiteFile({ params: { fqdn: site.fqdn }, body: { path, content } })).syntax_error;
  assert.equal(await save('plugins/good.php', '<?php echo 1;'), null);
  let tries = 0;
  await eventually(async () => (await save(`plugins/bad${tries++}.php`, '<?php\necho 1;\necho (;'))?.line === 3);

  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(`${home}/`);
  assert.equal(await page.title(), 'Ada & friends');
  // The front page is cached from here on.
  await visitKept(app, 'blog.localhost', '/');

  await page.goto(`${home}/wp-login.php`);
  await page.fill('#user_login', 'ada');
  await page.fill('#user_pass', PASSWORD);
  await page.click('#wp-submit');
  await page.waitForURL(`${home}/wp-admin/`);

  await publishPost(page, home, 'Notes on the engine');

  const front = await visit(app, 'blog.localhost', '/');
  assert.match(front.text, /Notes on the engine/);
  const address = /<a href="(http:[^"]+)"[^>]*>Notes on the engine/.exec(front.text)?.[1] ?? '';
  const post = await visit(app, 'blog.localhost', address.slice(home.length));
  const image = /<img[^>]+src="(http:[^"]+\/wp-content\/uploads\/[^"]+\.png)"/.exec(post.text)?.[1] ?? '';
  const picture = await visit(app, 'blog.localhost', image.slice(home.length));
  assert.equal(picture.status, 200);
  assert.equal(picture.headers['content-type'], 'image/png');
});

async function publishPost(page: Page, home: string, title: string): Promise<void> {
  await page.goto(`${home}/wp-admin/post-new.php`);
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  const canvas = page.frameLocator('iframe[name="editor-canvas"]');
  await canvas.getByRole('textbox', { name: 'Add title' }).fill(title);
  await page.keyboard.press('Enter');
  await page.keyboard.type('/image');
  await page.getByRole('option', { name: 'Image', exact: true }).click();
  await canvas
    .locator('input[type="file"]')
    .setInputFiles({ name: 'engine.png', mimeType: 'image/png', buffer: makePng(64) });
  await canvas.locator('img[src*="/wp-content/uploads/"]').waitFor();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByLabel('Editor publish').getByRole('button', { name: 'Publish', exact: true }).click();
  await page
    .getByText(/is now live/)
    .first()
    .waitFor();
}
