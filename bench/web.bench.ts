import type { Browser, Page } from 'playwright-core';
import { createClient } from '#sdk';
import { CMS } from '#testkit/app/sites.ts';
import { launchBrowser } from '#testkit/browser/browser.ts';
import type { Report } from './report.ts';
import { startBench } from './servers.ts';

/**
 * What somebody sees who opens the dashboard: when its largest part is painted, beside a page of the same app that has nothing to load, and whether
 * anything jumps. At the first visit the browser has no file of the dashboard, as after each release, but whoever signed in there is known; at a later one it
 * has what it kept of the visit before.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const SHIFT_GOAL = 0.02;
const PAINT_GOAL = 1.2;
/** By then a page has all that it asks for; what comes later moves something under a hand that is about to click. */
const WATCH_MS = 2_500;
const ADMIN = { ADMIN_EMAIL: 'operator@example.com', ADMIN_PASSWORD: 'operator-password' };
const NAME = 'garden.localhost';
const VIEWPORT = { width: 1440, height: 900 };
/** The frame with a sentence in it. */
const EMPTY = '/no-such-page';
const PAGES = { Home: '/', Site: `/sites/${NAME}` };
const VISITS = ['first', 'later'] as const;
type Visit = (typeof VISITS)[number];

/** Runs in the page, which knows more than Node does of what is painted. */
const WATCH = `
  window.found = { paintMs: 0, shift: 0, what: '' };
  const watch = (type, see) => new PerformanceObserver((list) => list.getEntries().forEach(see)).observe({ type, buffered: true });
  watch('largest-contentful-paint', (entry) => {
    window.found.paintMs = entry.startTime;
    window.found.what = entry.url ? 'picture' : 'text';
  });
  watch('layout-shift', (entry) => { window.found.shift += entry.value; });
`;

interface Seen {
  paintMs: number;
  shift: number;
  /** What is the largest. */
  what: string;
}

export async function run(): Promise<Report> {
  const bench = await startBench();
  const browser = await launchBrowser();
  try {
    const { url } = await bench.startService({ ...ADMIN, RUNTIME: 'memory' });
    const body = { username: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD };
    const { access_token: token } = await createClient({ baseUrl: url }).signIn({ body });
    const api = createClient({ baseUrl: url, token });
    const team_id = (await api.listTeams()).results[0]?.id as string;
    await api.createSite({ wait: 60, body: { ...CMS, fqdn: NAME, team_id } });
    const page = await signedIn(browser, url);
    const seen = new Map<string, Seen[]>();
    // In turns, so that a busy moment of the machine is everybody's.
    for (let round = 0; round <= ROUNDS; round++)
      for (const [name, path] of Object.entries({ Empty: EMPTY, ...PAGES })) {
        const found = { first: await lookFirst(browser, page, url + path), later: await look(page, url + path) };
        // The first round is what the later visits come after; by its end the site has its picture.
        if (round > 0)
          for (const visit of VISITS) seen.set(name + visit, [...(seen.get(name + visit) ?? []), found[visit]]);
      }
    return report(seen);
  } finally {
    await browser.close();
    await bench.stopAll();
  }
}

async function signedIn(browser: Browser, baseURL: string): Promise<Page> {
  const context = await browser.newContext({ baseURL, viewport: VIEWPORT });
  const page = await context.newPage();
  await page.goto('/sign-in');
  await page.getByLabel('Email').fill(ADMIN.ADMIN_EMAIL);
  await page.getByLabel('Password', { exact: true }).fill(ADMIN.ADMIN_PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((address) => address.pathname !== '/sign-in');
  await page.addInitScript(WATCH);
  return page;
}

/** In a browser that has no file yet. */
async function lookFirst(browser: Browser, signedInPage: Page, address: string): Promise<Seen> {
  const storageState = await signedInPage.context().storageState();
  const context = await browser.newContext({ viewport: VIEWPORT, storageState });
  const page = await context.newPage();
  await page.addInitScript(WATCH);
  const found = await look(page, address);
  await context.close();
  return found;
}

async function look(page: Page, address: string): Promise<Seen> {
  await page.goto(address);
  await page.waitForLoadState('load');
  await page.waitForTimeout(WATCH_MS);
  return page.evaluate<Seen>('window.found');
}

const middle = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;

function report(seen: ReadonlyMap<string, Seen[]>): Report {
  const of = (name: string, visit: Visit) => seen.get(name + visit) ?? [];
  const paint = (name: string, visit: Visit) => middle(of(name, visit).map(({ paintMs }) => paintMs));
  const shift = (name: string, visit: Visit) => Math.max(...of(name, visit).map((each) => each.shift));
  const ratio = (name: string, visit: Visit) => paint(name, visit) / paint('Empty', visit);
  const names = ['Empty', ...Object.keys(PAGES)];
  return {
    name: 'bench/web',
    intro: `The dashboard in Chromium at 1440 x 900: the largest paint as the middle of ${ROUNDS} looks, beside a page of the same app with nothing to load, and the largest sum of all layout shifts of a look. First: no file of the dashboard is in the browser, as after a release. Later: it has been there before.`,
    tables: [
      {
        head: ['page', 'visit', 'largest paint', 'of the empty page', 'what it is', 'layout shift'],
        rows: VISITS.flatMap((visit) =>
          names.map((name) => [
            name,
            visit,
            `${paint(name, visit).toFixed(0)} ms`,
            ratio(name, visit).toFixed(2),
            of(name, visit)[0]?.what ?? '',
            shift(name, visit).toFixed(4),
          ]),
        ),
      },
    ],
    goals: Object.keys(PAGES).flatMap((name) =>
      VISITS.flatMap((visit) => [
        {
          text: `${name} shifts less than ${SHIFT_GOAL} at a ${visit} visit: ${shift(name, visit).toFixed(4)}`,
          met: shift(name, visit) < SHIFT_GOAL,
        },
        {
          text: `the largest paint of ${name} is at most ${PAINT_GOAL} x that of an empty page at a ${visit} visit: ${ratio(name, visit).toFixed(2)}`,
          met: ratio(name, visit) <= PAINT_GOAL,
        },
      ]),
    ),
  };
}
