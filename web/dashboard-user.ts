import assert from 'node:assert/strict';
import type { AnyRouter } from '@tanstack/react-router';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';

export interface Person {
  page: Page;
  /** Whatever the browser objected to, and every address outside of the platform that was asked for. */
  complaints: string[];
}

/** A person with a browser of their own: cookies, storage, one page. */
export async function openPerson(browser: Browser, baseURL: string, more: BrowserContextOptions = {}): Promise<Person> {
  // Without motion a colour is never caught half-way between two themes.
  const context = await browser.newContext({ baseURL, reducedMotion: 'reduce', colorScheme: 'light', ...more });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // An answer with a status that says no is the API's right, and the console reports each as an error.
    const isAnswer = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isAnswer) complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${baseURL}/`)) complaints.push(`asked for ${request.url()}`);
  });
  return { page, complaints };
}

export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** With the Tab key alone, from wherever the focus is. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab');
    if ((await target.and(page.locator(':focus')).count()) > 0) return;
  }
  assert.fail(`the keyboard does not reach ${target}`);
}

export function linkIn(mail: string, path: string): string {
  const link = mail.match(/https?:\/\/\S+/g)?.find((address) => new URL(address).pathname === path);
  assert.ok(link, `the mail has no link to ${path}:\n${mail}`);
  return link;
}

/**
 * Looks at one page of the dashboard after the other: those at an address, and what the buttons (in brackets) open. The first is loaded; to the
 * others it goes as links do, so that the dashboard and axe are compiled once.
 */
export async function walk(
  { page }: Person,
  [first, ...others]: [string, ...(string | [button: string])[]],
): Promise<void> {
  await page.goto(first);
  await assertFitsAndAccessible(page, first);
  for (const step of others) {
    if (typeof step === 'string') await followLink(page, step);
    else await page.getByRole('button', { name: step[0] }).click();
    await assertFitsAndAccessible(page, String(step));
  }
}

/** Until the other page is shown: the one before has headings, too. */
async function followLink(page: Page, address: string): Promise<void> {
  const { pathname, search } = new URL(address, page.url());
  await page.evaluate(async (path) => {
    const router = (globalThis as unknown as { __TSR_ROUTER__: AnyRouter }).__TSR_ROUTER__;
    await new Promise<void>((resolve) => {
      const forget = router.subscribe('onRendered', () => {
        forget();
        resolve();
      });
      router.history.push(path);
    });
  }, pathname + search);
}

/**
 * Checks the page with axe once in each theme: the light one at full width, the dark one at phone width, where bars and menus differ. The
 * contrast of every pair of palette colors is a unit test (src/palette.test.ts).
 */
export async function assertFitsAndAccessible(page: Page, name: string): Promise<void> {
  await page.getByRole('heading').first().waitFor();
  await page.getByText('Loading', { exact: true }).first().waitFor({ state: 'detached' });
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  await setTheme(page, 'light');
  assert.deepEqual(await violations(page), [], `${name}, light`);
  await assertFitsWidth(page, name, 1920);
  await assertFitsWidth(page, name, 360);
  await setTheme(page, 'dark');
  assert.deepEqual(await violations(page), [], `${name}, dark, 360 px`);
  await setTheme(page, 'light');
  await page.setViewportSize({ width: 1280, height: 800 });
}

async function assertFitsWidth(page: Page, name: string, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 800 });
  const excess = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(excess <= 0, `${name} scrolls sideways at ${width} px`);
}

async function setTheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-theme=${colorScheme}]`).waitFor({ state: 'attached' });
}

function violations(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { violations: found } = await (globalThis as unknown as { axe: typeof axe }).axe.run({
      resultTypes: ['violations'],
    });
    return found.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`));
  });
}
