import assert from 'node:assert/strict';
import type { Locator, Page, Response } from 'playwright-core';

/**
 * What the areas of this suite know of a site: where it is, who runs it, and two browsers. Nothing here knows what runs the site,
 * so every driver gets the same walk.
 */
export interface SiteUnderTest {
  home: string;
  administrator: { name: string; password: string; email: string };
  /** Signed in as the administrator. */
  page: Page;
  /** Somebody else's browser, which has no cookies of the site. */
  stranger: Page;
  /** Puts a file below wp-content, as an owner does with a file manager. */
  writeContent(path: string, text: string): Promise<void>;
  /** The newest mail that the site sent to this address. */
  mailTo(address: string, containing: string): Promise<string>;
}

/** One thing that people do with WordPress. It leaves the site as it found it, but for what it published. */
export interface Area {
  name: string;
  /** Also in `npm test`; the others take their time and come with WORDPRESS=all. */
  isShort?: true;
  walk(site: SiteUnderTest): Promise<void>;
}

export async function signIn({ home, page, administrator }: SiteUnderTest): Promise<void> {
  await page.goto(`${home}/wp-login.php`);
  await page.fill('#user_login', administrator.name);
  await page.fill('#user_pass', administrator.password);
  await page.click('#wp-submit');
  await page.waitForURL(`${home}/wp-admin/`);
}

/** The editors show a guide to whoever sees them for the first time, a moment after all else: it is closed whenever it shows. */
export async function closeGuides({ page }: SiteUnderTest): Promise<void> {
  const guide = page.locator('.components-guide, .components-modal__frame.edit-post-welcome-guide');
  const button = guide.getByRole('button', { name: /^(Close|Get started)$/ }).first();
  await page.addLocatorHandler(button, () => button.click());
}

/** Opens a screen of the back office, such as `edit.php`. */
export async function openAdmin({ home, page }: SiteUnderTest, screen = ''): Promise<void> {
  const answer = await page.goto(`${home}/wp-admin/${screen}`);
  assert.equal(answer?.status(), 200, `${screen} answers`);
}

/** Waits until it shows. */
export const sees = (where: Page | Locator, text: string | RegExp) => where.getByText(text).first().waitFor();

/** What a stranger gets at this path. */
export async function visitAsStranger(
  { home, stranger }: SiteUnderTest,
  path: string,
): Promise<{ status: number; text: string; url: string }> {
  // The answer is what counts: pictures and styles need not be waited for.
  const answer = (await stranger.goto(home + path, { waitUntil: 'commit' })) as Response;
  return { status: answer.status(), text: await answer.text(), url: stranger.url().slice(home.length) };
}

interface RestRequest {
  method?: string;
  body?: unknown;
}

/** Asks the REST interface from within a page of the site, as WordPress' own screens do. */
export async function askRest<T = { id: number; link: string }>(
  { home, page }: SiteUnderTest,
  path: string,
  request: RestRequest = {},
): Promise<T> {
  // Any page of the site would do; this one always is there.
  if (!page.url().startsWith(home)) await page.goto(`${home}/wp-admin/`);
  const answer = await page.evaluate(
    async ({ path, method, body }) => {
      const nonce = await (await fetch('/wp-admin/admin-ajax.php?action=rest-nonce')).text();
      const headers = { 'content-type': 'application/json', 'x-wp-nonce': nonce };
      const sent = body === undefined ? undefined : JSON.stringify(body);
      const reply = await fetch(`/wp-json${path}`, { method, headers, body: sent ?? null });
      return { status: reply.status, text: await reply.text() };
    },
    { path, method: request.method ?? (request.body === undefined ? 'GET' : 'POST'), body: request.body },
  );
  assert.ok(answer.status < 300, `${path}: ${answer.status} ${answer.text}`);
  return JSON.parse(answer.text) as T;
}

/** Publishes a post by the REST interface: what an area needs before it begins. */
export const publish = (site: SiteUnderTest, title: string, more: Record<string, unknown> = {}) =>
  askRest(site, '/wp/v2/posts', { body: { title, content: `About ${title}.`, status: 'publish', ...more } });

/** A row of one of WordPress' lists, with its actions showing. */
export async function hoverRow({ page }: SiteUnderTest, text: string): Promise<Locator> {
  const row = page.locator('.wp-list-table tbody tr').filter({ hasText: text }).first();
  await row.hover();
  return row;
}

/** Says yes to what the next click asks. */
export const agree = ({ page }: SiteUnderTest) => page.once('dialog', (dialog) => void dialog.accept());

/** Does something that a screen saves in the background, often after it shows it as done already. */
export async function saved({ page }: SiteUnderTest, act: () => Promise<unknown>): Promise<void> {
  const done = page.waitForResponse(
    (reply) => reply.url().endsWith('/admin-ajax.php') && !reply.request().postData()?.includes('action=heartbeat'),
  );
  const [answer] = await Promise.all([done, act()]);
  assert.equal(answer.status(), 200);
}
