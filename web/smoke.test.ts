import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { sharedApp } from '#testkit/app/shared-app.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { openBrowser } from '#testkit/browser/browser.ts';
import { assertFitsAndAccessible, openPerson, type Person } from './dashboard-user.ts';

/** The dashboard as it is built, in a real browser, once: six pages with axe. Every page and dialog is in web/*.full.test.ts. */
let app: TestApp;
let browser: Browser;
let visitor: Person;
before(async () => {
  [app, browser] = await Promise.all([sharedApp(), openBrowser()]);
  visitor = await openPerson(browser, app.url);
});
after(() => browser?.close());

test('a new user registers and creates a site, and the main pages are accessible', { timeout: 300_000 }, async () => {
  const { page } = visitor;
  await page.goto('/register');
  await assertFitsAndAccessible(page, 'register');
  const email = `smoke${process.pid}@example.com`;
  const fields = { 'First name': 'Rosa', 'Last name': 'Quay', Email: email, Password: 'a long enough password' };
  for (const [label, text] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(text);
  await page.keyboard.press('Enter');
  await page.getByText('Create your first site').waitFor();
  await assertFitsAndAccessible(page, 'an empty home');
  await page.getByRole('listitem').getByRole('link', { name: 'New site' }).click();
  await page.getByLabel('Title').fill(`Smoke ${process.pid}`);
  await page.getByRole('button', { name: 'Generate' }).click();
  await page.getByText('Strong.').waitFor();
  await page.getByRole('button', { name: 'Create site' }).click();
  await page.getByText('Your site is ready').waitFor();
  await assertFitsAndAccessible(page, 'a new site');
  for (const path of ['/sites', '/activity', '/account']) {
    await page.goto(path);
    await assertFitsAndAccessible(page, path);
  }
});
