import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { registerPerson } from '#testkit/app/people.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { CMS, newSite } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { openBrowser } from '#testkit/browser/browser.ts';
import { ADDRESSES } from './addresses.ts';
import { DESIGNING } from './designing.ts';
import { EXTENSIONS } from './extensions.ts';
import { HEALTH } from './health.ts';
import { MEDIA } from './media.ts';
import { MOVING } from './moving.ts';
import { PEOPLE } from './people.ts';
import { RECOVERY } from './recovery.ts';
import { type Area, closeGuides, type SiteUnderTest, signIn } from './site-under-test.ts';
import { TALKING } from './talking.ts';
import { WRITING } from './writing.ts';

/**
 * WordPress as people use it, in a real browser, on whatever driver the service runs: docs/decisions/0017.
 * WORDPRESS=all for the long form, WORDPRESS=theme for what has that in its name.
 */
const WANTED = process.env.WORDPRESS ?? '';
const AREAS = [
  ...HEALTH,
  ...WRITING,
  ...TALKING,
  ...MEDIA,
  ...PEOPLE,
  ...EXTENSIONS,
  ...ADDRESSES,
  ...MOVING,
  ...DESIGNING,
  ...RECOVERY,
];
/** Generous: it costs nothing when a test passes. */
const PATIENCE_MS = 120_000;

let app: TestApp;
let browser: Browser;
let site: SiteUnderTest;
before(async () => {
  app = await startTestApp({ runtime: 'php-wasm' });
  browser = await openBrowser();
  const { id, fqdn } = await newSite(await registerPerson(app));
  site = {
    home: `http://${fqdn}:${new URL(app.url).port}`,
    administrator: { name: CMS.cms_username, password: CMS.cms_password, email: CMS.cms_email },
    page: await openPage(),
    stranger: await openPage(),
    writeContent: siteOnDisk(app, id).write,
    mailTo: app.mailTo,
  };
  // What is routed is not taken from the browser's own cache, so the stranger always sees what the site says.
  await site.stranger.route('**', (route) => route.continue());
  await closeGuides(site);
  await signIn(site);
});
after(async () => {
  await browser?.close();
  await app?.close();
});

async function openPage() {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
  page.setDefaultTimeout(PATIENCE_MS);
  return page;
}

const isWanted = ({ name, isShort }: Area) => (WANTED ? WANTED === 'all' || name.includes(WANTED) : isShort);

for (const { name, walk } of AREAS.filter(isWanted)) test(name, () => walk(site));
