import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { PASSWORD, registerPerson, type Person as Somebody, signInAs } from '#testkit/app/people.ts';
import { AuthenticatorApp } from '#testkit/app/second-factor.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { openBrowser } from '#testkit/browser/browser.ts';
import { assertFitsAndAccessible, linkIn, openPerson, type Person, signIn } from './dashboard-user.ts';

/** One person sets up their account, in one browser. Each step stands on what the former ones left. */
describe('the account', { timeout: 300_000 }, () => {
  let app: TestApp;
  let browser: Browser;
  let person: Somebody;
  let ada: Person;
  let codes: string[];

  before(async () => {
    [app, browser] = await Promise.all([startTestApp(), openBrowser()]);
    person = await registerPerson(app, 'Ada');
    ada = await openPerson(browser, app.url);
    await ada.page.goto('/account?tab=security');
    await signIn(ada.page, person.email, PASSWORD);
  });
  after(async () => {
    await browser?.close();
    await app?.close();
  });

  it('makes a passkey, which then is the second step and the only one', async () => {
    const { page } = ada;
    await addVirtualAuthenticator(page);
    await page.getByText('Two-step sign-in').waitFor();
    await assertFitsAndAccessible(page, 'security');
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Laptop');
    await page.getByLabel('Your password').fill('not my password');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add passkey' }).click();
    await dialog.getByText('This is not your password.').waitFor();
    await page.getByLabel('Your password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor();
    codes = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allTextContents();
    assert.equal(codes.length, 10);
    await assertFitsAndAccessible(page, 'recovery codes');
    await page.getByRole('button', { name: 'I have saved them' }).click();
    await page.getByText('10 of 10 left').waitFor();

    await signOut(page);
    await signIn(page, person.email, PASSWORD);
    await page.getByRole('heading', { name: 'Use your passkey' }).waitFor();
    await page.getByRole('button', { name: 'Use passkey', exact: true }).and(page.locator(':focus')).waitFor();
    await assertFitsAndAccessible(page, 'the second step');
    await page.getByRole('button', { name: 'Use passkey', exact: true }).click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();

    await signOut(page);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  });

  it('sets up an authenticator app from what the QR code says, and takes its code or a recovery code', async () => {
    const { page } = ada;
    await page.goto('/account?tab=security');
    const totp = await setUpApp(page);
    await page.getByRole('button', { name: 'Remove the authenticator app' }).waitFor();
    await totp.later();

    await signOut(page);
    await signIn(page, person.email, PASSWORD);
    await page.getByRole('button', { name: 'Use the authenticator app' }).click();
    await page.getByLabel('Code', { exact: true }).fill('000 000');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('This code is not right').waitFor();
    await page.getByLabel('Code', { exact: true }).fill(totp.code());
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  });

  async function setUpApp(page: Page): Promise<AuthenticatorApp> {
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    await page.getByLabel('Your password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
    await assertFitsAndAccessible(page, 'setting up an app');
    const secret = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
    const totp = new AuthenticatorApp(app, person.userId, secret.replaceAll(' ', ''));
    await page.getByLabel('Code', { exact: true }).fill(totp.code());
    await page.getByRole('button', { name: 'Turn on' }).click();
    return totp;
  }

  it('does not skip the second step after a reset', async () => {
    const { page } = ada;
    await signOut(page);
    await person.api.resetPassword({ body: { email: person.email } });
    await page.goto(linkIn(await app.mailTo(person.email, 'asked to set a new password'), '/reset'));
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('heading', { name: 'Use your passkey' }).waitFor();
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await page.getByLabel('Recovery code').fill(codes[0] as string);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  });

  it('removes both with the password, and is a plain sign-in again', async () => {
    const { page } = ada;
    await page.goto('/account?tab=security');
    await page.getByText('9 of 10 left').waitFor();
    for (const name of ['Remove the authenticator app', 'Remove the passkey Laptop']) {
      await page.getByRole('button', { name }).click();
      await page.getByLabel('Your password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Remove', exact: true }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      // The button that opened it is gone; the focus is not.
      await page.locator('main:focus').waitFor();
    }
    await page.getByText('Off', { exact: true }).waitFor();
  });

  it('shows the recovery codes also where the app is the first of them', async () => {
    const { page } = ada;
    await setUpApp(page);
    const codesOf = () =>
      page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').filter({ visible: true }).count();
    await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor();
    await page.getByText('10 of 10 left').waitFor();
    // They stay whatever the list behind them shows, and wherever somebody clicks.
    await page.mouse.click(5, 5);
    assert.equal(await codesOf(), 10);
    await page.getByRole('button', { name: 'I have saved them' }).click();
    await page.locator('main:focus').waitFor();
    await page.getByRole('button', { name: 'Remove the authenticator app' }).click();
    await page.getByLabel('Your password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Off', { exact: true }).waitFor();
  });

  it('lists the browsers that are signed in, and signs the others out', async () => {
    const { page } = ada;
    const other = await signInAs(app, person.email);
    await page.goto('/account?tab=sessions');
    await page.getByRole('row').filter({ hasText: 'This browser' }).filter({ hasText: 'Chrome on' }).waitFor();
    await assertFitsAndAccessible(page, 'sessions');
    await page.getByRole('button', { name: /^Sign out Node.js/ }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('That browser is signed out.').waitFor();
    await assert.rejects(other.api.getMe());
    assert.equal(await page.getByRole('button', { name: 'Sign out everywhere else' }).count(), 0);
  });

  it('changes which mails one gets at once, and by the link in a mail', async () => {
    const { page } = ada;
    await page.goto('/account?tab=notifications');
    const saved = page.waitForResponse('**/me/notifications');
    await page.getByRole('switch', { name: 'Usage' }).click();
    await saved;
    await assertFitsAndAccessible(page, 'notifications');
    const token = app.services.secrets.signId('unsubscribe tickets', person.userId);
    await page.goto(`/unsubscribe?${new URLSearchParams({ kind: 'tickets', token })}`);
    await page.getByRole('button', { name: 'Send me no more of these' }).click();
    await page.getByText('Support emails are off.').waitFor();
    await page.getByRole('link', { name: 'Choose which emails you get' }).click();
    for (const [name, isOn] of [
      ['Usage', false],
      ['Support', false],
      ['Billing', true],
    ] as const)
      await page.getByRole('switch', { name, checked: isOn }).waitFor();
  });

  it('changes the address by a link that goes to the new one', async () => {
    const { page } = ada;
    await page.goto('/account');
    await page.getByRole('button', { name: 'Change address' }).click();
    await page.getByLabel('New address').fill('countess@example.com');
    await page.getByLabel('Your password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByText('Until you open it, your address stays as it is.').waitFor();
    await assertFitsAndAccessible(page, 'profile');
    await page.goto(linkIn(await app.mailTo('countess@example.com'), '/email'));
    await page.getByRole('button', { name: 'Use this address' }).click();
    await page.getByText('you sign in with countess@example.com').waitFor();
    const back = linkIn(await app.mailTo(person.email, 'was changed'), '/email/back');
    await page.goto(back);
    await assertFitsAndAccessible(page, 'taking an address back');
    await page.getByRole('button', { name: 'It was not me, take it back' }).click();
    await page.getByText('The account is yours again').waitFor();
  });

  it('breaks no policy and throws no error', () => assert.deepEqual(ada.complaints, []));
});

/** Chromium's own device for tests: it has a finger that is always right. */
async function addVirtualAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Ada Tester' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
}
