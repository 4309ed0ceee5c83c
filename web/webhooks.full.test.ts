import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { letIn, type Person as Member, registerPerson } from '#testkit/app/people.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { createWebhooks, type Webhooks } from '#testkit/app/webhooks.ts';
import { openBrowser } from '#testkit/browser/browser.ts';
import type { WebhookReceiver } from '#testkit/servers/webhook-receiver.ts';
import { assertFitsAndAccessible, openPerson, type Person, signIn } from './dashboard-user.ts';

const PASSWORD = 'a long enough password';

/** One life of a webhook in the dashboard. Each step stands on the former ones. */
describe('webhooks in the dashboard', { timeout: 400_000 }, () => {
  let app: TestApp;
  let browser: Browser;
  let hooks: Webhooks;
  let receiver: WebhookReceiver;
  let ada: Member;
  let owner: Person;
  let secret: string;

  before(async () => {
    [app, browser] = await Promise.all([startTestApp({ env: { OUTBOUND_ALLOW: '127.0.0.1' } }), openBrowser()]);
    hooks = createWebhooks(app);
    receiver = await hooks.receive();
    ada = await registerPerson(app, 'Ada');
    owner = await openPerson(browser, app.url);
    await owner.page.goto(`/teams/${ada.teamId}?tab=webhooks`);
    await signIn(owner.page, ada.email, PASSWORD);
  });
  after(async () => {
    await browser?.close();
    await hooks?.close();
    await app?.close();
  });

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const dialog = (page: Page) => page.getByRole('dialog');
  const choose = async (page: Page, item: string) => {
    await button(page, 'More actions').click();
    await page.getByRole('menuitem', { name: item }).click();
  };

  it('says there is none, keeps the place of the keyboard, refuses an address beside its field, and shows the secret of a new one once', async () => {
    const { page } = owner;
    await page.getByText('No webhooks').waitFor();
    await assertFitsAndAccessible(page, 'no webhooks');
    await button(page, 'Add webhook').press('Enter');
    await page.locator('[name=url]:focus').waitFor();
    await page.keyboard.press('Escape');
    await button(page, 'Add webhook').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.getByLabel('Address').fill('http://10.0.0.1/');
    await dialog(page).getByRole('button', { name: 'Add webhook' }).click();
    await page.getByText('10.0.0.1 is not a public address.').waitFor();
    await page.locator('[name=url]:focus').waitFor();
    await page.getByLabel('Address').fill(receiver.url);
    await page.getByLabel('What it is for').fill('Chat of the shop');
    await page.getByRole('checkbox', { name: 'Sites' }).click();
    await page.getByRole('checkbox', { name: 'Members and invites' }).click();
    await dialog(page).getByRole('button', { name: 'Add webhook' }).click();
    await page.getByText('You cannot see it again').waitFor();
    secret = (await page.getByRole('alertdialog').locator('code').textContent()) ?? '';
    assert.match(secret, /^whsec_/);
    await button(page, 'Copy the secret').and(page.locator(':focus')).waitFor();
    // A click beside it or Escape must not lose what is never shown again.
    await page.mouse.click(5, 5);
    await page.keyboard.press('Escape');
    await assertFitsAndAccessible(page, 'the secret');
    await button(page, 'I have saved it').click();
    const row = page.getByRole('row').filter({ hasText: 'Chat of the shop' });
    await row.getByRole('cell', { name: 'Sites, Members and invites' }).waitFor();
    await row.getByText('On', { exact: true }).waitFor();
    assert.equal((await page.content()).includes(secret), false);
    await assertFitsAndAccessible(page, 'webhooks');
  });

  it('sends a test and shows the answer', async () => {
    const { page } = owner;
    receiver.answer = (response) => response.writeHead(404).end('no such hook');
    await page.getByRole('link', { name: 'Chat of the shop' }).click();
    await page.getByText('Nothing was sent yet').waitFor();
    await button(page, 'Send a test').click();
    await dialog(page).getByText('It answered 404').waitFor();
    await dialog(page).getByText('no such hook').waitFor();
    await dialog(page).getByText('"webhook.test"').first().waitFor();
    await assertFitsAndAccessible(page, 'a delivery');
    await dialog(page).getByText('Close', { exact: true }).click();
  });

  it('lists what was sent, by state, and sends it again', async () => {
    const { page } = owner;
    receiver.answer = (response) => response.end('thanks');
    await hooks.happens(ada, 'site.created');
    const row = page.getByRole('row').filter({ hasText: 'site.created' });
    await row.getByText('Delivered').waitFor();
    await page.getByRole('radio', { name: 'Failed' }).click();
    await row.waitFor({ state: 'detached' });
    await page.getByRole('row').filter({ hasText: 'webhook.test' }).waitFor();
    await page.getByRole('radio', { name: 'All' }).click();
    await assertFitsAndAccessible(page, 'a webhook');
    const { length } = receiver.calls;
    await row.getByRole('button', { name: 'site.created' }).click();
    await button(page, 'Send again').click();
    await page.getByText('It is sent again.').waitFor();
    await dialog(page).getByText('Delivered').waitFor();
    assert.equal(receiver.calls.length, length + 1);
    assert.equal(receiver.calls.at(-1)?.headers['webhook-id'], receiver.calls.at(-2)?.headers['webhook-id']);
    await page.keyboard.press('Escape');
  });

  it('makes a new secret, and calls verify with both for a day', async () => {
    const { page } = owner;
    await choose(page, 'New secret');
    await button(page, 'Make a new secret').click();
    await page.getByText('You cannot see it again').waitFor();
    const next = (await page.getByRole('alertdialog').locator('code').textContent()) ?? '';
    await button(page, 'I have saved it').click();
    await button(page, 'Send a test').click();
    await dialog(page).getByText('Delivered').waitFor();
    await page.keyboard.press('Escape');
    const call = receiver.calls.at(-1) as (typeof receiver.calls)[0];
    for (const each of [secret, next]) receiver.verify(call, each);
  });

  it('tells that the platform switched it off, and switches it on again', async () => {
    const { page } = owner;
    receiver.answer = (response) => response.writeHead(410).end();
    await hooks.happens(ada, 'site.deleted');
    // The event comes over the stream; nobody reloads.
    await page.getByText('It answered 410, which says that it wants no more calls.').waitFor();
    await assertFitsAndAccessible(page, 'a webhook that is off');
    await button(page, 'Switch on').click();
    await page.getByText('It is on again').waitFor();
    await page.getByText('We switched it off').waitFor({ state: 'detached' });
    await page.locator('main:focus').waitFor();
    await choose(page, 'Switch off');
    await page.getByText('It is off.').waitFor();
    await button(page, 'Switch on').click();
  });

  it('is edited, and deleted after asking', async () => {
    const { page } = owner;
    await choose(page, 'Edit');
    await page.getByLabel('What it is for').fill('Chat of the office');
    await page.getByRole('checkbox', { name: 'Sites' }).click();
    await button(page, 'Save webhook').click();
    await page.getByRole('heading', { name: 'Chat of the office' }).waitFor();
    await page.getByText('Members and invites', { exact: true }).waitFor();
    await choose(page, 'Delete');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No webhooks').waitFor();
    assert.deepEqual(owner.complaints, []);
  });

  it('is for those who manage the team; a member does not even see the tab', async () => {
    const grace = await registerPerson(app, 'Grace');
    await letIn(ada, grace, 'member');
    const { page } = await openPerson(browser, app.url);
    await page.goto(`/teams/${ada.teamId}?tab=webhooks`);
    await signIn(page, grace.email, PASSWORD);
    await page.getByText('There is nothing at this address').waitFor();
    await page.getByRole('link', { name: 'Developers' }).click();
    await page.getByRole('link', { name: 'Git accounts' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Webhooks' }).count(), 0);
  });
});
