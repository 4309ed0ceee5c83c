import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Locator } from 'playwright-core';
import { registerPerson } from '#testkit/app/people.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { openBrowser } from '#testkit/browser/browser.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually } from '#testkit/expect.ts';
import { assertFitsAndAccessible, openPerson, type Person, signIn, tabTo } from './dashboard-user.ts';

/** One walk: make a staging site, go from one environment to the other, look at what it mailed, bring its changes to the site, delete it. Each step stands on what the former ones left. */
describe('a staging site in the dashboard', { timeout: 400_000 }, () => {
  let app: TestApp;
  let browser: Browser;
  let ada: Person;
  let label: string;
  let stage: { id: string; fqdn: string };

  before(async () => {
    [app, browser] = await Promise.all([startTestApp(), openBrowser()]);
    const owner = await registerPerson(app, 'Ada');
    await putOnPlan(app, owner.teamId, 'business');
    const { fqdn } = await newSite(owner);
    label = fqdn.split('.')[0] as string;
    ada = await openPerson(browser, app.url);
    await ada.page.goto(`/sites/${fqdn}`);
    await signIn(ada.page, owner.email, 'a long enough password');
    stage = { id: '', fqdn: `${label}-stage.localhost` };
  });
  after(async () => {
    await browser?.close();
    await app?.close();
  });

  it('is made under the name that is offered, and opens', async () => {
    const { page } = ada;
    await page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'Staging' }).click();
    const name = page.getByLabel('Name of the staging site');
    assert.equal(await name.inputValue(), `${label}-stage`);
    await assertFitsAndAccessible(page, 'a site without a stage');
    await name.fill('no such name');
    await page.getByRole('button', { name: 'Create staging site' }).click();
    await page.getByText('letters, digits and dashes').waitFor();
    await name.fill(`${label}-stage`);
    await page.getByRole('button', { name: 'Create staging site' }).click();
    const link = page.getByRole('link', { name: 'Open staging site' });
    await link.waitFor();
    assert.equal(new URL((await link.getAttribute('href')) as string).hostname, stage.fqdn);
    assert.equal((await visit(app, stage.fqdn, '/')).status, 200);

    // What happened to either leads to the site, whose name is not the copy's.
    await page.goto('/activity');
    const addressOf = (text: string) => page.getByRole('link', { name: text }).getAttribute('href');
    assert.equal(await addressOf('Ada Tester made the staging site'), `/sites/${label}.localhost?env=staging`);
    assert.equal(await addressOf('Ada Tester created'), `/sites/${label}.localhost`);
    await page.goto(`/sites/${label}.localhost?env=staging`);
    await link.waitFor();
  });

  it('is one switch away from the live site, on the same tab where both have it, and the address says which one it is', async () => {
    const { page } = ada;
    const environments = page.getByRole('navigation', { name: 'Environment' });
    const [toLive, toStage] = ['Live', 'Staging'].map((name) => environments.getByRole('link', { name })) as [
      Locator,
      Locator,
    ];
    const at = async (path: string, search: string) => {
      await page.waitForURL((url) => url.pathname.endsWith(path) && url.search === search);
      const name = search.includes('env=staging') ? 'Staging' : 'Live';
      await environments.getByRole('link', { name }).and(page.locator('[aria-current=page]')).waitFor();
      assert.equal(await environments.locator('[aria-current]').count(), 1);
    };
    stage = await stageRow(app);
    await siteOnDisk(app, stage.id).write('of-the-stage.txt', 'mine');
    await page.getByRole('link', { name: 'Files' }).click();
    await at('/files', '?env=staging');
    await page.getByRole('button', { name: 'of-the-stage.txt' }).waitFor();
    await assertFitsAndAccessible(page, 'the files of a stage');
    // By keyboard alone, there and back.
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await tabTo(page, toLive);
    await page.keyboard.press('Enter');
    await at('/files', '');
    await page.getByRole('button', { name: 'themes' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'of-the-stage.txt' }).count(), 0);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await at('/files', '?env=staging');

    await page.getByRole('link', { name: 'Logs' }).click();
    await page.getByRole('radio', { name: 'Visits' }).click();
    await visit(app, stage.fqdn, '/only-of-the-stage');
    await page.getByText('/only-of-the-stage').first().waitFor();
    await toLive.click();
    await at('/logs', '');
    await page.getByRole('radio', { name: 'Visits' }).click();
    await page.getByText('No visits yet').waitFor();

    // What a stage has not is left for its overview.
    await page.getByRole('link', { name: 'Domain' }).click();
    await toStage.click();
    await at('.localhost', '?env=staging');
    await page.getByRole('link', { name: 'Time machine' }).click();
    await page.getByText('Every minute in which the staging site changed').waitFor();
    await at('/time', '?env=staging');
    await assertFitsAndAccessible(page, 'the time machine of a stage');
    await toLive.click();
    await at('/time', '');
    await page.getByText('Every minute in which the site changed').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('main').getByText('Visitors of the live site do not see changes here').waitFor();
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByText('Staging', { exact: true }).waitFor();
    await at('.localhost', '?env=staging');
  });

  it('shows what it wanted to mail', async () => {
    const { page } = ada;
    await page.getByRole('link', { name: 'Mail' }).click();
    await page.getByText('Nothing yet').waitFor();
    const mail = { to: 'customer@example.com', subject: 'Your order', text: 'Thank you for nothing!' };
    await siteOnDisk(app, stage.id).write('plugins/mail.php', JSON.stringify([{ mail }]));
    await visit(app, stage.fqdn, '/wp-content/plugins/mail.php');
    await page.getByText('Your order').click();
    await page.getByText('Thank you for nothing!').waitFor();
    await page.getByText('customer@example.com').waitFor();
    await assertFitsAndAccessible(page, 'held mail');
  });

  it('shows what each side has changed, and brings its own to the site, which can be undone', async () => {
    const { page } = ada;
    const { id } = await app.services.db
      .selectFrom('sites')
      .select('id')
      .where('kind', '=', 'live')
      .executeTakeFirstOrThrow();
    const [live, copy] = [siteOnDisk(app, id), siteOnDisk(app, stage.id)];
    await copy.setOption('blogname', 'From the stage');
    await live.setOption('blogname', 'From live');
    await copy.write('themes/harbour/style.css', 'new');
    await live.write('uploads/order.txt', 'an order');
    await page.getByRole('link', { name: 'Overview' }).click();
    await assertFitsAndAccessible(page, 'a site with a stage');
    await page.getByRole('link', { name: 'Compare with live' }).click();
    await page.getByText('1 file of the theme harbour (themes/harbour/style.css) new on staging').waitFor();
    await page.getByText('1 uploaded file (uploads/order.txt) came to live').waitFor();
    await page.getByText('1 setting (blogname) changed in both').waitFor();
    await page.getByText('Every table and file').click();
    await page.getByRole('button', { name: 'wp_options' }).click();
    const row = page.getByRole('table', { name: 'Both · blogname' });
    await row.getByText('From live').waitFor();
    await row.getByText('From the stage').waitFor();
    await assertFitsAndAccessible(page, 'a comparison');
    // Both changed the title, so it cannot be brought before one says whose it is.
    assert.ok(await page.getByRole('button', { name: 'Bring to live' }).isDisabled());
    await page.getByRole('radio', { name: 'The staging version' }).click();
    await page.getByRole('button', { name: 'Bring to live' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Bring to live' }).click();
    await page.getByText('The changes are live.').waitFor();
    await page.getByText('Nothing was changed on the staging site').waitFor();
    assert.deepEqual(
      [await live.option('blogname'), await live.read('uploads/order.txt')],
      ['From the stage', 'an order'],
    );
    await assertFitsAndAccessible(page, 'after a commit');
    await page.getByRole('button', { name: 'Undo publish' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Undo publish' }).click();
    await eventually(async () => (await live.option('blogname')) === 'From live');
  });

  it('is made anew after a question', async () => {
    const { page } = ada;
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('button', { name: 'Reset from live' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Reset from live' }).click();
    const isAnew = async () =>
      (await siteOnDisk(app, stage.id)
        .option('blogname')
        .catch(() => null)) === 'From live';
    await eventually(isAnew);
    await page.getByRole('link', { name: 'Changes' }).click();
    await page.getByText('Nothing was changed on the staging site').waitFor();
  });

  it('is deleted after a question', async () => {
    const { page } = ada;
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Danger zone' }).waitFor();
    await page.getByRole('button', { name: 'Delete staging site' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete staging site' }).click();
    await page.getByRole('button', { name: 'Create staging site' }).waitFor();
    assert.deepEqual(ada.complaints, []);
  });
});

const stageRow = ({ services }: TestApp) =>
  services.db.selectFrom('sites').select(['id', 'fqdn']).where('kind', '=', 'stage').executeTakeFirstOrThrow();
