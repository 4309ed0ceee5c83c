import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { createClient } from '#sdk';
import { startBench } from '../../bench/servers.ts';
import { toWebp } from './webp.ts';

const SIZE = { width: 1280, height: 960 };
const SHOWN = { width: 800, height: 600 };
const ADMIN = { ADMIN_EMAIL: 'operator@example.com', ADMIN_PASSWORD: 'operator-password' };

/** Makes a site of each archive and takes the picture that the gallery shows of it. SHOTS names a folder for pictures of every page. */
export async function takePictures(browser: Browser, folder: string, names: string[]): Promise<void> {
  const bench = await startBench();
  try {
    const { url } = await bench.startService({ ...ADMIN });
    const open = createClient({ baseUrl: url });
    const grant = await open.signIn({ body: { username: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD } });
    const api = createClient({ baseUrl: url, token: grant.access_token });
    const team = (await api.listTeams()).results[0]?.id as string;
    for (const name of names) {
      const fqdn = `${name}.localhost`;
      const file = await readFile(join(folder, `${name}.tar.gz`));
      await api.importSite({ query: { fqdn, team_id: team }, body: new Blob([file]), wait: 300 });
      await picture(browser, `http://${fqdn}:${new URL(url).port}/`, join(folder, `${name}.webp`));
      if (process.env.SHOTS)
        await showAll(browser, `http://${fqdn}:${new URL(url).port}`, join(process.env.SHOTS, name));
      await api.deleteSite({ params: { fqdn }, wait: 60 });
    }
  } finally {
    await bench.stopAll();
  }
}

async function picture(browser: Browser, url: string, file: string): Promise<void> {
  const page = await browser.newPage({ viewport: SIZE });
  await page.goto(url, { waitUntil: 'networkidle', timeout: 120_000 });
  const shot = (await page.screenshot()).toString('base64');
  const bytes = await toWebp(browser, `data:image/png;base64,${shot}`, { ...SHOWN, quality: 0.78 });
  await writeFile(file, bytes);
  console.log(`${file}: ${Math.round(bytes.length / 1000)} kB`);
  await page.close();
}

/** For whoever wants to look. */
async function showAll(browser: Browser, url: string, start: string): Promise<void> {
  for (const [width, height] of [
    [1280, 900],
    [390, 800],
  ] as const) {
    const page = await browser.newPage({ viewport: { width, height } });
    await page.goto(`${url}/`, { waitUntil: 'networkidle', timeout: 120_000 });
    const links = await page
      .locator('a[href]')
      .evaluateAll((all) => all.map((link) => (link as unknown as { href: string }).href));
    const pages = [...new Set(links.filter((link) => link.startsWith(url) && !link.includes('#')))].slice(
      0,
      width > 400 ? 8 : 2,
    );
    for (const [index, link] of [`${url}/`, ...pages.filter((each) => each !== `${url}/`)].entries()) {
      await page.goto(link, { waitUntil: 'networkidle', timeout: 120_000 });
      // Those further down would wait until somebody scrolls to them.
      await page.evaluate(
        "Promise.all([...document.images].map((image) => Object.assign(image, { loading: 'eager' }).decode()))",
      );
      await page.screenshot({ path: `${start}-${width}-${index}.png`, fullPage: true });
    }
    await page.close();
  }
}
