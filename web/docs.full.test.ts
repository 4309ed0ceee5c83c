import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { registerPerson, signInAs } from '#testkit/app/people.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { openBrowser } from '#testkit/browser/browser.ts';
import { assertFitsAndAccessible, openPerson, type Person } from './dashboard-user.ts';

/** The docs as a reader sees them, in a real browser. */
describe('the docs', { timeout: 180_000 }, () => {
  let app: TestApp;
  let browser: Browser;
  let reader: Person;

  before(async () => {
    [app, browser] = await Promise.all([startTestApp(), openBrowser()]);
    reader = await openPerson(browser, app.url);
  });
  after(async () => {
    await browser?.close();
    await app?.close();
  });

  it('fit and are accessible, wide and narrow, light and dark: home, a guide, the reference, errors', async () => {
    const { page } = reader;
    for (const path of ['/docs', '/docs/time-machine', '/docs/reference', '/docs/reference/restores', '/docs/errors']) {
      await page.goto(path);
      // Long lists are many of one kind, and axe takes seconds for each hundred.
      await page.evaluate(() => {
        for (const more of document.querySelectorAll('article > section:nth-of-type(n + 3)')) more.remove();
      });
      await assertFitsAndAccessible(page, path);
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 800 });
        const excess = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        assert.ok(excess <= 0, `${path} scrolls sideways at ${width} px`);
      }
    }
  });

  it('find "restore" while it is typed, by the keyboard alone, and go there', async () => {
    const { page } = reader;
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto('/docs');
    await page.keyboard.press('/');
    await page.keyboard.type('restore');
    const results = page.locator('.found a');
    await results.first().waitFor();
    assert.match((await results.first().getAttribute('href')) ?? '', /^\/docs\/time-machine/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/time-machine*');
  });

  it('go dark and stay so, here and in the dashboard', async () => {
    const { page } = reader;
    await page.getByRole('button', { name: 'Light or dark' }).click();
    assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark');
    await page.goto('/docs/errors');
    assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark');
    await page.getByRole('button', { name: 'Light or dark' }).click();
  });

  it('have a menu where there is no room for one', async () => {
    const { page } = reader;
    await page.setViewportSize({ width: 390, height: 800 });
    await page.locator('.menu summary').click();
    await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Domains' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('can be read and searched without a script', async () => {
    const context = await browser.newContext({ baseURL: app.url, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto('/docs/first-site');
    await page.getByText('We keep it nowhere.').waitFor();
    await page.getByRole('searchbox').fill('undo a restore');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Undo a restore' }).waitFor();
    await context.close();
  });

  it('fill in what is the reader’s own, and try calls with their session; a token stays in the tab', async () => {
    const rosa = await registerPerson(app, 'Rosa');
    const { page } = reader;
    await page.goto('/docs/reference/teams');
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Try it' }).count(), 0);

    await signInHere(page, rosa.email);
    await page.goto('/docs/reference/teams');
    const example = page.locator('[data-id=getTeam] .example code');
    await page.getByText(`Signed in as ${rosa.email}`).waitFor();
    assert.ok((await example.textContent())?.includes(rosa.teamId));
    await page.getByRole('button', { name: 'Fill in a token that reads' }).click();
    await page.getByText('until you close this tab').waitFor();
    const token = /Bearer (\S+)"/.exec((await example.textContent()) ?? '')?.[1] ?? '';
    const { api } = await signInAs(app, rosa.email);
    const [kept] = (await api.listApiTokens()).results;
    assert.deepEqual(kept?.scopes, ['read']);
    const answer = await fetch(`${app.api}/me`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(((await answer.json()) as { email: string }).email, rosa.email);

    await page.locator('[data-id=getTeam]').getByRole('button', { name: 'Try it' }).click();
    await page.getByRole('button', { name: 'Send GET' }).click();
    await page.getByText('200 in').waitFor();
    assert.ok((await page.locator('dialog pre').textContent())?.includes(rosa.teamId));
    await assertFitsAndAccessible(page, 'a call that was tried');
    await page.getByRole('button', { name: 'Close' }).click();

    const other = await reader.page.context().newPage();
    await other.goto('/docs/reference/teams');
    await other.getByText('Your team and your site').waitFor();
    assert.ok(!(await other.content()).includes(token), 'the token is in another tab');
    await other.close();
    assert.deepEqual(reader.complaints, []);
  });
});

async function signInHere(page: Person['page'], email: string): Promise<void> {
  const status = await page.evaluate(async (username) => {
    const body = new URLSearchParams({ username, password: 'a long enough password' });
    return (await fetch('/f/api/v1/token', { method: 'POST', body })).status;
  }, email);
  assert.equal(status, 200);
}
