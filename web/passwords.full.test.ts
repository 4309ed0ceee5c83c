import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { letIn, registerPerson, type Person as Somebody } from '#testkit/app/people.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { openBrowser } from '#testkit/browser/browser.ts';
import { assertFitsAndAccessible, openPerson, type Person, signIn } from './dashboard-user.ts';

/** A team's passwords for sites elsewhere, as a member and a viewer see them. Each step stands on the former ones. */
describe('application passwords in the dashboard', { timeout: 400_000 }, () => {
  let app: TestApp;
  let browser: Browser;
  let ada: Somebody;
  let owner: Person;
  let viewer: Person;

  before(async () => {
    [app, browser] = await Promise.all([startTestApp(), openBrowser()]);
    ada = await registerPerson(app, 'Ada');
    const grace = await registerPerson(app, 'Grace');
    await letIn(ada, grace, 'viewer');
    owner = await openPerson(browser, app.url);
    viewer = await openPerson(browser, app.url);
    for (const [person, { email }] of [[owner, ada] as const, [viewer, grace] as const]) {
      await person.page.goto(`/teams/${ada.teamId}?tab=passwords`);
      await signIn(person.page, email, 'a long enough password');
      await person.page.getByText('No application passwords').waitFor();
    }
  });
  after(async () => {
    await browser?.close();
    await app?.close();
  });

  const deleted = (fqdn: string) => ada.api.deleteApplicationPassword({ params: { fqdn } });

  it('says beside the field what is wrong, then keeps the password, whose host may be pasted, and shows it to everybody in the team', async () => {
    const { page } = owner;
    await page.getByRole('button', { name: 'Add password' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Host').fill('blog.localhost');
    await dialog.getByLabel('User name').fill('ada');
    await dialog.getByLabel('Password', { exact: true }).fill('abcd efgh ijkl mnop');
    await dialog.getByRole('button', { name: 'Add password' }).click();
    await dialog.getByText('is hosted here').waitFor();
    await dialog.locator('[name=fqdn]:focus').waitFor();
    await assertFitsAndAccessible(page, 'the dialog for a password');
    await dialog.getByLabel('Host').fill('https://Blog.Example.com/');
    await page.keyboard.press('Enter');
    await page.getByText('The password for blog.example.com is saved.').waitFor();
    for (const { page: each } of [owner, viewer])
      await each.getByRole('row').filter({ hasText: 'blog.example.com' }).waitFor();
    assert.equal(await viewer.page.getByRole('button', { name: /password/i }).count(), 0);
    await assertFitsAndAccessible(page, 'application passwords');
    await assertFitsAndAccessible(viewer.page, 'application passwords of a viewer');
  });

  it('replaces a password without showing the old one', async () => {
    const { page } = owner;
    await page.getByRole('button', { name: 'Replace the password for blog.example.com' }).click();
    const dialog = page.getByRole('dialog');
    assert.equal(await dialog.getByLabel('New password').inputValue(), '');
    assert.equal(await dialog.getByLabel('User name').inputValue(), 'ada');
    await dialog.getByLabel('New password').fill('another password');
    await dialog.getByLabel('Host').fill('news.example.com');
    await dialog.getByRole('button', { name: 'Replace password' }).click();
    await page.getByText('The password for news.example.com is replaced.').waitFor();
    await viewer.page.getByRole('row').filter({ hasText: 'news.example.com' }).waitFor();
    assert.equal((await deleted('news.example.com')).password, 'another password');
    await page.getByText('No application passwords').waitFor();
  });

  it('asks by the keyboard alone: it begins at Cancel, leads back, and says in place what went wrong', async () => {
    const { page } = owner;
    const body = { fqdn: 'asked.example.com', username: 'ada', password: 'x', team_id: ada.teamId };
    await ada.api.createApplicationPassword({ body });
    const opener = page.getByRole('button', { name: 'Remove the password for asked.example.com' });
    const question = page.getByRole('alertdialog', { name: 'Remove the password for asked.example.com?' });
    const focused = page.locator(':focus');
    for (const way of ['Enter', 'Escape']) {
      await opener.focus();
      await page.keyboard.press('Enter');
      await question.getByRole('button', { name: 'Cancel' }).and(focused).waitFor();
      await page.keyboard.press(way);
      await question.waitFor({ state: 'detached' });
      await opener.and(focused).waitFor();
    }
    await page.keyboard.press('Enter');
    await question.getByRole('button', { name: 'Cancel' }).and(focused).waitFor();
    await page.context().setOffline(true);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await question.getByRole('alert').filter({ hasText: 'The server could not be reached' }).waitFor();
    await question.getByRole('button', { name: 'Remove' }).and(focused).waitFor();
    await page.context().setOffline(false);
    await page.keyboard.press('Enter');
    await page.getByText('The password for asked.example.com is removed.').waitFor();
    await question.waitFor({ state: 'detached' });
    await assert.rejects(deleted('asked.example.com'));
  });

  it('removes one after asking', async () => {
    const { page } = owner;
    const body = { fqdn: 'shop.example.com', username: 'ada', password: 'x', team_id: ada.teamId };
    await ada.api.createApplicationPassword({ body });
    await page.getByRole('button', { name: 'Remove the password for shop.example.com' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('The password for shop.example.com is removed.').waitFor();
    await page.getByText('No application passwords').waitFor();
    await page.locator('main:focus').waitFor();
    await assert.rejects(deleted('shop.example.com'));
    assert.deepEqual([...owner.complaints, ...viewer.complaints], []);
  });
});
