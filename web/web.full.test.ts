import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { OPERATOR, startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { openBrowser } from '#testkit/browser/browser.ts';
import { assertFitsAndAccessible, linkIn, openPerson, type Person, signIn, walk } from './dashboard-user.ts';

const ADA = { first: 'Ada', last: 'Lovelace', email: 'ada@example.com', password: 'analytical engine' };
const GRACE = { first: 'Grace', last: 'Hopper', email: 'grace@example.com', password: 'compilers are fun' };

/** One walk through the dashboard, by three people in three browsers. Each step stands on what the former ones left. */
describe('the dashboard', { timeout: 400_000 }, () => {
  let app: TestApp;
  let browser: Browser;
  let ada: Person;
  let grace: Person;
  let operator: Person;
  let teamPath: string;
  let ticketPath: string;

  before(async () => {
    [app, browser] = await Promise.all([startTestApp(), openBrowser()]);
    ada = await openPerson(browser, app.url);
    grace = await openPerson(browser, app.url);
    operator = await openPerson(browser, app.url);
  });
  after(async () => {
    await browser?.close();
    await app?.close();
  });

  it('shows a fault of the server under the field it is about, and gives that field the focus', async () => {
    const { page } = ada;
    await page.goto('/register');
    await register(page, { ...ADA, first: ' ' });
    const field = page.getByLabel('First name');
    await page.getByText('Must be one line, not blank and without control characters.').waitFor();
    await page.locator('[name=first_name]:focus').waitFor();
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    // It stays possible to ask the server again.
    const again = page.waitForRequest('**/register');
    await page.getByRole('button', { name: 'Create account' }).click();
    await again;
    await page.getByText('Must be one line, not blank and without control characters.').waitFor();
  });

  it('lets a person register and confirm the address with the mailed link', async () => {
    const { page } = ada;
    await page.getByLabel('First name').fill(ADA.first);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.getByText('Confirm your address').waitFor();

    // Until then it says what has to wait, instead of taking a form and refusing it.
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('row').filter({ hasText: ADA.email }).waitFor();
    await page.getByText('Confirm your email address first.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Invite', exact: true }).count(), 0);
    await page.getByRole('link', { name: 'Developers' }).click();
    await page.getByText('No tokens').waitFor();
    for (const [tab, button] of [
      ['Webhooks', 'Add webhook'],
      ['Application passwords', 'Add password'],
      ['Git accounts', 'Link account'],
    ] as const) {
      await page.getByRole('link', { name: tab }).click();
      await page.getByRole('heading', { name: tab }).waitFor();
      await page.getByText('Confirm your email address first.').waitFor();
      assert.equal(await page.getByRole('button', { name: button, exact: true }).count(), 0);
    }

    await page.goto(linkIn(await app.mailTo(ADA.email), '/verify'));
    await assertFitsAndAccessible(page, 'confirming an address');
    await page.getByRole('button', { name: 'I made it, confirm my address' }).click();
    await page.getByRole('heading', { name: 'Your address is confirmed' }).waitFor();
    await page.getByRole('link', { name: 'Continue to the dashboard' }).click();
    await page.getByText('Create your first site').waitFor();
    assert.equal(await page.getByText('Confirm your address').count(), 0);
  });

  it('works at the address that the contract gives the front end', async () => {
    await ada.page.goto('/f/api/v1/fastapi');
    await ada.page.getByRole('heading', { name: 'Home' }).waitFor();
    await grace.page.goto('/f/api/v1/fastapi');
    await grace.page.waitForURL(/\/sign-in$/);
    assert.equal(await grace.page.evaluate(() => history.length), 2);
    await ada.page.getByRole('button', { name: /^Team: Ada's team/ }).click();
    await ada.page.getByRole('menuitem', { name: 'All teams' }).click();
    await ada.page.getByRole('link', { name: "Ada's team" }).waitFor();
  });

  it('lets the owner rename the team and choose its time zone', async () => {
    const { page } = ada;
    await page.getByRole('link', { name: "Ada's team" }).click();
    await page.getByLabel('Name', { exact: true }).fill('Analytical Engines'.repeat(6));
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('This should have at most 100 characters.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Analytical Engines');
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Europe/London');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { name: 'Analytical Engines', level: 1 }).waitFor();
    await page.reload();
    assert.equal(await page.getByRole('combobox', { name: 'Time zone' }).inputValue(), 'Europe/London');
  });

  it('brings an invited person from the mailed link into the team', async () => {
    const { page } = ada;
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByLabel('Email').fill(GRACE.email);
    await page.getByLabel('First name').fill(GRACE.first);
    await page.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'Member' }).click();
    await page.getByRole('button', { name: 'Send invite' }).click();
    await page.getByRole('row').filter({ hasText: GRACE.email }).waitFor();

    const invited = grace.page;
    await invited.goto(linkIn(await app.mailTo(GRACE.email, '/invite?token='), '/invite'));
    await invited.getByRole('heading', { name: 'Join Analytical Engines' }).waitFor();
    await invited.getByRole('link', { name: 'Create an account' }).click();
    assert.equal(await invited.getByLabel('Email').inputValue(), GRACE.email);
    await register(invited, GRACE);
    await invited.getByRole('button', { name: 'Accept and join' }).click();
    await invited.waitForURL('**/teams/*');
    teamPath = new URL(invited.url()).pathname;

    // The owner's open page hears of it by itself.
    await page.getByRole('row').filter({ hasText: 'Grace Hopper' }).waitFor();
    assert.equal(await page.getByText('Invited', { exact: true }).count(), 0);
  });

  it('offers nobody what their role does not allow', async () => {
    const { page } = grace;
    assert.equal(await page.getByRole('button', { name: 'Save changes' }).count(), 0);
    assert.ok(await page.getByLabel('Name', { exact: true }).isDisabled());
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('button', { name: 'Actions for Grace Hopper' }).waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Invites' }).count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Actions for Ada Lovelace' }).count(), 0);
    assert.equal(await page.getByRole('link', { name: 'Operator' }).count(), 0);
  });

  it('carries a ticket between a member, the team and the operator, without a reload', async () => {
    const { page } = grace;
    await page.getByRole('button', { name: /^Team: / }).click();
    await page.getByRole('menuitemradio', { name: 'Analytical Engines' }).click();
    await page.getByRole('link', { name: 'Support' }).click();
    await page.getByRole('button', { name: 'New ticket' }).click();
    await page.getByRole('combobox', { name: 'Team' }).filter({ hasText: 'Analytical Engines' }).waitFor();
    await page.getByLabel('Subject').fill('Restore point from Tuesday');
    await page.getByLabel('What is it about?').fill('Can we see the page as it was?\n\nThank you.');
    await page.getByRole('button', { name: 'Open ticket' }).click();
    await page.waitForURL('**/tickets/*');
    ticketPath = new URL(page.url()).pathname;

    await operator.page.goto('/operator?tab=tickets');
    await signIn(operator.page, OPERATOR.email, OPERATOR.password);
    await operator.page.getByRole('listitem').filter({ hasText: 'Grace Hopper' }).waitFor();
    await operator.page.getByRole('link', { name: 'Restore point from Tuesday' }).click();
    await operator.page.getByRole('article').filter({ hasText: 'Grace Hopper' }).waitFor();
    await operator.page
      .getByRole('complementary', { name: 'About this ticket' })
      .getByText('Analytical Engines')
      .waitFor();
    await operator.page.getByRole('combobox', { name: 'Assigned to' }).click();
    await operator.page.getByRole('option', { name: /\(you\)$/ }).click();
    await operator.page.getByLabel('Answer', { exact: true }).fill('Yes, **every** changed minute of the last day.');
    await operator.page.getByRole('button', { name: 'Answer', exact: true }).click();

    await page.getByText('Yes, every changed minute of the last day.').waitFor();
    await page.getByText('Waiting for you').first().waitFor();
    await page.getByLabel('Reply').fill('That is it.');
    await page.getByRole('button', { name: 'Send reply' }).click();
    await page.getByRole('listitem').filter({ hasText: 'That is it.' }).waitFor();
    await page.getByRole('button', { name: 'Resolve' }).click();
    await page.getByRole('list', { name: 'Conversation' }).getByText('Grace Hopper resolved the ticket').waitFor();
    await page.getByRole('button', { name: 'Reopen' }).waitFor();
  });

  it('shows activity as it happens and marks it as read', async () => {
    const { page } = ada;
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.getByText('Grace Hopper resolved the ticket').waitFor();

    await grace.page.getByRole('button', { name: 'Reopen' }).click();
    await page.getByText('Grace Hopper reopened the ticket').waitFor();
    assert.ok((await page.getByText('Unread', { exact: true }).count()) > 1);
    await page.getByRole('button', { name: 'Mark all read' }).click();
    await page.getByRole('radio', { name: 'Unread' }).click();
    await page.getByText('You have read everything.').waitFor();
  });

  it('names the team of an event to people in several teams, and nobody is news to themself', async () => {
    const { page } = grace;
    await page.getByRole('link', { name: 'Activity' }).click();
    const event = page.getByRole('listitem').filter({ hasText: 'Grace Hopper reopened the ticket' });
    assert.equal(await event.getByText('Unread').count(), 0);
    await event.getByRole('link', { name: 'Analytical Engines' }).click();
    await page.waitForURL(`**${teamPath}`);
    await ada.page.getByRole('radio', { name: 'All' }).click();
    await ada.page.getByText('Grace Hopper reopened the ticket').waitFor();
    assert.equal(await ada.page.getByRole('main').getByRole('link', { name: 'Analytical Engines' }).count(), 0);
  });

  it('finds pages, actions and docs from everywhere by Ctrl and K', async () => {
    const { page } = ada;
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: /^Search for sites/ });
    await field.fill('webhook');
    await page.getByRole('option').filter({ hasText: 'Webhooks' }).first().waitFor();
    await field.fill('memb');
    await page.getByRole('option', { name: 'Members' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/members');
  });

  it('shows a new API token once and revokes it', async () => {
    const { page } = ada;
    await page.goto('/developers/tokens');
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Deploy from CI');
    await page.getByRole('checkbox', { name: 'Read' }).click();
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByText('At least one is needed.').waitFor();
    await page.getByRole('checkbox', { name: 'Read' }).click();
    await page.getByRole('checkbox', { name: 'Write' }).click();
    await page.getByRole('button', { name: 'Create token' }).click();
    const token = (await page.getByRole('alertdialog').locator('code').textContent()) ?? '';
    await page.getByRole('button', { name: 'Copy the token' }).and(page.locator(':focus')).waitFor();
    // Neither a click beside it nor Escape, pressed twice, loses what is never shown again.
    await page.mouse.click(5, 5);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Copy the token' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Close' }).count(), 0);
    const answer = await fetch(`${app.api}/me`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(answer.status, 200);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByText(token).waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Revoke Deploy from CI' }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('No tokens').waitFor();
  });

  it('gives the operator teams to suspend and regions to edit', async () => {
    const { page } = operator;
    await page.goto('/operator?tab=teams');
    await page.getByLabel('Find a team by its name').fill('cal engin');
    await page.getByText('Teams (1)').waitFor();
    await page.getByRole('link', { name: 'Analytical Engines' }).click();
    const more = page.getByRole('button', { name: 'More for Analytical Engines' });
    await more.click();
    await page.getByRole('menuitem', { name: 'Suspend' }).click();
    await page.getByRole('button', { name: 'Suspend', exact: true }).click();
    await page.getByText('Suspended', { exact: true }).waitFor();
    await more.click();
    await page.getByRole('menuitem', { name: 'Activate' }).click();
    await page.getByText('Suspended', { exact: true }).waitFor({ state: 'detached' });

    await page.goto('/operator?tab=regions');
    await page.getByRole('button', { name: 'Add region' }).click();
    for (const [label, value] of Object.entries(REGION)) await page.getByLabel(label, { exact: true }).fill(value);
    await page.getByRole('dialog').getByRole('button', { name: 'Add region' }).click();
    await page.getByRole('row').filter({ hasText: 'eu-test' }).waitFor();
    await page.getByRole('button', { name: 'Delete eu-test' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('row').filter({ hasText: 'eu-test' }).waitFor({ state: 'detached' });
  });

  it('shows the operator the platform as a person sees it, read-only, with a bar that ends it, and the person reads of it', async () => {
    const { page } = operator;
    await page.goto('/operator?tab=people');
    await page.getByLabel('Find a person by name or email').fill(GRACE.email);
    await page.getByRole('link', { name: 'Grace Hopper' }).click();
    await page.getByRole('button', { name: 'View as Grace' }).click();
    await page.getByLabel('Reason').fill('Her question of Tuesday');
    await page.getByRole('dialog').getByRole('button', { name: 'View as Grace' }).click();
    const bar = page.getByRole('region', { name: "Viewing somebody's account" });
    await bar.getByText('Grace Hopper').waitFor();
    assert.equal(await page.getByRole('link', { name: 'Operator' }).count(), 0);
    await page.goto(ticketPath);
    await page.getByLabel('Reply').fill('As if it were hers.');
    await page.getByRole('button', { name: 'Send reply' }).click();
    await page.getByText("You are viewing somebody's account").waitFor();
    await assertFitsAndAccessible(page, 'a view');
    await bar.getByRole('button', { name: 'End the view' }).click();
    await page.waitForURL('**/operator/people/*');
    await page.getByText('Her question of Tuesday').first().waitFor();
    await assertFitsAndAccessible(page, 'a person, for operators');
    await grace.page.goto('/activity');
    await grace.page.getByText('Reason: Her question of Tuesday').waitFor();
  });

  it('follows the theme of the system until one is chosen, and remembers that one', async () => {
    const { page } = ada;
    const theme = () => page.locator('html').getAttribute('data-theme');
    await page.goto('/teams');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html[data-theme=dark]').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Theme' }).click();
    await page.getByRole('menuitemradio', { name: 'Light' }).click();
    assert.equal(await theme(), 'light');
    await page.reload({ waitUntil: 'commit' });
    await page.getByRole('heading', { name: 'Teams' }).waitFor();
    assert.equal(await theme(), 'light');
    await page.getByRole('button', { name: 'Theme' }).click();
    await page.getByRole('menuitemradio', { name: 'System' }).click();
    assert.equal(await theme(), 'dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.locator('html[data-theme=light]').waitFor({ state: 'attached' });
  });

  it('says that the connection is lost, and opens what was asked for when it is back', async () => {
    const { page, complaints } = await openPerson(browser, app.url);
    await page.goto('/sites');
    await signIn(page, ADA.email, ADA.password);
    await page.getByRole('heading', { name: 'Sites' }).waitFor();
    await page.context().setOffline(true);
    await page.getByText('You are offline.').waitFor();
    await page.setViewportSize({ width: 360, height: 320 });
    const top = () => page.getByText('You are offline.').evaluate((note) => note.getBoundingClientRect().top);
    const [before] = [await top(), await page.evaluate(() => scrollTo(0, 10_000))];
    const scrolled = await page.evaluate(() => scrollY);
    assert.ok(scrolled > before, `only ${scrolled}`);
    assert.ok((await top()) >= 0, 'it stays in view');
    await page.setViewportSize({ width: 1280, height: 720 });
    const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('/assets/'));
    await page.getByRole('link', { name: 'Support' }).click();
    await failed;
    await page.context().setOffline(false);
    await page.getByRole('heading', { name: 'Support' }).waitFor();
    assert.equal(await page.getByText('You are offline.').count(), 0);
    assert.deepEqual(complaints, []);
  });

  it('fits from 360 to 1920 pixels and has no accessibility violation in either theme', async () => {
    const inviteLink = linkIn(await app.mailTo(GRACE.email, '/invite?token='), '/invite');
    const teamTabs = ['', '/members', '/tickets', '/activity'].map((page) => `${teamPath}${page}`);
    const tabs = ['overview', 'tickets', 'people', 'teams', 'sites', 'deleted', 'regions', 'jobs'];
    const operatorTabs = tabs.map((tab) => `/operator?tab=${tab}`);
    const stranger = await openPerson(browser, app.url);
    await Promise.all([
      walk(ada, ['/', '/sites', '/teams', '/activity', ...teamTabs, '/tickets', ['New ticket']]),
      walk(grace, ['/account', '/developers/tokens', ['New token'], ticketPath, '/nowhere', inviteLink]),
      walk(operator, [`/operator${ticketPath}`, ...operatorTabs]),
      walk(stranger, ['/sign-in', '/register', '/reset', '/reset?token=x', '/verify?token=x', '/invite', inviteLink]),
    ]);
    assert.deepEqual(stranger.complaints, []);
  });

  it('lets a member leave the team, and forget it at once', async () => {
    const { page } = grace;
    await page.goto(`${teamPath}/members`);
    await page.getByRole('button', { name: 'Actions for Grace Hopper' }).click();
    await page.getByRole('menuitem', { name: 'Leave the team' }).click();
    await page.getByRole('button', { name: 'Leave', exact: true }).click();
    await page.getByRole('link', { name: "Grace's team" }).waitFor();
    await page.getByRole('link', { name: 'Analytical Engines' }).waitFor({ state: 'detached' });
    await page.goto(teamPath);
    await page.getByText('Not found').waitFor();
  });

  it('replaces a forgotten password through the mailed link, and ends the sessions of the old one', async () => {
    await ada.page.goto('/tickets');
    await ada.page.getByText('No open tickets').waitFor();
    const { page } = await openPerson(browser, app.url);
    await page.goto('/sign-in');
    await page.getByRole('link', { name: 'Forgot it?' }).click();
    // Until the next page is there, the one before has a field of this name, too.
    const send = page.getByRole('button', { name: 'Send the link' });
    await send.waitFor();
    await page.getByLabel('Email').fill(ADA.email);
    await send.click();
    await page.getByRole('heading', { name: 'Check your inbox' }).waitFor();
    await page.goto(linkIn(await app.mailTo(ADA.email, 'asked to set a new password'), '/reset'));
    await page.getByLabel('New password').fill('difference engine');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();

    // The other browser is led to the door by itself.
    await ada.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal(new URL(ada.page.url()).searchParams.get('next'), '/tickets');
  });

  it('asks whoever sets a password for an address that was never confirmed whether they made the account', async () => {
    const { page, complaints } = await openPerson(browser, app.url);
    const account = { email: 'alan@example.com', password: 'not of alans choice', first_name: 'A', last_name: 'T' };
    const headers = { 'content-type': 'application/json' };
    await fetch(`${app.api}/register`, { method: 'POST', headers, body: JSON.stringify(account) });
    await page.goto(linkIn(await app.mailTo(account.email), '/reset'));
    await page.getByLabel('New password').fill('a password of alans own');
    await page.getByRole('button', { name: 'Set password' }).click();
    // Nothing is chosen for them.
    await page.getByRole('radio', { name: 'No, somebody else did' }).waitFor();
    assert.equal(await page.getByRole('radio', { checked: true }).count(), 0);
    await assertFitsAndAccessible(page, 'setting a password for an address that was never confirmed');
    await page.getByRole('radio', { name: 'No, somebody else did' }).click();
    const asked = page.waitForRequest('**/password_reset');
    await page.getByRole('button', { name: 'Set password' }).click();
    assert.equal((await asked).postDataJSON().keep_contents, false);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    assert.equal(await page.getByText('Confirm your address').count(), 0);
    assert.deepEqual(complaints, []);
  });

  it('lets the keyboard alone sign in, after a wrong password too, and goes on where one wanted to go', async () => {
    const { page } = ada;
    const type = async (email: string, password: string) => {
      await page.keyboard.type(email);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await page.keyboard.type(password);
      await page.keyboard.press('Enter');
    };
    await page.getByLabel('Email').and(page.locator(':focus')).waitFor();
    await type(ADA.email, ADA.password);
    await page.getByRole('alert').filter({ hasText: 'password is wrong' }).waitFor();
    for (let index = 0; index < 2; index++) await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('ControlOrMeta+A');
    await type(ADA.email, 'difference engine');
    await page.getByRole('heading', { name: 'Support' }).waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await page.locator(':focus').textContent(), 'Skip to content');
  });

  it('says what to do where a cookie of somebody else stands beside its own', async () => {
    const { page } = await openPerson(browser, app.url);
    await page.goto('/sites');
    await signIn(page, OPERATOR.email, OPERATOR.password);
    await page.getByRole('heading', { name: 'Sites' }).waitFor();
    // An open page would ask once more and go to the sign-in page, at the same time as we go elsewhere.
    await page.goto('about:blank');
    // As another host of the domain could set it: of the same name, for a path of its choice.
    await page.context().addCookies([{ name: 'session', value: 'sy_evil', url: `${app.url}/f/` }]);
    assert.equal((await page.context().cookies()).filter(({ name }) => name === 'session').length, 2);
    await page.goto('/sites');
    await page.getByText('Delete the cookies of this address').waitFor();
    await page.context().clearCookies({ path: '/f/' });
    await page.reload();
    await page.getByRole('heading', { name: 'Sites' }).waitFor();
  });

  it('loads nothing from elsewhere, breaks no policy and throws no error', () => {
    for (const person of [ada, grace, operator]) assert.deepEqual(person.complaints, []);
  });
});

const REGION = {
  Name: 'eu-test',
  City: 'Berlin',
  Country: 'Germany',
  'Country code': 'DE',
  'Canonical name': 'eu.example.com',
  Address: '203.0.113.10',
};

async function register(page: Page, { first, last, email, password }: typeof ADA): Promise<void> {
  await page.getByLabel('First name').fill(first);
  await page.getByLabel('Last name').fill(last);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Create account' }).click();
}
