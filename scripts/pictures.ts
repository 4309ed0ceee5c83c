/**
 * Makes the pictures of the dashboard (docs/pictures) anew: a platform of its own with real sites, and a browser that looks at them. For after a
 * change that is worth showing: `npm run pictures`, some fifteen minutes.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { launchBrowser } from '#testkit/browser/browser.ts';
import { startBench } from '../bench/servers.ts';
import { ADA, JOURNAL, makeTeam } from './pictures/team.ts';

const FOLDER = join(import.meta.dirname, '../docs/pictures');
const SIZES = {
  wide: { width: 1440, height: 900 },
  narrow: { width: 390, height: 844 },
};
const SCHEMES = ['light', 'dark'] as const;
const OPERATOR = { email: 'operator@example.com', password: 'operator-password' };

interface Screen {
  path: string;
  /** Where it is worth more than the window's own. */
  wideHeight?: number;
  /** What a person does there before it is worth a look. */
  act?: (page: Page) => Promise<unknown>;
}

const screensOf = (teamId: string, ticketId: string): Record<string, Screen> => ({
  home: { path: '/' },
  sites: { path: '/sites' },
  site: { path: `/sites/${JOURNAL}` },
  'time-machine': { path: `/sites/${JOURNAL}/time`, wideHeight: 1320, act: lookBack },
  restore: { path: `/sites/${JOURNAL}/time`, act: openRestore },
  staging: {
    path: `/sites/${JOURNAL}/changes?env=staging`,
    act: (page) => page.getByRole('button', { name: 'Bring to live …' }).waitFor(),
  },
  plugins: { path: `/sites/${JOURNAL}/plugins` },
  support: { path: `/tickets/${ticketId}` },
  billing: { path: `/teams/${teamId}/billing` },
});

const browser = await launchBrowser();
const bench = await startBench();
try {
  const { url } = await bench.startService({
    RUNTIME: 'php-wasm',
    SHIPPED_TEMPLATES: 'on',
    ADMIN_EMAIL: OPERATOR.email,
    ADMIN_PASSWORD: OPERATOR.password,
  });
  const yard = { url, databaseUrl: bench.databaseUrl, mailDir: join(bench.dir, 'data/mail'), operator: OPERATOR };
  const { teamId, ticketId } = await makeTeam(yard, browser);
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const context = await browser.newContext({ baseURL: url, reducedMotion: 'reduce', locale: 'en-US' });
  context.setDefaultTimeout(180_000);
  const page = await context.newPage();
  await signIn(page);
  for (const [name, screen] of Object.entries(screensOf(teamId, ticketId)))
    for (const size of Object.keys(SIZES) as (keyof typeof SIZES)[]) await look(page, name, screen, size);
} finally {
  await browser.close();
  await bench.stopAll();
}

async function signIn(page: Page): Promise<void> {
  await page.goto('/sign-in');
  await page.getByLabel('Email').fill(ADA.email);
  await page.getByLabel('Password', { exact: true }).fill(ADA.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
}

async function look(page: Page, name: string, screen: Screen, size: keyof typeof SIZES): Promise<void> {
  const { path, wideHeight, act } = screen;
  await page.setViewportSize({ ...SIZES[size], ...(size === 'wide' && wideHeight && { height: wideHeight }) });
  await page.goto(path);
  await page.getByText('Loading', { exact: true }).first().waitFor({ state: 'detached' });
  await act?.(page);
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-theme=${colorScheme}]`).waitFor({ state: 'attached' });
    await page.waitForTimeout(1_000);
    await keep(page, `${name}-${size}-${colorScheme}`);
  }
}

async function lookBack(page: Page): Promise<void> {
  await choose(page);
  await page.getByRole('button', { name: 'Show then and now' }).click();
  await page.getByRole('slider', { name: 'How much of the site then is shown' }).waitFor();
  await page.getByText('Waking the copies').waitFor({ state: 'detached' });
  await page.waitForTimeout(3_000);
}

async function openRestore(page: Page): Promise<void> {
  await choose(page);
  await page.getByRole('button', { name: 'Restore …' }).click();
  await page.getByText('Lost: came after').waitFor();
}

async function choose(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Tagline changed' }).first().click();
  await page.getByRole('heading', { name: 'What has changed since' }).waitFor();
}

/** As WebP, which the browser writes itself: a fifth of a PNG. */
async function keep(page: Page, name: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 85 });
  writeFileSync(join(FOLDER, `${name}.webp`), Buffer.from(data, 'base64'));
  await session.detach();
}
