import assert from 'node:assert/strict';
import { eventually } from '#testkit/expect.ts';
import {
  type Area,
  askRest,
  hoverRow,
  openAdmin,
  publish,
  type SiteUnderTest,
  sees,
  visitAsStranger,
} from './site-under-test.ts';

/** Posts, from the first thought to the trash. */
export const WRITING: Area[] = [
  { name: 'the dashboard greets, and takes a quick draft', walk: draftQuickly },
  { name: 'a post is edited in the editor', walk: edit },
  { name: 'a post is quick edited in the list', walk: quickEdit },
  { name: 'a post goes to the trash, comes back, and goes for good', walk: trashAndRestore },
  { name: 'a scheduled post appears by itself', walk: schedule },
];

async function draftQuickly(site: SiteUnderTest): Promise<void> {
  const { page } = site;
  await openAdmin(site);
  await page.getByRole('heading', { name: 'Welcome to WordPress', level: 2 }).waitFor();
  const form = page.locator('#quick-press');
  await form.getByRole('textbox', { name: 'Title' }).fill('A quick thought');
  await form.getByRole('textbox', { name: 'Content' }).fill('To be continued.');
  await form.getByRole('button', { name: 'Save Draft' }).click();
  await page.locator('.drafts').getByRole('link', { name: 'A quick thought' }).first().waitFor();
  await openAdmin(site, 'edit.php?post_status=draft');
  await page.locator('.status-draft').filter({ hasText: 'A quick thought' }).first().waitFor();
}

async function edit(site: SiteUnderTest): Promise<void> {
  const { page } = site;
  const { link } = await publish(site, 'Before the edit');
  await openAdmin(site, 'edit.php');
  await page.locator('.row-title', { hasText: 'Before the edit' }).click();
  const title = page.frameLocator('iframe[name="editor-canvas"]').getByRole('textbox', { name: 'Add title' });
  await title.fill('After the edit');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await sees(page, 'Post updated.');
  const { text } = await visitAsStranger(site, new URL(link).pathname);
  assert.match(text, /After the edit/);
}

async function quickEdit(site: SiteUnderTest): Promise<void> {
  const { page } = site;
  await publish(site, 'A title with a mistaek', { slug: 'mistaek' });
  await openAdmin(site, 'edit.php');
  await (await hoverRow(site, 'A title with a mistaek')).getByRole('button', { name: 'Quick edit' }).click();
  const form = page.locator('tr.inline-editor');
  await form.getByRole('textbox', { name: 'Title' }).fill('A title without a mistake');
  await form.getByRole('textbox', { name: 'Slug' }).fill('no-mistake');
  await form.getByRole('button', { name: 'Update' }).click();
  await page.locator('.row-title', { hasText: 'A title without a mistake' }).waitFor();
  const seen = await visitAsStranger(site, '/no-mistake/');
  assert.equal(seen.status, 200);
  assert.match(seen.text, /A title without a mistake/);
  assert.equal((await visitAsStranger(site, '/mistaek/')).url, '/no-mistake/', 'the old address leads to the new one');
}

async function trashAndRestore(site: SiteUnderTest): Promise<void> {
  const { page } = site;
  const { id } = await publish(site, 'Soon gone', { slug: 'soon-gone' });
  assert.equal((await visitAsStranger(site, '/soon-gone/')).status, 200);
  await openAdmin(site, 'edit.php');
  await (await hoverRow(site, 'Soon gone')).getByRole('link', { name: 'Trash' }).click();
  await sees(page, '1 post moved to the Trash.');
  assert.equal((await visitAsStranger(site, '/soon-gone/')).status, 404);

  await openAdmin(site, 'edit.php?post_status=trash');
  await (await hoverRow(site, 'Soon gone')).getByRole('link', { name: 'Restore' }).click();
  await sees(page, '1 post restored from the Trash.');
  await askRest(site, `/wp/v2/posts/${id}`, { body: { status: 'publish' } });
  assert.equal((await visitAsStranger(site, '/soon-gone/')).status, 200, 'at its old address');

  await askRest(site, `/wp/v2/posts/${id}`, { method: 'DELETE' });
  await openAdmin(site, 'edit.php?post_status=trash');
  await page.getByRole('button', { name: 'Empty Trash' }).first().click();
  await sees(page, /posts? permanently deleted\./);
  await openAdmin(site, 'edit.php?post_status=trash');
  await sees(page, 'No posts found in Trash.');
}

/** WordPress publishes at once what is less than a minute away, so this takes a minute. */
const SCHEDULED_IN_MS = 63_000;
const LONG_MS = 240_000;

async function schedule(site: SiteUnderTest): Promise<void> {
  const { page } = site;
  const date_gmt = new Date(Date.now() + SCHEDULED_IN_MS).toISOString().slice(0, 19);
  await publish(site, 'Good morning', { slug: 'good-morning', status: 'future', date_gmt });
  assert.equal((await visitAsStranger(site, '/good-morning/')).status, 404);
  await openAdmin(site, 'edit.php?post_status=future');
  await page.locator('.status-future').filter({ hasText: 'Good morning' }).waitFor();
  await eventually(async () => (await visitAsStranger(site, '/good-morning/')).status === 200, LONG_MS);
  assert.match((await visitAsStranger(site, '/')).text, /Good morning/);
}
