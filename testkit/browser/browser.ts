import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { workerEnds } from '../runner/hooks.ts';

/** The first is the same browser without what draws windows, of which nobody sees any. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
/** Each of them costs a process for every window, and the first two draw an address bar that nobody looks at. */
const UNUSED_FEATURES = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess'];
/** Those that Playwright turns off: Chromium hears only the last list, so ours has to repeat them. */
const PLAYWRIGHTS_UNUSED_FEATURES = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  `--disable-features=${[...PLAYWRIGHTS_UNUSED_FEATURES, ...UNUSED_FEATURES]}`,
];

let ofLane: Promise<Browser> | undefined;

/**
 * The browser of this lane, for one file of tests: starting one takes two seconds of the processor, and what people have of their own is their
 * context's. To close it closes the contexts that were opened through it.
 */
export async function openBrowser(): Promise<Browser> {
  if (!ofLane) workerEnds.push(async () => (await ofLane)?.close());
  if (!(await ofLane)?.isConnected()) ofLane = launchBrowser();
  const browser = (await ofLane) as Browser;
  const opened: BrowserContext[] = [];
  const own: Partial<Browser> = {
    async newContext(options) {
      const context = await browser.newContext(options);
      opened.push(context);
      return context;
    },
    async newPage(options) {
      const page = await browser.newPage(options);
      opened.push(page.context());
      return page;
    },
    async close() {
      for (const context of opened) await context.close();
    },
  };
  return own as Browser;
}

/** The machine's own Chromium, the one that scripts/setup.mjs made sure of. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium(), args: ARGS });
}

function findChromium(): string {
  if (process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH;
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin'];
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  if (!found) throw new Error('There is no Chromium; run npm run test:full, which installs it, or set CHROMIUM_PATH');
  return found;
}
