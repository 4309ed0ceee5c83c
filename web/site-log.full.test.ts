import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { letIn, type Person as Registered, registerPerson } from '#testkit/app/people.ts';
import { insertSite } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { openBrowser } from '#testkit/browser/browser.ts';
import { assertFitsAndAccessible, openPerson, type Person, signIn, tabTo } from './dashboard-user.ts';

type SiteLog = TestApp['services']['siteLog'];
type ErrorEntry = Parameters<SiteLog['error']>[1];
type VisitEntry = Parameters<SiteLog['visit']>[1];

const PASSWORD = 'a long enough password';

/** A site's log in the dashboard. The lines are written as the platform writes them; no WordPress runs. */
describe('the log of a site in the dashboard', { timeout: 400_000 }, () => {
  let app: TestApp;
  let browser: Browser;
  let owner: Registered;
  let ada: Person;
  let siteId: string;
  let address: string;

  before(async () => {
    [app, browser] = await Promise.all([startTestApp(), openBrowser()]);
    owner = await registerPerson(app, 'Ada');
    siteId = await insertSite(app, owner);
    const [site] = (await owner.api.listSites()).results;
    address = `/sites/${site?.fqdn}?tab=log`;
    ada = await openPerson(browser, app.url);
    await ada.page.goto(address);
    await signIn(ada.page, owner.email, PASSWORD);
  });
  after(async () => {
    await browser?.close();
    await app?.close();
  });

  const ref = () => ({ ...app.services.config.newSites, id: siteId });
  const logError = (message: string, more: Partial<ErrorEntry> = {}) =>
    app.services.siteLog.error(ref(), {
      atMs: Date.now(),
      level: 'plain',
      message,
      file: null,
      line: null,
      request: null,
      ...more,
    });
  const logVisit = (path: string, status: number, more: Partial<VisitEntry> = {}) =>
    app.services.siteLog.visit(ref(), {
      atMs: Date.now(),
      method: 'GET',
      path,
      status,
      bytes: 12_345,
      durationMs: 8,
      cache: 'MISS',
      clientAddress: '203.0.113.9',
      userAgent: `Mozilla/5.0 ${'x'.repeat(200)}`,
      referrer: null,
      ...more,
    });

  it('says what will be there, and offers the debug mode', async () => {
    const { page } = ada;
    await page.getByText('No errors').waitFor();
    await assertFitsAndAccessible(page, 'an empty log');
    await page.getByRole('button', { name: 'Turn on debug mode' }).click();
    await page.getByText('Debug mode is on.').waitFor();
    const debug = page.getByRole('switch', { name: 'Log notices and deprecated code too' });
    assert.ok(await debug.isChecked());
    assert.equal(await page.getByRole('button', { name: 'Turn on debug mode' }).count(), 0);
    assert.equal((await owner.api.listSites()).results[0]?.debug_enabled, true);
  });

  it('shows each error once, with how often it happened and the minute in which it began', async () => {
    const { page } = ada;
    const of = { level: 'warning', file: 'wp-content/themes/a/functions.php', line: 7 } as const;
    for (const [at, name] of ['x', 'y', 'z'].entries())
      logError(`Undefined variable "${name}"`, { ...of, atMs: Date.now() - (3 - at) * 600_000 });
    await app.services.siteLog.flush();
    await page.reload();
    await page.getByText('3 times').waitFor();
    await page.getByText('Undefined variable "z"').waitFor();
    assert.equal(await page.getByText('Undefined variable "x"').count(), 0);
    const link = page.getByRole('link', { name: 'The minute it began' });
    assert.match((await link.getAttribute('href')) ?? '', /\/time\?at=/);
    await assertFitsAndAccessible(page, 'errors, each once');
  });

  it('shows errors as they come, with all there is to know, by keyboard too', async () => {
    const { page } = ada;
    logError('An early message');
    await app.services.siteLog.flush();
    await page.reload();
    await page.getByRole('radio', { name: 'Error log' }).click();
    await page.getByText('An early message').waitFor();
    assert.ok(await page.getByRole('switch', { name: 'Follow' }).isChecked());
    const file = `wp-content/plugins/${'long-name-'.repeat(12)}/a.php`;
    logError('Uncaught Error: boom\nStack trace:\n#0 {main}', {
      level: 'fatal',
      file,
      line: 17,
      request: 'POST /checkout',
    });
    await page.getByText('Uncaught Error: boom').waitFor();
    await page.getByText('Fatal error').waitFor();
    await page.getByText(`${file}:17`).waitFor();
    await page.getByText('POST /checkout').waitFor();
    logError('The next one');
    await page.getByText('The next one').waitFor();
    const lines = page
      .getByRole('main')
      .getByRole('listitem')
      .filter({ hasText: /An early message|boom|The next one/ });
    assert.match((await lines.first().textContent()) ?? '', /The next one/);
    assert.equal(await page.getByText('#0 {main}').isVisible(), false);
    await page.getByRole('searchbox').focus();
    await tabTo(page, page.locator('summary'));
    await page.keyboard.press('Enter');
    await page.getByText('#0 {main}').waitFor();
    await assertFitsAndAccessible(page, 'a log with errors');
    // What came live is there once, also after the list was read again.
    assert.equal(await page.getByText('Uncaught Error: boom').count(), 1);
  });

  it('shows visits, and finds some of them', async () => {
    const { page } = ada;
    logVisit('/about/', 200);
    logVisit(`/search/?q=${'y'.repeat(300)}`, 404, { referrer: 'https://example.net/' });
    await app.services.siteLog.flush();
    await page.getByRole('radio', { name: 'Visits' }).click();
    await page.getByText('GET /about/').waitFor();
    await page.getByText('404', { exact: true }).waitFor();
    await assertFitsAndAccessible(page, 'a log with visits');
    await page.getByRole('searchbox', { name: 'Search the log' }).fill('ABOUT');
    await page.getByText('404', { exact: true }).waitFor({ state: 'detached' });
    await page.getByText('GET /about/').waitFor();
    await page.getByRole('searchbox', { name: 'Search the log' }).fill('no such words');
    await page.getByText('Nothing found').waitFor();
    await page.getByRole('searchbox', { name: 'Search the log' }).fill('');
    logVisit('/checkout', 500, { method: 'POST', durationMs: 4_000 });
    await app.services.siteLog.flush();
    await page.getByRole('searchbox', { name: 'Part of the path' }).fill('CHECK');
    await page.getByText('POST /checkout').waitFor();
    await page.getByText('GET /about/').waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: '2xx, fine' }).click();
    await page.getByText('Nothing found').waitFor();
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Every answer' }).click();
    await page.getByRole('radio', { name: 'Slow' }).click();
    await page.getByText('4.0 s').waitFor();
    await assertFitsAndAccessible(page, 'slow visits');
  });

  it('tells a viewer why they do not see it', async () => {
    const viewer = await registerPerson(app, 'Vera');
    await letIn(owner, viewer, 'viewer');
    const vera = await openPerson(browser, app.url);
    await vera.page.goto(address);
    await signIn(vera.page, viewer.email, PASSWORD);
    await vera.page.getByText('members, admins and the owner can read this').waitFor();
    assert.deepEqual(vera.complaints, []);
  });

  it('loads nothing from elsewhere, breaks no policy and throws no error', () => {
    assert.deepEqual(ada.complaints, []);
  });
});
