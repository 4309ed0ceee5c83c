import type { Browser } from '#core/browser.ts';
import { Chromium, type ChromiumOptions, findChromium } from './chromium.ts';

/** The browser that takes pictures of sites: the operator's choice, or the machine's own; undefined where there is none or none is wanted. */
export function createBrowser(wish: string | undefined, options: ChromiumOptions): Browser | undefined {
  const file = wish === 'off' ? undefined : (wish ?? findChromium());
  return file === undefined ? undefined : new Chromium(file, options);
}
