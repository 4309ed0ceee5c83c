import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { letIn, registerPerson, signInAs } from '#testkit/app/people.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { openBrowser } from '#testkit/browser/browser.ts';
import { assertFitsAndAccessible, linkIn, openPerson, type Person, signIn, tabTo, walk } from './dashboard-user.ts';

const ROSA = { first: 'Rosa', last: 'Quay', email: 'rosa@example.com', password: 'a long enough password' };
const NAME = 'rosas-bakery.localhost';

/** Everything once, as somebody who has never seen it: each screen in both themes, wide and narrow, with axe. Each step stands on the former ones. */
describe('the dashboard for a new user', { timeout: 400_000 }, () => {
  let app: TestApp;
  let browser: Browser;
  let rosa: Person;
  let teamId: string;

  before(async () => {
    [app, browser] = await Promise.all([startTestApp(), openBrowser()]);
    rosa = await openPerson(browser, app.url);
  });
  after(async () => {
    await browser?.close();
    await app?.close();
  });

  it('leads from the first page to a site that runs, by the keyboard alone', async () => {
    const { page } = rosa;
    await page.goto('/register');
    await assertFitsAndAccessible(page, 'register');
    await page.getByLabel('First name').focus();
    await page.keyboard.type(ROSA.first);
    for (const [label, text] of [
      ['Last name', ROSA.last],
      ['Email', ROSA.email],
      ['Password', ROSA.password],
    ] as const) {
      await tabTo(page, page.getByLabel(label, { exact: true }));
      await page.keyboard.type(text);
    }
    await page.keyboard.press('Enter');
    await page.getByText('Create your first site').waitFor();
    await page.goto(linkIn(await app.mailTo(ROSA.email), '/verify'));
    await tabTo(page, page.getByRole('button', { name: 'I made it, confirm my address' }));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your address is confirmed' }).waitFor();
    await tabTo(page, page.getByRole('link', { name: 'Continue to the dashboard' }));
    await page.keyboard.press('Enter');
    await assertFitsAndAccessible(page, 'an empty home');
    await tabTo(page, page.getByRole('listitem').getByRole('link', { name: 'New site' }));
    await page.keyboard.press('Enter');
    await page.getByLabel('Title').and(page.locator(':focus')).waitFor();
    await page.keyboard.type("Rosa's Bakery");
    await tabTo(page, page.getByRole('button', { name: 'Generate' }));
    await page.keyboard.press('Enter');
    await page.getByText('Strong.').waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Create site' }));
    await page.keyboard.press('Enter');
    await page.getByText('Your site is ready').waitFor();
    assert.equal(new URL(page.url()).pathname, `/sites/${NAME}`);
    teamId = (await (await signInAs(app, ROSA.email)).api.listTeams()).results[0]?.id as string;
  });

  it('checks off the first step on Home, and leads on', async () => {
    const { page } = rosa;
    await page.goto('/');
    await page.getByText('Create your first site (done)').waitFor();
    await page.getByRole('link', { name: 'Open the site' }).waitFor();
  });

  it('shows every page of the team and of the site, fit for everybody', async () => {
    await walk(rosa, [
      '/',
      '/sites',
      '/activity',
      '/tickets',
      '/account',
      '/account?tab=security',
      '/account?tab=notifications',
      `/teams/${teamId}`,
      `/teams/${teamId}/members`,
      `/teams/${teamId}/billing`,
      '/developers/tokens',
      ...['', '/time', '/domains', '/logs', '/plugins', '/cache', '/security', '/settings'].map(
        (page) => `/sites/${NAME}${page}`,
      ),
      `/sites/${NAME}?env=staging`,
      '/no-such-page',
    ]);
  });

  it('makes a staging site, and finds everything of it', async () => {
    const { page } = rosa;
    await page.goto(`/sites/${NAME}`);
    await page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'Staging' }).click();
    await page.getByRole('button', { name: 'Create staging site' }).click();
    await page.getByRole('link', { name: 'Open staging site' }).waitFor();
    await walk(rosa, [`/sites/${NAME}?env=staging`, `/sites/${NAME}/changes?env=staging`]);
  });

  it('lists plugins with what can be done to each', async () => {
    const { page } = rosa;
    await page.goto(`/sites/${NAME}/plugins`);
    await page.getByRole('heading', { name: 'Plugins', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Add plugin' }).click();
    await page.getByRole('dialog').getByRole('textbox').first().waitFor();
    await assertFitsAndAccessible(page, 'the dialog for a plugin');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Add plugin' }).and(page.locator(':focus')).waitFor();
  });

  it('limits a member to a site, who then sees that site alone and can ask about it', async () => {
    const { page } = rosa;
    const owner = { ...(await signInAs(app, ROSA.email)), userId: '', teamId };
    const guest = await registerPerson(app, 'Guest');
    await letIn(owner, guest, 'member');
    await page.goto(`/teams/${teamId}/members`);
    await page.getByRole('button', { name: 'Actions for Guest Tester' }).click();
    await page.getByRole('menuitem', { name: 'Choose sites…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sites of Guest Tester' });
    await dialog.getByText('No site is chosen yet.').waitFor();
    await dialog.getByRole('button', { name: `Add ${NAME}` }).click();
    await page.keyboard.press('Tab');
    await dialog
      .getByRole('combobox', { name: `Role on ${NAME}` })
      .and(page.locator(':focus'))
      .waitFor();
    await assertFitsAndAccessible(page, 'the dialog for the sites of a member');
    await dialog.getByRole('button', { name: 'Limit to these sites' }).click();
    await page.getByRole('row').filter({ hasText: 'Only 1 site' }).waitFor();

    const limited = await openPerson(browser, app.url);
    await limited.page.goto('/tickets');
    await signIn(limited.page, guest.email, ROSA.password);
    await limited.page.getByRole('button', { name: /^Team: / }).click();
    await limited.page.getByRole('menuitemradio', { name: "Rosa's team" }).click();
    assert.equal(await limited.page.getByRole('link', { name: 'Members' }).count(), 0);
    await limited.page.getByRole('link', { name: 'Sites', exact: true }).click();
    await limited.page.getByText(NAME).first().waitFor();
    assert.equal(await limited.page.getByRole('button', { name: 'Views' }).count(), 0);
    // Both as the next page and as the first, which the server answers ahead.
    await limited.page.getByRole('link', { name: 'Home' }).click();
    await limited.page.getByRole('heading', { name: 'Newest sites' }).waitFor();
    await limited.page.reload();
    await limited.page.getByRole('heading', { name: 'Newest sites' }).waitFor();
    await limited.page.getByRole('main').getByText(NAME).first().waitFor();
    await assertFitsAndAccessible(limited.page, 'Home of a limited member');
    await limited.page.getByRole('link', { name: 'Support' }).click();
    await limited.page.getByRole('button', { name: 'New ticket' }).click();
    const form = limited.page.getByRole('dialog', { name: 'New ticket' });
    await form.getByLabel('Team').selectOption("Rosa's team");
    await form.getByLabel('Site', { exact: true }).waitFor();
    await assertFitsAndAccessible(limited.page, 'the ticket of a limited member');
    await form.getByLabel('Subject').fill('The oven page is blank');
    await form.getByLabel('What is it about?').fill('Since this morning.');
    await form.getByRole('button', { name: 'Open ticket' }).click();
    await limited.page.getByRole('heading', { name: 'The oven page is blank' }).waitFor();
    await assertFitsAndAccessible(limited.page, 'a ticket');
    assert.deepEqual(limited.complaints, []);
  });

  it('never made the browser complain', () => {
    assert.deepEqual(rosa.complaints, []);
  });
});
