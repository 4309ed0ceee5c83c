import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { letIn, type Person, registerPerson } from '#testkit/app/people.ts';
import { newSite } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { openBrowser } from '#testkit/browser/browser.ts';
import { eventually } from '#testkit/expect.ts';
import { openPerson } from './dashboard-user.ts';

/** What the server draws of a page before any script of it is there, and what the scripts make of that. */
describe('a page that the server drew', { timeout: 300_000 }, () => {
  let app: TestApp;
  let browser: Browser;
  let owner: Person;
  let fqdn: string;

  before(async () => {
    [app, browser] = await Promise.all([startTestApp({ env: { RATE_LIMIT_FACTOR: '20' } }), openBrowser()]);
    owner = await registerPerson(app, 'Ada');
    fqdn = (await newSite(owner)).fqdn;
  });
  after(async () => {
    await browser?.close();
    await app?.close();
  });

  /** Somebody who was here before, in another country. */
  async function openOwner() {
    const person = await openPerson(browser, app.url, { locale: 'de-DE', timezoneId: 'Asia/Tokyo' });
    const { page } = person;
    await page.context().addCookies([{ name: 'session', value: owner.token, url: app.url }]);
    await page.goto('/');
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    return person;
  }

  /** Lets the page come without its program, and returns what lets that go on. */
  async function openHeld(page: Page, path: string): Promise<() => Promise<void>> {
    const release = Promise.withResolvers<void>();
    await page.route('**/assets/*.js', async (route) => {
      await release.promise;
      await route.continue();
    });
    // What takes the server long is left to the browser, which is no fault.
    await eventually(async () => {
      await page.goto(path, { waitUntil: 'commit' });
      await page.waitForFunction(() => document.readyState !== 'loading');
      return page.evaluate(() => document.getElementById('root')?.inert);
    });
    return async () => {
      release.resolve();
      await page.waitForFunction(() => document.getElementById('root')?.inert === false);
    };
  }

  for (const [name, pathOf] of [
    ['Home', () => '/'],
    ['a site', () => `/sites/${fqdn}`],
  ] as const)
    it(`shows ${name} before the program is there, which takes over what stands and moves nothing`, async () => {
      const { page, complaints } = await openOwner();
      await page.addInitScript(() => {
        const shifts: number[] = [];
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value);
        }).observe({ type: 'layout-shift', buffered: true });
        Object.assign(globalThis, { shifts });
      });
      const start = await openHeld(page, pathOf());
      await page.locator('h1').waitFor();
      const before = await page.evaluate(() => {
        for (const element of document.querySelectorAll('h1, img, time, nav a'))
          Object.assign(element, { isFirst: true });
        const times = [...document.querySelectorAll('time[title]')] as HTMLTimeElement[];
        const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
        return {
          text: document.querySelector('main')?.textContent,
          asHere: times.every(
            (time) =>
              !time.title.includes('\n') || time.title.split('\n')[0] === format.format(new Date(time.dateTime)),
          ),
          times: times.length,
        };
      });
      assert.ok(before.text?.includes('A blog of the tests') || before.text?.includes(fqdn));
      assert.ok(before.times > 0 && before.asHere, 'moments are written by the clock of the browser');

      await start();
      const taken = await page.evaluate(() => ({
        text: document.querySelector('main')?.textContent,
        replaced: [...document.querySelectorAll('h1, img, time, nav a')].filter((each) => !('isFirst' in each)).length,
      }));
      assert.equal(taken.text, before.text);
      assert.equal(taken.replaced, 0);
      await page.getByRole('button', { name: 'Theme' }).click();
      await page.getByRole('menuitemradio', { name: 'Dark' }).waitFor();
      const shift = await page.evaluate(() =>
        (globalThis as unknown as { shifts: number[] }).shifts.reduce((sum, value) => sum + value, 0),
      );
      assert.ok(shift < 0.02, `it moved by ${shift}`);
      assert.deepEqual(complaints, []);
      await page.context().close();
    });

  it('is drawn anew where it was drawn for another clock, team or address than there are by now', async () => {
    const other = await registerPerson(app, 'Eve');
    await letIn(other, owner, 'member');
    const { page } = await openOwner();
    const cookie = (name: string, value: string) => page.context().addCookies([{ name, value, url: app.url }]);
    const wrong = () =>
      page.evaluate(() => {
        const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
        return [...document.querySelectorAll<HTMLTimeElement>('time[title]')].filter(
          (time) => time.title.includes('\n') && time.title.split('\n')[0] !== format.format(new Date(time.dateTime)),
        ).length;
      });
    // What is written into an attribute stays when the program takes over what stands.
    await cookie('clock', 'en-US:America/New_York');
    let start = await openHeld(page, `/sites/${fqdn}`);
    assert.ok((await wrong()) > 0);
    await start();
    assert.equal(await wrong(), 0);
    await page.unroute('**/assets/*.js');

    await cookie('team', owner.teamId);
    start = await openHeld(page, '/');
    await cookie('team', other.teamId);
    await start();
    await page.getByRole('heading', { name: "Welcome to Eve's team" }).waitFor();
    const teams = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLAnchorElement>('a[href*="team"]')].map(({ href }) => href),
    );
    assert.ok(teams.length > 1 && teams.every((href) => href.includes(other.teamId)), teams.join());
    await page.context().close();
  });

  it('shows no broken picture, be it that it failed before anybody listened', async () => {
    const { page } = await openOwner();
    await page.route('**/picture', (route) => route.fulfill({ status: 404 }));
    const start = await openHeld(page, `/sites/${fqdn}`);
    await eventually(() => page.evaluate(() => document.querySelector<HTMLImageElement>('main img')?.complete));
    await start();
    await page.locator('main img').waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('has the theme that the system changed to before the program was there', async () => {
    const { page } = await openOwner();
    await page.emulateMedia({ colorScheme: 'light' });
    const start = await openHeld(page, '/');
    await page.emulateMedia({ colorScheme: 'dark' });
    await start();
    await page.locator('html[data-theme=dark]').waitFor({ state: 'attached' });
    await page.context().close();
  });

  it('is drawn in the browser where the server did not draw it', async () => {
    const { page } = await openOwner();
    await page.context().clearCookies({ name: 'clock' });
    await page.goto('/');
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    assert.ok(
      (await page.context().cookies()).some(({ name, value }) => name === 'clock' && value === 'de-DE:Asia/Tokyo'),
    );
    await page.context().close();
  });
});
