import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { letIn, type Person as Member, registerPerson } from '#testkit/app/people.ts';
import { insertSite } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { openBrowser } from '#testkit/browser/browser.ts';
import { assertFitsAndAccessible, openPerson, type Person, signIn, tabTo, walk } from './dashboard-user.ts';

const PASSWORD = 'a long enough password';
const DAY_MS = 86_400_000;
const BUYING = /billing|what you pay|^Continue with/;

/**
 * A team buys its plan and lives with it, through the built-in payment provider. Each step stands on the former ones.
 */
describe('plans and billing in the dashboard', { timeout: 400_000 }, () => {
  let app: TestApp;
  let browser: Browser;
  let ada: Member;
  let owner: Person;
  let viewer: Person;
  let grace: Member;
  let teamPath: string;
  /** Nothing was ever bought for it, so nothing but the test changes what it pays. */
  let quietTeamId: string;

  before(async () => {
    [app, browser] = await Promise.all([startTestApp(), openBrowser()]);
    ada = await registerPerson(app, 'Ada');
    grace = await registerPerson(app, 'Grace');
    await letIn(ada, grace, 'viewer');
    teamPath = `/teams/${ada.teamId}/billing`;
    owner = await enter(ada.email);
    viewer = await enter(grace.email);
  });
  after(async () => {
    await browser?.close();
    await app?.close();
  });

  async function enter(email: string): Promise<Person> {
    const person = await openPerson(browser, app.url);
    await person.page.goto(teamPath);
    await signIn(person.page, email, PASSWORD);
    await person.page.getByRole('heading', { name: 'Usage & billing', level: 1 }).waitFor();
    return person;
  }
  const alerts = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text });
  const openPortal = async (page: Page) => {
    await page.goto(teamPath);
    await page.getByRole('button', { name: 'Manage billing' }).click();
    await page.getByRole('heading', { name: 'Test billing portal' }).waitFor();
  };
  const leavePortal = async (page: Page) => {
    await page.getByRole('link', { name: 'Back to Siteyard' }).click();
    await page.waitForURL(`**${teamPath}`);
  };

  it('buys a plan by the keyboard alone, says that no money is taken, and everybody in the team sees it at once', async () => {
    const { page } = owner;
    await viewer.page.getByRole('main').getByText('Free', { exact: true }).first().waitFor();
    await page.getByRole('heading', { name: 'Choose a plan' }).waitFor();
    // One stop for the interval and one for the plans, where the arrows go on. Free is what the team has.
    await tabTo(page, page.getByRole('radio', { name: 'Monthly' }));
    await page.keyboard.press('ArrowRight');
    await tabTo(page, page.getByRole('radio', { name: 'Micro' }));
    await page.keyboard.press('ArrowRight');
    await page.getByRole('radio', { name: 'Starter', checked: true }).waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Continue with Starter' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');

    await page.getByText('no money is taken, and no card is asked for').waitFor();
    await page.getByText('$290 a year').waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Pay $290 of test money' }));
    await page.keyboard.press('Enter');
    await page.getByText("Ada's team is on the Starter plan").waitFor();
    await tabTo(page, page.getByRole('link', { name: 'Go to the team' }));
    await page.keyboard.press('Enter');
    await page.getByText('Renews on').waitFor();
    await page.getByText('0 of 10', { exact: true }).waitFor();
    await viewer.page.getByRole('main').getByText('Starter', { exact: true }).first().waitFor();
  });

  it('makes a free team at once, and refuses a second one in words', async () => {
    const { page } = owner;
    const create = async (name: string) => {
      await page.goto('/teams');
      await page.getByRole('link', { name: 'New team' }).click();
      await page.getByLabel('Name').fill(name);
      await page.getByRole('radio', { name: 'Free' }).click();
      await page.getByRole('button', { name: 'Create team' }).click();
    };
    await create('For trying out');
    await page.getByRole('heading', { name: 'For trying out', level: 1 }).waitFor();
    quietTeamId = new URL(page.url()).pathname.split('/').at(-1) as string;
    await letIn(ada, grace, 'viewer', quietTeamId);
    await create('One too many');
    await alerts(page, 'Everybody has one free team').waitFor();
  });

  it('buys more sites beside the plan, for the price that is said there', async () => {
    const { page } = owner;
    await page.goto(teamPath);
    await page.getByText('Each costs $30 a year besides the plan').waitFor();
    await page.getByLabel('Number of additional sites').fill('2');
    await page.getByRole('button', { name: 'Change what you pay' }).click();
    await page.getByText('$350 a year, with 2 additional sites').waitFor();
  });

  it('buys another plan in the portal, and it is there on the way back with all that was bought besides', async () => {
    const { page } = owner;
    await openPortal(page);
    await page.getByText('Starter, $350 a year').waitFor();
    assert.equal(await page.getByLabel(/additional sites/i).count(), 0, 'there is one place for those');
    await page.getByRole('combobox', { name: 'Plan' }).click();
    await page.getByRole('option', { name: 'Micro' }).click();
    await page.getByRole('button', { name: 'Change plan' }).click();
    await page.getByText('Micro, $150 a year').waitFor();
    await leavePortal(page);
    await page.getByText('0 of 5', { exact: true }).waitFor();
    await page.getByText('$150 a year, with 2 additional sites').waitFor();
    await page.getByRole('radio', { name: 'Micro', checked: true }).getByText('Current').waitFor();
  });

  it('says what to give back first where the portal is one that could not change the plan', async () => {
    const { page } = owner;
    await page.route('**/api/**/billing', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), provider: 'stripe' } });
    });
    await page.goto(teamPath);
    await page.getByText('Set the additional sites to 0, then change').waitFor();
    await page.unroute('**/api/**/billing');
    await page.goto(teamPath);
    await page.getByText('Change to another one in the billing portal.').waitFor();
  });

  it('gives one of them back', async () => {
    const { page } = owner;
    await page.getByLabel('Number of additional sites').fill('1');
    await page.getByText('The plan then costs $120 a year.').waitFor();
    await page.getByRole('button', { name: 'Change what you pay' }).click();
    await page.getByText('$120 a year, with 1 additional site').waitFor();
    await page.getByText('0 of 4', { exact: true }).waitFor();
  });

  it('cancels with the period and resumes, each in a sentence', async () => {
    const { page } = owner;
    await openPortal(page);
    await page.getByRole('button', { name: 'Cancel at the end of the period' }).click();
    await page.getByRole('button', { name: 'Resume the plan' }).waitFor();
    await leavePortal(page);
    await page.getByText('Canceled: the plan ends on').waitFor();
    await openPortal(page);
    await page.getByRole('button', { name: 'Resume the plan' }).click();
    await page.getByRole('button', { name: 'Cancel at the end of the period' }).waitFor();
    await leavePortal(page);
    await page.getByText('Renews on').waitFor();
  });

  it('says what a failed payment leads to until it is paid, wherever in the team one looks', async () => {
    const { page } = owner;
    await openPortal(page);
    await page.getByRole('button', { name: 'Let a payment fail' }).click();
    await page.getByRole('button', { name: 'Pay what is owed' }).waitFor();
    await leavePortal(page);
    await alerts(page, 'The last payment failed. Pay in the billing portal by').waitFor();
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('heading', { name: 'Members' }).waitFor();
    const note = alerts(page, 'The last payment failed');
    assert.equal(await note.count(), 1);
    await note.getByRole('button', { name: 'Manage billing' }).click();
    await page.getByRole('button', { name: 'Pay what is owed' }).click();
    await page.getByRole('button', { name: 'Let a payment fail' }).waitFor();
    await leavePortal(page);
    await page.getByText('Renews on').waitFor();
  });

  it('ends a plan only after a question, and the team can choose again', async () => {
    const { page } = owner;
    await openPortal(page);
    await page.getByRole('button', { name: 'End now' }).click();
    await page.getByRole('button', { name: 'End the plan' }).click();
    await page.getByText('It has ended.').waitFor();
    await leavePortal(page);
    await page.getByRole('heading', { name: 'Choose a plan' }).waitFor();
    await page.getByText('0 of 1', { exact: true }).waitFor();
  });

  it('charges nothing for a declined card, and makes no team', async () => {
    const { page } = owner;
    await page.goto('/teams/new');
    await page.getByLabel('Name').fill('Harbour Works');
    await page.getByRole('radio', { name: 'Business' }).click();
    await page.getByRole('button', { name: 'Continue to payment' }).click();
    await page.getByRole('button', { name: 'Have the card declined' }).click();
    await alerts(page, 'nothing was charged').waitFor();
    await page.getByRole('link', { name: 'Go back without paying' }).click();
    await page.getByText('Nothing was charged', { exact: true }).waitFor();
    await page.getByText('Harbour Works was not made').waitFor();
    assert.equal((await ada.api.listTeams()).results.length, 2);
  });

  it('makes a new team with its payment', async () => {
    const { page } = owner;
    await page.getByRole('link', { name: 'Choose again' }).click();
    await page.getByLabel('Name').fill('Harbour Works');
    await page.getByRole('button', { name: 'Continue to payment' }).click();
    await page.getByRole('button', { name: 'Pay $9 of test money' }).click();
    await page.getByText('Harbour Works is on the Micro plan').waitFor();
    await page.getByRole('link', { name: 'Go to the team' }).click();
    await page.getByRole('heading', { name: 'Usage & billing', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Team: Harbour Works' }).waitFor();
  });

  it('waits for a payment that is not known yet, and for nobody else', async () => {
    const { page } = owner;
    const { url } = await ada.api.createCheckoutSession({ body: { for_team_id: ada.teamId, plan_name: 'micro' } });
    const session = new URL(url).pathname.split('/').at(-1) as string;
    const { success_url } = await ada.api.getTestCheckout({ params: { session_id: session } });
    await page.goto(success_url);
    await page.getByText('Waiting for your payment').waitFor();
    await viewer.page.goto(success_url);
    await viewer.page.getByText('Not found').waitFor();
    await ada.api.endTestCheckout({ params: { session_id: session }, body: { outcome: 'paid' } });
    await page.getByText("Ada's team is on the Micro plan").waitFor();
    await viewer.page.goto(url);
    await viewer.page.getByText('Not found').waitFor();
  });

  it('tells each state of a plan in plain words', async () => {
    const { page } = owner;
    const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);
    const tell = async (change: object, text: string) => {
      const none = { unpaid_since: null, is_expired: false, cancel_at: null, trial_ends_on: null };
      const state = { ...none, plan_type_name: 'micro', interval: 'month', price_cents: 900, sub_id: 'sub', ...change };
      await app.services.db.updateTable('teams').set(state).where('id', '=', quietTeamId).execute();
      await page.goto(`/teams/${quietTeamId}/billing`);
      await page.getByText(text).waitFor();
    };
    await tell({ trial_ends_on: inDays(3) }, 'From then on it costs $9 a month.');
    await tell({ cancel_at: inDays(9) }, 'Then the team is on the Free plan.');
    await tell({ unpaid_since: inDays(-2) }, 'The last payment failed.');
    await tell({ unpaid_since: inDays(-20), is_expired: true }, 'so the sites sleep. Pay in the billing portal');
    const ended = { plan_type_name: 'free', interval: null, price_cents: null, sub_id: null };
    await tell({ ...ended, unpaid_since: inDays(-2) }, 'more is in use than the plan Free has room for');
    await tell({ ...ended, unpaid_since: inDays(-20), is_expired: true }, 'so the sites sleep. Choose a plan');
    await tell(ended, 'Costs nothing');
  });

  it('shows what the team used in the cycle, by day and by hour, as plots and as a table', async () => {
    const { page } = viewer;
    const now = Date.now();
    const cycle_start = new Date(now - 4 * DAY_MS);
    const hours = [0, 24, 48, 24 * 30].map((ago) => ({
      team_id: quietTeamId,
      hour: new Date(Math.floor(now / 3_600_000 - ago) * 3_600_000),
      visits: 1234,
      bytes: 5_000_000,
    }));
    await app.services.db.insertInto('team_usage').values(hours).execute();
    await app.services.db.updateTable('teams').set({ cycle_start }).where('id', '=', quietTeamId).execute();
    await page.goto(`/teams/${quietTeamId}/billing`);
    await page.locator('figure canvas').first().waitFor();
    assert.equal(await page.locator('figure canvas').count(), 2);
    await page.getByText(/^3,702 in the days since/).waitFor();
    await page.getByRole('radio', { name: 'Table' }).click();
    await page.getByRole('radio', { name: '24 h' }).click();
    const table = page.getByRole('table', { name: 'Visits and bandwidth in the last 24 hours' });
    await table.waitFor();
    assert.equal(await table.getByRole('row').count(), 25);
    await table.getByRole('row').filter({ hasText: '1,234' }).first().waitFor();
  });

  it('says that uploads are refused while the storage is used up, with the plan and with each site', async () => {
    const id = await insertSite(app, { ...ada, teamId: quietTeamId });
    const { db } = app.services;
    const { fqdn } = await db.selectFrom('sites').select('fqdn').where('id', '=', id).executeTakeFirstOrThrow();
    const [plan, site] = [`/teams/${quietTeamId}/billing`, `/sites/${fqdn}`];
    const note = (page: Page) => page.getByText('is used up, so new uploads are refused.');
    const setStorage = (storage_usage: number, storage_is_used_up: boolean) =>
      db.updateTable('teams').set({ storage_usage, storage_is_used_up }).where('id', '=', quietTeamId).execute();
    await setStorage(1_000_000_000, true);
    for (const { page } of [owner, viewer]) {
      await page.goto(plan);
      await note(page).waitFor();
    }
    const { page } = owner;
    await assertFitsAndAccessible(page, plan);
    await page.goto(site);
    await note(page).waitFor();
    await assertFitsAndAccessible(page, site);
    await page.getByRole('link', { name: 'See the plan of' }).click();
    await page.getByRole('heading', { name: 'Usage', exact: true }).waitFor();
    await setStorage(0, false);
    await page.goto(site);
    await page.getByRole('heading', { name: fqdn }).waitFor();
    assert.equal(await note(page).count(), 0);
    await db.deleteFrom('sites').where('id', '=', id).execute();
  });

  it('offers a viewer nothing to buy, and says whom to ask', async () => {
    const { page } = viewer;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`/teams/${quietTeamId}/billing`);
    await page.getByText('Ada Tester owns the team and looks after its plan').waitFor();
    await page.locator('figure canvas').first().waitFor();
    assert.equal(await page.getByRole('button', { name: BUYING }).count(), 0);
    assert.equal(await page.getByRole('radio', { name: 'Starter' }).count(), 0);
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('heading', { name: 'Members' }).waitFor();
    assert.deepEqual(
      asked.filter((url) => /\/api\/.*\/billing$/.test(url)),
      [],
      'what is paid is not theirs to ask',
    );
  });

  it('shows an admin what is paid, and leaves the paying to the owner', async () => {
    const alan = await registerPerson(app, 'Alan');
    await letIn(ada, alan, 'admin');
    const { page, complaints } = await enter(alan.email);
    await page.getByText('Renews on').waitFor();
    await page.getByText('Ada Tester owns the team and looks after its plan').waitFor();
    await page.getByText('0 of 3', { exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name: BUYING }).count(), 0);
    assert.deepEqual(complaints, []);
  });

  it('fits from 360 to 1920 pixels and has no accessibility violation in either theme', async () => {
    const checkout = await ada.api.createCheckoutSession({
      body: { for_team_id: quietTeamId, plan_name: 'business', interval: 'year' },
    });
    const { cancel_url } = await ada.api.getTestCheckout({
      params: { session_id: new URL(checkout.url).pathname.split('/').at(-1) as string },
    });
    const portal = await ada.api.createPortalSession();
    const longNamed = await ada.api.createCheckoutSession({
      body: { new_team_name: 'Harbourworks'.repeat(8), plan_name: 'micro' },
    });
    const { success_url } = await ada.api.endTestCheckout({
      params: { session_id: new URL(longNamed.url).pathname.split('/').at(-1) as string },
      body: { outcome: 'paid' },
    });
    const paid = (await ada.api.listTeams()).results.find(({ name }) => name === 'Harbour Works');
    const teams = [quietTeamId, paid?.id].map((id) => `/teams/${id}/billing`);
    await Promise.all([
      walk(owner, ['/teams/new', ...teams, checkout.url, cancel_url, portal.url, longNamed.url, success_url]),
      walk(viewer, [teamPath]),
    ]);
  });

  it('loads nothing from elsewhere, breaks no policy and throws no error', () => {
    for (const person of [owner, viewer]) assert.deepEqual(person.complaints, []);
  });
});
