import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { OPERATOR, startTestApp, type TestApp } from '../test/app.ts';
import { launchBrowser } from '../test/browser.ts';
import { registerPerson, signInAs } from '../test/people.ts';
import { assertFitsAndAccessible, openPerson, type Person, signIn } from './test-person.ts';

const PASSWORD = 'a long enough password';

/** What the dashboard shows of an account, a long ticket and the platform's people. */
describe('records in the dashboard', { timeout: 400_000 }, () => {
  let app: TestApp;
  let browser: Browser;
  let ada: Person;
  let adaEmail: string;

  before(async () => {
    [app, browser] = await Promise.all([startTestApp(), launchBrowser()]);
    const person = await registerPerson(app, 'Ada');
    adaEmail = person.email;
    ada = await openPerson(browser, app.url);
    await ada.page.goto('/account');
    await signIn(ada.page, adaEmail, PASSWORD);
    await ada.page.getByRole('heading', { name: 'Account', exact: true }).waitFor();
  });
  after(async () => {
    await browser?.close();
    await app?.close();
  });

  it('lets a person choose where new sites go, and starts the form of a new site there', async () => {
    const { page } = ada;
    await page.getByLabel('Last name').waitFor();
    assert.equal(await page.getByLabel('Default region').count(), 0);
    const operator = await signInAs(app, OPERATOR.email, OPERATOR.password);
    const place = { city: 'Oslo', country: 'Norway', country_code: 'NO', cname: 'osl.example.net', ip: '192.0.2.9' };
    await operator.api.createRegion({ body: { ...place, name: 'osl' } });

    await page.reload();
    await page.getByRole('combobox', { name: 'Default region' }).click();
    await page.getByRole('option', { name: "The platform's first (This server, Here)", selected: true }).waitFor();
    await page.getByRole('option', { name: 'Oslo, Norway' }).click();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved.').waitFor();
    await assertFitsAndAccessible(page, 'the account with a choice of regions');
    await page.goto('/sites/new');
    await page.getByRole('combobox', { name: 'Region' }).filter({ hasText: 'Oslo, Norway' }).waitFor();
    await page.goto('/account');
    await page.getByRole('combobox', { name: 'Default region' }).filter({ hasText: 'Oslo, Norway' }).click();
    await page.getByRole('option', { name: "The platform's first" }).click();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved.').waitFor();
    await page.goto('/sites/new');
    await page.getByRole('combobox', { name: 'Region' }).filter({ hasText: 'This server, Here' }).waitFor();
  });

  it('loads nothing from elsewhere, breaks no policy and throws no error', () => {
    assert.deepEqual(ada.complaints, []);
  });
});
