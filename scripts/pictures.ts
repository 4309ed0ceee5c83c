/**
 * Makes the pictures of the dashboard in docs/pictures and the one on top of the README: a team with a few sites, one of which has been
 * written on for some minutes. Run it after a change of the dashboard that is worth showing: `node scripts/pictures.ts`. It takes ten minutes.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import { type Client, createClient } from '#sdk';
import { startBench } from '../bench/servers.ts';
import { findMail } from '../test/app.ts';
import { launchBrowser } from '../test/browser.ts';
import { WORDPRESS_CACHE } from '../test/wordpress-cache.ts';

const FOLDER = join(import.meta.dirname, '../docs/pictures');
const ADA = { first_name: 'Ada', last_name: 'Marsh', email: 'ada@example.com', password: 'tide tables and rye' };
const HERO = 'harbour-notes.localhost';
const SITES = [
  { fqdn: 'north-quay.localhost', title: 'North Quay Studio', template: 'portfolio', visits: 34 },
  { fqdn: 'rye-and-salt.localhost', title: 'Rye & Salt', template: 'business', visits: 61 },
  { fqdn: HERO, title: 'Harbour Notes', template: 'blog', visits: 128 },
];
const WIDTHS = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } };
const QUALITY = 82;

const bench = await startBench();
const browser = await launchBrowser();
try {
  const { url } = await bench.startService({
    RUNTIME: 'php-wasm',
    CACHE_DIR: WORDPRESS_CACHE,
    WORDPRESS_SOURCE: 'npm',
    SHIPPED_TEMPLATES: 'on',
    ADMIN_EMAIL: 'operator@example.com',
    ADMIN_PASSWORD: 'operator-password',
  });
  const { api, teamId } = await makeTeam(url);
  await makeSites(api, teamId, new URL(url).port);
  await takePictures(browser, url, teamId);
} finally {
  await browser.close();
  await bench.stopAll();
}

/** Somebody with a confirmed address, and a plan that has room. */
async function makeTeam(baseUrl: string): Promise<{ api: Client; teamId: string }> {
  const anonymous = createClient({ baseUrl });
  await anonymous.register({ body: ADA });
  const mail = await findMail(join(bench.dir, 'data/mail'), ADA.email);
  const token = /token=([\w.-]+)/.exec(mail)?.[1] ?? '';
  await anonymous.verifyEmail({ body: { token } });
  const grant = await anonymous.signIn({ body: { username: ADA.email, password: ADA.password } });
  const api = createClient({ baseUrl, token: grant.access_token });
  const teamId = (await api.listTeams()).results[0]?.id as string;
  await api.updateTeam({ params: { team_id: teamId }, body: { name: 'Marsh & Co' } });
  await query("update teams set plan_type_name = 'business' where id = $1", teamId);
  return { api, teamId };
}

async function query(sql: string, ...values: unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: bench.databaseUrl });
  await client.connect();
  await client.query(sql, values);
  await client.end();
}

async function makeSites(api: Client, team_id: string, port: string): Promise<void> {
  while ((await api.listTemplates()).results.length < SITES.length) await sleep(2_000);
  for (const { fqdn, title, template, visits } of SITES) {
    const cms = { cms_username: 'ada', cms_email: ADA.email, cms_first_name: 'Ada', cms_last_name: 'Marsh' };
    const body = { fqdn, team_id, template_name: template, cms_blog_name: title, ...cms, cms_password: ADA.password };
    const site = await api.createSite({ wait: 120, body });
    // As if it had been there for two weeks, with more visitors by day and at the week's end.
    await query(
      `insert into site_usage (site_id, hour, visits, requests, bytes, cached_bytes, cache_hits, cache_misses)
       select $1, h, v, v * 9, v * 400000, v * 320000, v * 7, v * 2 from (
         select h, round($2 * (0.35 + 0.65 * sin(pi() * extract(hour from h) / 24)) * (1 + 0.4 * (extract(isodow from h) > 5)::int)
           * (0.8 + 0.4 * random()) / 8) as v
         from generate_series(date_trunc('hour', now()) - interval '15 days', now() - interval '1 hour', interval '1 hour') h) t
       on conflict do nothing`,
      site.id,
      visits,
    );
  }
  await api.labelSites({ params: { team_id }, body: { fqdns: [HERO], add: ['journal'] } });
  await write(`http://${HERO}:${port}`);
}

/** What a person does in WordPress, a minute apart, so that each is a moment of its own. */
async function write(site: string): Promise<void> {
  const page = await browser.newPage();
  await page.goto(`${site}/wp-login.php`);
  await page.locator('#user_login').fill('ada');
  await page.locator('#user_pass').fill(ADA.password);
  await page.locator('#wp-submit').click();
  await page.waitForURL(/wp-admin/);
  const nonce = await (await page.request.get(`${site}/wp-admin/admin-ajax.php?action=rest-nonce`)).text();
  const call = (path: string, data: object) =>
    page.request.post(`${site}/?rest_route=/wp/v2/${path}`, { headers: { 'x-wp-nonce': nonce }, data });
  const minute = () => sleep(62_000);
  await minute();
  await call('posts', {
    title: 'Fresh rye on Saturdays',
    status: 'publish',
    content: '<p>The bakery at the quay lights its oven at four. By seven there is rye, and a queue.</p>',
  });
  await minute();
  await call('settings', { description: 'Small weather, long walks and what is in season' });
  await minute();
  const posts = await page.request.get(`${site}/?rest_route=/wp/v2/posts&per_page=2`);
  const [, older] = (await posts.json()) as { id: number }[];
  await call(`posts/${older?.id}`, { title: 'How we read the water now' });
  await minute();
  await call('posts', {
    title: 'The tide tables are wrong again',
    status: 'publish',
    content: '<p>Every November the board at the quay is a day late. This is how we read the water instead.</p>',
  });
  await minute();
  await page.close();
}

async function takePictures(browser: Browser, baseURL: string, teamId: string): Promise<void> {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const context = await browser.newContext({ baseURL, reducedMotion: 'reduce', locale: 'en-US' });
  const page = await context.newPage();
  await page.goto('/sign-in');
  await page.getByLabel('Email').fill(ADA.email);
  await page.getByLabel('Password', { exact: true }).fill(ADA.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  const screens: Record<string, { path: string; ready?: (page: Page) => Promise<unknown> }> = {
    home: { path: '/' },
    sites: { path: '/sites' },
    site: { path: `/sites/${HERO}` },
    'time-machine': { path: `/sites/${HERO}/time`, ready: chooseMoment },
    plugins: { path: `/sites/${HERO}/plugins` },
    billing: { path: `/teams/${teamId}/billing` },
  };
  for (const [name, { path, ready }] of Object.entries(screens))
    for (const [width, size] of Object.entries(WIDTHS))
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize(size);
        await page.emulateMedia({ colorScheme });
        await page.goto(path);
        await page.getByText('Loading', { exact: true }).first().waitFor({ state: 'detached' });
        await ready?.(page);
        await page.waitForLoadState('networkidle').catch(() => {});
        await page.waitForTimeout(1_500);
        await keep(page, `${name}-${width}-${colorScheme}`);
      }
}

/** The one before the last, with the site then and now beside each other. */
async function chooseMoment(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /Fresh rye on Saturdays/ })
    .last()
    .click();
  await page.getByText('Then and now').waitFor();
  await page.waitForTimeout(6_000);
}

/** As WebP, which the browser writes itself. */
async function keep(page: Page, name: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  writeFileSync(join(FOLDER, `${name}.webp`), Buffer.from(data, 'base64'));
  await session.detach();
}
