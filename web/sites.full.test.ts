import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { letIn, registerPerson } from '#testkit/app/people.ts';
import { insertSite } from '#testkit/app/sites.ts';
import { OPERATOR, startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { openBrowser } from '#testkit/browser/browser.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually } from '#testkit/expect.ts';
import { assertFitsAndAccessible, openPerson, type Person, signIn, tabTo, walk } from './dashboard-user.ts';

const PASSWORD = 'a long enough password';
const CMS_PASSWORD = 'correct horse battery';
const NAME = 'harbour-notes.localhost';
/** The first page of a site that just woke takes PHP's whole start. */
const PHP_START = { timeout: 60_000 };

/** One life of a site in the dashboard, as its owner and a viewer of the team see it. Each step stands on the former ones. */
describe('sites in the dashboard', { timeout: 400_000 }, () => {
  let app: TestApp;
  let browser: Browser;
  let elsewhere: Server;
  let owner: Person;
  let viewer: Person;
  let ownerEmail: string;
  let ada: Awaited<ReturnType<typeof registerPerson>>;

  before(async () => {
    [app, browser] = await Promise.all([
      startTestApp({ runtime: 'php', env: { OUTBOUND_ALLOW: '127.0.0.1' } }),
      openBrowser(),
    ]);
    elsewhere = createServer((request, response) => response.end(`the shop answers ${request.url}`));
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    ada = await registerPerson(app, 'Ada');
    const grace = await registerPerson(app, 'Grace');
    ownerEmail = ada.email;
    await letIn(ada, grace, 'viewer');
    await letIn(grace, ada, 'admin');
    owner = await openPerson(browser, app.url);
    viewer = await openPerson(browser, app.url);
    for (const [person, { email }] of [[owner, ada] as const, [viewer, grace] as const]) {
      await person.page.goto('/');
      await signIn(person.page, email, PASSWORD);
      await person.page.getByText('Create your first site').waitFor();
      await person.page.evaluate(() => localStorage.setItem('sites-layout', 'table'));
    }
  });
  after(async () => {
    await browser?.close();
    elsewhere?.close();
    await app?.close();
  });

  const open = (page: Page, tab: string) => page.goto(`/sites/${NAME}?tab=${tab}`);
  const status = async (path = '/', headers: Record<string, string> = {}) =>
    (await visit(app, NAME, path, { headers })).status;

  it('creates a site by the keyboard alone, tells live how far it is, and a real WordPress answers', async () => {
    const { page } = owner;
    await remember(page, 'Your site is being created');
    await page.getByRole('listitem').getByRole('link', { name: 'New site' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Title').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Harbour Notes');
    // The name follows the title until one chooses it; then come the switch to an own domain and the team.
    await tabTo(page, page.getByLabel('Name', { exact: true }));
    assert.equal(await page.locator(':focus').inputValue(), 'harbour-notes');
    await tabTo(page, page.getByLabel('Team', { exact: true }));
    await page.keyboard.press('Space');
    await page.getByRole('option', { name: "Ada's team", selected: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Team' }).and(page.locator(':focus')).waitFor();
    await tabTo(page, page.getByLabel('Email', { exact: true }));
    assert.match(await page.locator(':focus').inputValue(), /^ada\d+@example\.com$/);
    await tabTo(page, page.getByLabel('Password', { exact: true }));
    await page.keyboard.type(CMS_PASSWORD);
    await page.getByText('Strong.').waitFor();
    await page.keyboard.press('Enter');

    await page.getByText('Your site is ready').waitFor();
    assert.ok(await remembered(page), 'the progress was never shown');
    assert.equal(new URL(page.url()).pathname, `/sites/${NAME}`);
    const home = await visit(app, NAME, '/');
    assert.equal(home.status, 200);
    assert.match(home.text, /<title>Harbour Notes<\/title>/);
  });

  it('shows the site to everybody in the team, as it comes, without a reload', async () => {
    await viewer.page.goto('/sites');
    await chooseTeam(viewer.page, "Ada's team");
    const row = viewer.page.getByRole('row').filter({ hasText: NAME });
    await row.getByRole('cell', { name: 'Online', exact: true }).waitFor();
    await row.getByRole('link', { name: `Open ${NAME}` }).waitFor();
  });

  it('shows what the server wrote into the page, on Home and on a site, and asks for none of it', async () => {
    const page = await owner.page.context().newPage();
    // What is left of the first answers when the dashboard forgets them (web/src/api/first-answers.ts).
    await page.addInitScript(`
      const { clear } = Map.prototype;
      Map.prototype.clear = function () {
        (window.left ??= []).push(...[...this.keys()].filter((key) => String(key).startsWith('/f/api/')));
        return clear.call(this);
      };
    `);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url().slice(new URL(page.url()).origin.length)));
    // On a busy machine some of it may be left out.
    for (const [path, shown, count] of [
      ['/', page.getByRole('heading', { name: 'Newest sites' }), 5],
      [`/sites/${NAME}`, page.getByRole('link', { name: `Open ${NAME}` }), 2],
    ] as const)
      await eventually(async () => {
        asked.length = 0;
        await page.goto(path);
        await shown.waitFor();
        const block = await page.locator('#first-answers').textContent();
        const answers = Object.keys(JSON.parse(String(block)));
        await page.waitForFunction('window.left');
        assert.deepEqual(await page.evaluate('window.left'), []);
        // The stream goes on from there, and has nothing asked for anew.
        const stream = await eventually(async () =>
          asked.find((address) => address.startsWith('/f/api/v1/event/stream')),
        );
        await page.waitForTimeout(500);
        const isTold = answers.length === count && stream.includes('?after=');
        return isTold && !asked.some((address) => answers.includes(address));
      });
    await page.close();
  });

  it('advises on the password and takes any, says beside the field what is wrong, and what to do when the plan is used up', async () => {
    const { page } = viewer;
    await page.goto('/sites/new');
    await page.getByLabel('Title').fill('Harbour Notes');
    await page.getByLabel('Password', { exact: true }).fill('0');
    await page.getByText('Short: 10 characters or more are harder to guess.').waitFor();
    await page.getByRole('button', { name: 'Create site' }).click();
    await page.getByText('WordPress takes this for an empty password').waitFor();
    await page.locator('[name=cms_password]:focus').waitFor();

    await page.getByLabel('Password', { exact: true }).fill('grace grace');
    await page.getByText('contains the user name').waitFor();
    // A weak one is no reason to stop: what is refused now is the name.
    await page.getByRole('button', { name: 'Create site' }).click();
    await page.getByText('This name is taken').waitFor();
    await page.locator('[name=fqdn]:focus').waitFor();
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.getByText('Strong.').waitFor();

    await owner.page.goto('/sites/new');
    await owner.page.getByLabel('Title').fill('One too many');
    await owner.page.getByRole('button', { name: 'Generate' }).click();
    await owner.page.getByRole('button', { name: 'Create site' }).click();
    await owner.page.getByRole('alert').filter({ hasText: 'choose a larger plan' }).waitFor();
    await owner.page.getByRole('link', { name: "See the plan of Ada's team" }).click();
    await owner.page.getByRole('heading', { name: 'Choose a plan' }).waitFor();
  });

  it('finds a site by its name and by its team', async () => {
    const { page } = owner;
    const row = page.getByRole('row').filter({ hasText: NAME });
    await page.goto('/sites');
    await row.waitFor();
    await page.getByLabel('Find a site').fill('nothing of the kind');
    await page.getByText('No site matches').waitFor();
    await page.getByLabel('Find a site').fill('HARBOUR');
    await row.waitFor();
    await page.getByLabel('Find a site').fill('');
    await chooseTeam(page, "Grace's team");
    await row.waitFor({ state: 'detached' });
    await chooseTeam(page, "Ada's team");
    await row.waitFor();
  });

  it('finds one of many sites, as the server knows them, page by page', async () => {
    const { page } = owner;
    const names = Array.from({ length: 30 }, (_, index) => `crowd-${index}.localhost`);
    const ids = await Promise.all(names.map((fqdn) => insertSite(app, ada, { fqdn })));
    const rows = page.getByRole('row').filter({ hasText: 'crowd-' });
    await page.goto('/sites');
    await page.getByText('1–25 of 31').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('26–31 of 31').waitFor();
    await page.getByLabel('Find a site').fill('Crowd');
    await page.getByText('1–25 of 30').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('26–30 of 30').waitFor();
    assert.equal(await rows.count(), 5);
    await page.getByLabel('Find a site').fill('crowd-17');
    await page.getByText(/of 30$/).waitFor({ state: 'detached' });
    assert.deepEqual(await rows.getByRole('link', { name: /^crowd/ }).allTextContents(), ['crowd-17.localhost']);

    // Somebody who types a name and Enter at once is led to that site, not to one that was listed before.
    await page.keyboard.press('Control+k');
    await page.getByRole('option').filter({ hasText: 'crowd-' }).first().waitFor();
    await page
      .getByRole('combobox', { name: /^Search for sites/ })
      .and(page.locator(':focus'))
      .waitFor();
    await page.keyboard.type('crowd-23.localhost');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/sites/crowd-23.localhost');
    await page.goto('/sites');
    await app.services.db.deleteFrom('sites').where('id', 'in', ids).execute();
    await page.goto('/sites');
  });

  it("shows the site's own icon, and a letter for as long as there is none to read", async () => {
    // Somebody apart, since the icon does come from elsewhere: from the site.
    const { page } = await openPerson(browser, app.url);
    await page.goto('/sites?layout=table');
    await signIn(page, ownerEmail, PASSWORD);
    const setIcon = (path: string) =>
      app.services.db
        .updateTable('sites')
        .set({ favicon_url: `${app.url.replace('localhost', NAME)}${path}` })
        .execute();
    const row = page.getByRole('row').filter({ hasText: NAME });
    await row.waitFor();
    assert.equal(await row.locator('img').count(), 0);
    // WordPress tells of its own icon, which is none, whenever its scheduled work ends; then it is set once more.
    const showsIcon = async (path: string, shown: ReturnType<typeof row.locator>) => {
      await setIcon(path);
      await page.reload();
      await row.waitFor();
      return shown.waitFor({ timeout: 5_000 }).then(
        () => true,
        () => false,
      );
    };
    const image = row.locator('img');
    await until(
      async () =>
        (await showsIcon('/wp-includes/images/w-logo-blue.png', image)) &&
        (await image
          .evaluate((shown: HTMLImageElement) => shown.decode().then(() => shown.naturalWidth > 0))
          .catch(() => false)),
    );
    await until(() => showsIcon('/wp-includes/images/nothing.png', row.getByText('H', { exact: true })));
    await app.services.db.updateTable('sites').set({ favicon_url: null }).execute();
    await page.context().close();
  });

  it('opens wp-admin in a tab of its own, signed in', async () => {
    const { page } = owner;
    await page.getByRole('link', { name: 'Harbour Notes', exact: true }).click();
    const opened = page.context().waitForEvent('page');
    await page.getByRole('button', { name: 'Sign in to WordPress' }).click();
    const tab = await opened;
    await tab.waitForURL(/\/wp-admin\//, PHP_START);
    assert.match(await tab.title(), /Dashboard . Harbour Notes/);
    assert.equal(await tab.evaluate(() => opener), null);
    await tab.close();
  });

  it('puts the site to sleep and shows that a visit woke it, without a reload', async () => {
    const { page } = owner;
    await open(viewer.page, 'overview');
    await page.getByRole('button', { name: 'Put to sleep' }).click();
    for (const person of [owner, viewer]) await person.page.getByRole('button', { name: 'Wake' }).waitFor();
    assert.equal(await status('/wp-login.php'), 200);
    for (const person of [owner, viewer])
      await person.page.getByRole('button', { name: 'Put to sleep' }).waitFor(PHP_START);
  });

  it('asks visitors for the password that the page shows, and stops asking', async () => {
    const { page } = owner;
    await open(page, 'access');
    await page.getByRole('switch', { name: 'Ask every visitor' }).click();
    await page.getByRole('button', { name: 'Show the password' }).click();
    const password = (await page.locator('dd code').textContent()) ?? '';
    assert.ok(password.length >= 12);
    await until(async () => (await status()) === 401);
    const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
    assert.equal(await status('/', { authorization }), 200);
    await page.getByRole('switch', { name: 'Ask every visitor' }).click();
    await page.getByRole('button', { name: 'Show the password' }).waitFor({ state: 'detached' });
    await until(async () => (await status()) === 200);
  });

  it('bypasses the cache in development mode', async () => {
    const { page } = owner;
    const cached = async () => (await visit(app, NAME, '/')).headers['x-cache'];
    await until(async () => (await cached()) === 'HIT');
    await open(page, 'edge');
    await page.getByRole('switch', { name: 'Development mode' }).click();
    await page.getByText('The cache is bypassed').waitFor();
    await until(async () => (await cached()) !== 'HIT');
    await page.getByRole('switch', { name: 'Development mode' }).click();
    await page.getByText('The cache is back in use').waitFor();
  });

  it('keeps out every address but the named ones, and names the line of one that is none', async () => {
    const { page } = owner;
    const save = page.getByRole('button', { name: 'Save addresses' });
    const list = page.getByLabel('Allowed addresses');
    await open(page, 'access');
    await list.fill('203.0.113.7\nnonsense');
    await save.click();
    await page.getByText('Line 2: not an IPv4').waitFor();
    await list.fill('203.0.113.7');
    await save.click();
    await page.getByText('The addresses are saved.').waitFor();
    // The switch saves by itself, as all switches do.
    await page.getByRole('switch', { name: 'Keep everybody else out' }).click();
    await page.getByText('The firewall is on.').waitFor();
    await until(async () => (await status()) === 403);
    await page.getByRole('button', { name: 'Add my address' }).click();
    await until(async () => (await list.inputValue()) === '203.0.113.7\n127.0.0.1');
    await Promise.all([page.waitForResponse((answer) => answer.request().method() === 'PATCH'), save.click()]);
    await until(async () => (await status()) === 200);
    await page.getByRole('switch', { name: 'Keep everybody else out' }).click();
    await page.getByText('The firewall is off.').waitFor();
  });

  it('sends a path elsewhere, changes it, and gives it back to WordPress', async () => {
    const { page } = owner;
    const text = async (path: string) => (await visit(app, NAME, path)).text;
    const target = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
    await open(page, 'paths');
    await page.getByRole('button', { name: 'Add path' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Path', { exact: true }).fill('/wp-admin');
    await dialog.getByLabel('Goes to').fill(target);
    await dialog.getByRole('button', { name: 'Add path' }).click();
    await dialog.getByText('belong to WordPress').waitFor();
    await dialog.getByLabel('Path', { exact: true }).fill('/shop');
    await dialog.getByRole('button', { name: 'Add path' }).click();
    await page.getByRole('row').filter({ hasText: '/shop' }).waitFor();
    await until(async () => (await text('/shop/cart')) === 'the shop answers /cart');

    await page.getByRole('button', { name: 'Edit /shop' }).click();
    await dialog.getByLabel('Path', { exact: true }).fill('/store');
    await dialog.getByRole('button', { name: 'Save path' }).click();
    await until(async () => (await text('/store/cart')) === 'the shop answers /cart');

    await page.getByRole('button', { name: 'Delete /store' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('WordPress answers everything').waitFor();
    await until(async () => !(await text('/store/cart')).startsWith('the shop'));
  });

  it('draws how the site does, one figure at a time, by keyboard and as a table too', async () => {
    const { page } = owner;
    await open(page, 'overview');
    await page.getByRole('radio', { name: 'Requests' }).click();
    const chart = page.getByRole('slider', { name: 'Requests over time' });
    await until(async () => {
      await page.reload();
      await page.getByRole('radio', { name: 'Requests' }).click();
      if ((await chart.count()) === 0) return false;
      await chart.focus();
      await page.keyboard.press('End');
      // The hour that it is now is said to go on.
      return /, so far: [1-9]/.test((await chart.getAttribute('aria-valuetext')) ?? '');
    });
    await page.getByRole('radio', { name: '7 d' }).click();
    await page.getByText('Requests in the last 7 days').waitFor();
    await page.getByText('As a table').click();
    const week = page.getByRole('table', { name: 'Traffic in the last 7 days' });
    assert.equal(await week.getByRole('row').count(), 7 * 24 + 1);
    await assertFitsAndAccessible(page, 'the overview of a site');
  });

  it('tells what happened to the site, while it happens', async () => {
    await open(viewer.page, 'activity');
    await viewer.page.getByText(`Ada Tester created ${NAME}`).waitFor();
    await open(owner.page, 'access');
    await owner.page.getByRole('switch', { name: 'Ask every visitor' }).click();
    await viewer.page.getByText(`Ada Tester turned on the sign-in of ${NAME}`).first().waitFor();
  });

  it('offers a viewer nothing that changes the site, and says why', async () => {
    const { page } = viewer;
    await open(page, 'overview');
    await page.getByText('Put to sleep').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Sign in to WordPress' }).isDisabled());
    await open(page, 'access');
    await page.getByText("You are a viewer of Ada's team").waitFor();
    await page.getByText('Only members, admins and the owner see it').waitFor();
    for (const tab of ['access', 'edge', 'paths', 'settings']) {
      await open(page, tab);
      await page.getByText("You are a viewer of Ada's team").first().waitFor();
      const panel = page.getByRole('main');
      for (const control of await panel
        .locator('button:not([aria-label^=Copy]), textarea, input:not([type=checkbox])')
        .all())
        assert.ok(await control.isDisabled(), `${tab}: ${await control.textContent()}`);
    }
  });

  it('fits from 360 to 1920 pixels and has no accessibility violation in either theme', async () => {
    const tabs = ['overview', 'activity', 'access', 'edge', 'paths', 'settings'].map(
      (tab) => `/sites/${NAME}?tab=${tab}`,
    );
    await Promise.all([walk(owner, ['/sites', ...tabs]), walk(viewer, ['/sites/new', tabs[5] as string])]);
    await owner.page.getByRole('button', { name: 'Delete site' }).click();
    await assertFitsAndAccessible(owner.page, 'the question before deleting');
  });

  it('moves the site to another team and back, once that team has paid', async () => {
    const { page } = owner;
    const setExpired = (is_expired: boolean) =>
      app.services.db.updateTable('teams').set({ is_expired }).where('name', '=', "Grace's team").execute();
    await setExpired(true);
    await open(page, 'settings');
    await page.getByRole('button', { name: 'Move site' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Move' }).click();
    await page.getByRole('alert').getByRole('link', { name: "See the plan of Grace's team" }).waitFor();
    await setExpired(false);
    await page.getByRole('button', { name: 'Move site' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Move' }).click();
    await page.getByText("The site belongs to Grace's team").waitFor();
    await page.getByRole('button', { name: 'Move site' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Move' }).click();
    await page.getByText("The site belongs to Ada's team").waitFor();
  });

  it('takes whoever watches along when the site gets another name', async () => {
    await open(viewer.page, 'activity');
    const { page } = owner;
    await page.getByLabel('Name of the site').fill('quay-notes');
    await page.getByRole('button', { name: 'Rename site' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Rename' }).click();
    for (const [person, at] of [[owner, 'settings'] as const, [viewer, 'activity'] as const]) {
      await person.page.getByRole('complementary').getByText('quay-notes.localhost', { exact: true }).waitFor();
      await person.page.waitForURL(`**/sites/quay-notes.localhost/${at}`);
    }
    const old = await visit(app, NAME, '/');
    assert.equal(old.status, 301);
    assert.equal(new URL(String(old.headers.location)).hostname, 'quay-notes.localhost');
  });

  it('keeps what happened under its earlier name, and finds it by either', async () => {
    const { page } = viewer;
    const created = page.getByRole('listitem').filter({ hasText: `Ada Tester created ${NAME}` });
    await created.getByText(`as ${NAME}`).waitFor();
    await page.goto('/activity');
    const search = page.getByRole('searchbox', { name: 'The name of a site' });
    for (const name of ['quay-notes.localhost', NAME]) {
      await search.fill(name);
      await created.waitFor();
      await page.getByText('Grace Tester joined the team').waitFor({ state: 'detached' });
    }
    await search.fill('quay-notes');
    await page.getByText('Type the whole name').waitFor();
    await search.fill(NAME);
    await created.getByRole('link', { name: `created ${NAME}` }).click();
    await page.getByRole('heading', { name: 'Harbour Notes', level: 1 }).waitFor();
    await page.getByRole('main').getByText('quay-notes.localhost').first().waitFor();
  });

  it('deletes the site only after its name was typed', async () => {
    const { page } = owner;
    await viewer.page.goto('/sites');
    const row = viewer.page.getByRole('row').filter({ hasText: 'quay-notes' });
    await row.waitFor();
    await page.getByRole('button', { name: 'Delete site' }).click();
    const dialog = page.getByRole('alertdialog');
    const confirm = dialog.getByRole('button', { name: 'Delete' });
    await dialog.getByLabel('Type').fill('quay-notes');
    assert.ok(await confirm.isDisabled());
    await dialog.getByLabel('Type').fill('quay-notes.localhost');
    await confirm.click();
    await page.waitForURL('**/sites');
    await row.waitFor({ state: 'detached' });
    assert.equal((await visit(app, 'quay-notes.localhost', '/')).status, 404);
  });

  it('lets an operator bring the deleted site back, and its people see it come', async () => {
    const { page, complaints } = await openPerson(browser, app.url);
    await page.goto('/operator?tab=deleted');
    await signIn(page, OPERATOR.email, OPERATOR.password);
    await page.getByRole('button', { name: 'Bring quay-notes.localhost back' }).click();
    await page.getByText('Nothing to bring back').waitFor();
    await page.locator('#main:focus').waitFor();
    const row = viewer.page.getByRole('row').filter({ hasText: 'quay-notes' });
    await row.getByRole('cell', { name: 'Protected', exact: true }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it('loads nothing from elsewhere, breaks no policy and throws no error', () => {
    for (const person of [owner, viewer]) assert.deepEqual(person.complaints, []);
  });
});

/** A platform that takes orders and works them off nowhere, so that each stage of the work lasts as long as the test wants. */
describe('a site that is being created', { timeout: 400_000 }, () => {
  let app: TestApp;
  let browser: Browser;
  let page: Page;

  before(async () => {
    [app, browser] = await Promise.all([startTestApp({ env: { ROLE: 'api' } }), openBrowser()]);
    const { email } = await registerPerson(app, 'Ada');
    ({ page } = await openPerson(browser, app.url));
    await page.goto('/sites/new');
    await page.evaluate(() => localStorage.setItem('sites-layout', 'table'));
    await signIn(page, email, PASSWORD);
    await page.getByLabel('Title').fill('Harbour Notes');
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.getByRole('button', { name: 'Create site' }).click();
    await page.getByRole('heading', { name: 'Your site is being created' }).waitFor();
  });
  after(async () => {
    await browser?.close();
    await app?.close();
  });

  const writeEvent = (change: { detail: string; finished_at?: Date }) =>
    app.services.db.updateTable('events').set(change).where('event_type', '=', 'site.created').execute();

  it('is busy in the list, and its page has the step that the event stream tells, in every width and theme', async () => {
    await page.getByText('Setting up WordPress').waitFor();
    await writeEvent({ detail: '{"step":"preparing WordPress"}' });
    await page.getByText('Preparing WordPress').waitFor();
    await assertFitsAndAccessible(page, 'while creating');
    assert.equal(await page.getByRole('link', { name: 'Open site' }).count(), 0);
    await page.getByRole('link', { name: 'All sites' }).click();
    const row = page.getByRole('row').filter({ hasText: NAME });
    await row.getByRole('cell', { name: 'Creating', exact: true }).waitFor();
    await row.getByRole('link', { name: NAME, exact: true }).click();
    // The step is known to whoever comes later, too.
    await page.reload();
    await page.getByText('Preparing WordPress').waitFor();
  });

  it('says why when it could not be created, and leads back to the form', async () => {
    await app.services.db.deleteFrom('sites').execute();
    await writeEvent({ detail: '{"failure":"WordPress could not be set up."}', finished_at: new Date() });
    await page.getByText('WordPress could not be set up. The name is free again.').waitFor();
    await page.getByRole('link', { name: 'Try again' }).click();
    await page.getByLabel('Title').waitFor();
  });
});

/** What is on the screen for a moment only is noted by the page itself. */
async function remember(page: Page, text: string): Promise<void> {
  await page.evaluate((wanted) => {
    const note = () => {
      if (document.body.textContent?.includes(wanted)) document.body.dataset.seen = 'true';
    };
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true });
  }, text);
}

const remembered = async (page: Page) => (await page.locator('body').getAttribute('data-seen')) === 'true';

async function chooseTeam(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^Team: / }).click();
  await page.getByRole('menuitemradio', { name }).click();
}

/** The edge hears of a change within a second. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail('it never came true');
}
