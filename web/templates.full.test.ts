import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { registerPerson } from '#testkit/app/people.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { newSite, putOnPlan } from '#testkit/app/sites.ts';
import { OPERATOR, startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { dumpOf } from '#testkit/archives/dump.ts';
import { zip } from '#testkit/archives/pack.ts';
import { openBrowser } from '#testkit/browser/browser.ts';
import { visit } from '#testkit/clients/visit.ts';
import { assertFitsAndAccessible, openPerson, type Person, signIn, tabTo } from './dashboard-user.ts';

describe('templates in the dashboard', { timeout: 400_000 }, () => {
  let app: TestApp;
  let browser: Browser;
  let ada: Person;
  let siteName: string;

  before(async () => {
    [app, browser] = await Promise.all([startTestApp(), openBrowser()]);
    const owner = await registerPerson(app, 'Ada');
    await putOnPlan(app, owner.teamId, 'business');
    const { id, fqdn } = await newSite(owner);
    siteName = fqdn;
    await siteOnDisk(app, id).write('uploads/photo.txt', 'a photo');
    const body = {
      description: 'Photos.',
      tag: 'portfolio' as const,
      is_public: true,
      url: 'https://example.com/gallery',
      fqdn,
    };
    await owner.api.createTemplate({ wait: 60, body });
    ada = await openPerson(browser, app.url);
    await ada.page.goto('/sites/new');
    await signIn(ada.page, owner.email, 'a long enough password');
  });
  after(async () => {
    await browser?.close();
    await app?.close();
  });

  it('are saved of a site, listed, edited and deleted, and an operator approves them', async () => {
    const { page } = ada;
    await page.getByLabel('Title').waitFor();
    await page.goto(`/sites/${siteName}/settings`);
    await page.getByRole('button', { name: 'Save as template' }).click();
    await page.getByLabel('Description').fill('A bakery.');
    await page.getByRole('switch', { name: 'Public' }).click();
    await assertFitsAndAccessible(page, 'a new template');
    await page.getByRole('button', { name: 'Save template' }).click();
    await page.waitForURL('**/templates');
    const name = siteName.split('.')[0] as string;
    const row = page.getByRole('listitem').filter({ hasText: 'A bakery.' });
    await row.getByText('Waiting for approval').waitFor();
    await assertFitsAndAccessible(page, 'templates');

    const operator = await openPerson(browser, app.url);
    await operator.page.goto('/operator?tab=templates');
    await signIn(operator.page, OPERATOR.email, OPERATOR.password);
    await operator.page.getByRole('button', { name: `Approve ${name}` }).waitFor();
    await assertFitsAndAccessible(operator.page, 'templates of the platform');
    await operator.page.getByRole('button', { name: `Approve ${name}` }).click();
    await operator.page.getByText(`${name} is approved.`).waitFor();

    await page.reload();
    await row.getByText('Public', { exact: true }).waitFor();
    const choose = async (item: string) => {
      await row.getByRole('button', { name: `Actions for ${name}` }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await choose('Edit template');
    await page.getByRole('switch', { name: 'Public' }).click();
    await page.getByRole('button', { name: 'Save template' }).click();
    await row.getByText('Private').waitFor();
    await choose('Delete template');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete template' }).click();
    await row.waitFor({ state: 'detached' });
    assert.deepEqual([...ada.complaints, ...operator.complaints], []);
    await operator.page.context().close();
    await page.goto('/sites/new');
  });

  it('are offered with a new site, and one is chosen and used by the keyboard alone', async () => {
    const { page } = ada;
    await page.getByLabel('Title').and(page.locator(':focus')).waitFor();
    await assertFitsAndAccessible(page, 'a new site with templates');
    await page.getByLabel('Title').focus();
    await page.keyboard.type('From a template');
    const empty = page.getByRole('radio', { name: 'An empty WordPress' });
    await tabTo(page, empty);
    assert.ok(await empty.isChecked());
    await page.keyboard.press('ArrowDown');
    const gallery = page.getByRole('radio', { name: 'gallery' });
    await gallery.and(page.locator(':focus')).waitFor();
    assert.ok(await gallery.isChecked());
    await tabTo(page, page.getByLabel('Password', { exact: true }));
    await page.keyboard.type('correct horse battery');
    await page.keyboard.press('Enter');
    await page.getByText('Your site is ready').waitFor();
    const fqdn = 'from-a-template.localhost';
    assert.equal((await visit(app, fqdn, '/wp-content/uploads/photo.txt')).text, 'a photo');
    assert.match((await visit(app, fqdn, '/')).text, /From a template/);
    assert.deepEqual(ada.complaints, []);
  });

  it('make room for the archive of a site from elsewhere, and say what is wrong with it', async () => {
    const { page } = ada;
    await page.goto('/sites/new');
    await page.getByRole('tab', { name: 'Import an archive' }).click();
    await assertFitsAndAccessible(page, 'an import');
    const choose = (buffer: Buffer) =>
      page
        .getByLabel('Archive', { exact: true })
        .setInputFiles({ name: 'site.zip', mimeType: 'application/zip', buffer });
    await choose(Buffer.from('no archive'));
    await page.getByLabel('Name', { exact: true }).fill('from-elsewhere');
    await page.getByRole('button', { name: 'Import site' }).click();
    await page.getByText('The archive can not be taken').waitFor();
    await choose(zip([{ name: 'content/a.txt' }, { name: 'database.sql', data: dumpOf({ title: 'Elsewhere' }) }]));
    await page.getByRole('button', { name: 'Import site' }).click();
    await page.getByText('Your site is ready').waitFor();
    assert.match((await visit(app, 'from-elsewhere.localhost', '/')).text, /Elsewhere/);
    assert.deepEqual(ada.complaints, []);
  });
});
