import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { Site } from '#sdk';
import { letIn, type Person as Registered, registerPerson } from '#testkit/app/people.ts';
import { newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { openBrowser } from '#testkit/browser/browser.ts';
import { giveContent } from '#testkit/contracts/shell.contract.ts';
import { eventually } from '#testkit/expect.ts';
import { assertFitsAndAccessible, openPerson, type Person, signIn } from './dashboard-user.ts';

const PASSWORD = 'a long enough password';
const SHOTS = process.env.SHOTS;
const EDITOR = ['/usr/bin/vim', '/usr/bin/vi'].find((file) => existsSync(file));

/** A terminal as people have it: in the dashboard, in a page of its own, at a desk and on a phone. */
describe('the terminal', { timeout: 400_000 }, () => {
  let app: TestApp;
  let browser: Browser;
  let ada: Registered;
  let site: Site;
  let person: Person;
  let page: Page;

  before(async () => {
    [app, browser] = await Promise.all([startTestApp({ runtime: 'php-wasm' }), openBrowser()]);
    ada = await registerPerson(app, 'Ada');
    await putOnPlan(app, ada.teamId, 'micro');
    site = await newSite(ada);
    await giveContent(app, site);
    person = await openPerson(browser, app.url);
    page = person.page;
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`/sites/${site.fqdn}/terminal`);
    await signIn(page, ada.email, PASSWORD);
  });
  after(async () => {
    await browser?.close();
    await app?.close();
  });

  const shellPage = () => `/f/api/v1/site/${site.fqdn}/shell_html`;
  /** As it looks, with its lines. */
  const shown = async (on = page) => (await on.locator('.xterm-rows > div').allTextContents()).join('\n');
  const see = (text: string | RegExp, on = page) =>
    eventually(async () => {
      const now = (await shown(on)).replaceAll('\u00a0', ' ');
      return typeof text === 'string' ? now.includes(text) : text.test(now);
    }, 60_000).catch(async () => assert.fail(`${text} is not in\n${await shown(on)}`));
  const state = (text: string, on = page) => on.getByRole('status').getByText(text).waitFor();
  const run = async (line: string, on = page) => {
    await on.keyboard.type(line);
    await on.keyboard.press('Enter');
  };
  const shoot = async (name: string, on = page) => {
    if (SHOTS) await on.screenshot({ path: join(SHOTS, `${name}.png`) });
  };
  const sizeOf = async (mark: string) => {
    await run(`echo ${mark}=$(stty size)=`);
    await see(new RegExp(`${mark}=\\d+ \\d+=`));
    const [, rows, columns] = new RegExp(`${mark}=(\\d+) (\\d+)=`).exec(await shown()) ?? [];
    return { rows: Number(rows), columns: Number(columns) };
  };

  it('is a tab of the dashboard, and goes on where it was after another tab was looked at', async () => {
    await state('Connected');
    await see('$ ');
    await run('mark=kept; echo first-$mark');
    await see('first-kept');
    await shoot('tab-1440');
    await page.getByRole('link', { name: 'Activity', exact: true }).click();
    await page.getByText('opened a terminal of').first().waitFor();
    await page.getByRole('link', { name: 'Terminal', exact: true }).click();
    await see('first-kept');
    await page.locator('.xterm-helper-textarea').focus();
    await run('echo again-$mark');
    await see('again-kept');
    await run('exit 3');
    await page.getByText('The shell has ended (3).').waitFor();
    await page.getByRole('button', { name: 'New terminal' }).click();
    await state('Connected');
    await assertFitsAndAccessible(page, 'the tab');
    const input = page.locator('.xterm-helper-textarea');
    await input.focus();
    await page.keyboard.press('Tab');
    await input.and(page.locator(':focus')).waitFor();
    await page.getByText('then Tab to leave the terminal').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Shift+Tab');
    await input.and(page.locator(':not(:focus)')).waitFor();
    await page.locator('.xterm-helper-textarea').focus();
    await run('exit');
  });

  it('runs an editor that fills the screen, in a page of its own that fits and is accessible', async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(shellPage());
    await state('Connected');
    await see('$ ');
    if (EDITOR) {
      await run(`${EDITOR} -u NONE note.txt`);
      await see('note.txt');
      await page.keyboard.type('iwritten in the browser');
      await shoot('editor-1440');
      await page.keyboard.press('Escape');
      await run(':wq');
      await see('$ ');
      const file = join(app.runtime.contentFolder(site.id), 'note.txt');
      await eventually(async () => existsSync(file) && readFileSync(file, 'utf8') === 'written in the browser\n');
    } else {
      await run('seq 1000 | less');
      await see(/^:/m);
      await page.keyboard.press('G');
      await see('1000');
      await shoot('editor-1440');
      await page.keyboard.press('q');
    }
    await assertFitsAndAccessible(page, 'the page');
  });

  it('tells the shell its size when the window changes', async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    const wide = await sizeOf('wide');
    await page.setViewportSize({ width: 700, height: 500 });
    await eventually(async () => (await sizeOf(`n${Date.now()}`)).columns < wide.columns);
    await page.setViewportSize({ width: 1440, height: 900 });
    await eventually(async () => (await sizeOf(`w${Date.now()}`)).rows === wide.rows);
  });

  it('draws a flood to its end, and breaks one off with Ctrl-C', async () => {
    await run('head -c 3000000 /dev/zero | base64 -w 99; echo flood-is-ov""er');
    await see('flood-is-over');
    await run('yes');
    await see(/y\n\s*y\n/);
    await page.keyboard.press('Control+C');
    await run('echo bro""ken');
    await see('broken');
  });

  it('takes up its shell again when the connection is cut', async () => {
    await run('clear; mark=survives');
    app.services.events.endStreamsOf(ada.userId);
    await state('Connected');
    await run('echo it-$mark');
    await see('it-survives');
    // Also when the page is loaded anew.
    await page.reload();
    await state('Connected');
    await see('it-survives');
    await run('exit');
    await page.getByText('The shell has ended').waitFor();
  });

  it('works on a phone, with the keys that it lacks, and finds what was shown', async () => {
    const context = await browser.newContext({
      baseURL: app.url,
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
      storageState: await page.context().storageState(),
    });
    const phone = await context.newPage();
    await phone.goto(shellPage());
    await state('Connected', phone);
    await see('$ ', phone);
    await run('echo needle-in-the-hay; sleep 1000', phone);
    await see('\nneedle', phone);
    await phone.getByRole('button', { name: 'Ctrl', exact: true }).tap();
    await phone.keyboard.type('c');
    // The prompt after it: a key that comes before is not the shell's.
    await eventually(async () => (await shown(phone)).split('^C')[1]?.includes('$'));
    await phone.getByRole('button', { name: 'Up', exact: true }).tap();
    await eventually(async () => (await shown(phone)).split('sleep 1000').length > 2);
    await phone.getByRole('button', { name: 'Search', exact: true }).tap();
    await phone.getByLabel('Search the terminal').fill('needle-in');
    await shoot('phone-390', phone);
    await phone.getByLabel('Search the terminal').fill('nowhere-to-be-seen');
    await phone.getByText('Not found').waitFor();
    const excess = await phone.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(excess <= 0);
    await context.close();
  });

  it('tells a viewer why there is none', async () => {
    const viewer = await registerPerson(app, 'Vera');
    await letIn(ada, viewer, 'viewer');
    const guest = await openPerson(browser, app.url);
    await guest.page.goto(`/sites/${site.fqdn}/terminal`);
    await signIn(guest.page, viewer.email, PASSWORD);
    await guest.page.getByText('members, admins and the owner can open a terminal').waitFor();
    await guest.page.context().close();
    assert.deepEqual(person.complaints, []);
  });
});
