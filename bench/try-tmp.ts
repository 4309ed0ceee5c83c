import { createClient } from '#sdk';
import { launchBrowser } from '../test/browser.ts';
import { startBench } from './servers.ts';

const ADMIN = { ADMIN_EMAIL: 'operator@example.com', ADMIN_PASSWORD: 'operator-password' };
const bench = await startBench();
const browser = await launchBrowser();
try {
  const t0 = performance.now();
  const { url } = await bench.startService({
    ...ADMIN,
    SHIPPED_TEMPLATES: 'on',
    LOG_LEVEL: 'info',
    STANDBY_WORKERS: '1',
  });
  console.log('started', performance.now() - t0);
  const grant = await createClient({ baseUrl: url }).signIn({
    body: { username: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD },
  });
  const api = createClient({ baseUrl: url, token: grant.access_token });
  let ready = 0;
  while (ready < 3 && performance.now() - t0 < 240_000) {
    await new Promise((r) => setTimeout(r, 1000));
    const { results } = await api.listTemplates();
    const n = results.filter((t) => t.ready).length;
    if (n !== ready) console.log(n, 'ready after', Math.round(performance.now() - t0));
    ready = n;
  }
  const { results } = await api.listTemplates();
  console.log(results.map(({ name, ready, demo_url, approved }) => ({ name, ready, demo_url, approved })));
  for (const { name, demo_url } of results) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const bad: string[] = [];
    page.on('response', (r) => {
      if (r.status() >= 400) bad.push(`${r.status()} ${r.url()}`);
    });
    page.on('pageerror', (e) => bad.push(String(e)));
    page.on('console', (m) => {
      if (m.type() === 'error') bad.push(m.text());
    });
    await page.goto(String(demo_url), { waitUntil: 'load', timeout: 90_000 });
    await page.evaluate("for (const image of document.images) image.loading = 'eager'");
    await page.waitForTimeout(1500);
    await page.screenshot({ path: `/tmp/shots-t/demo-${name}.png`, fullPage: true });
    const links = await page
      .locator('a[href]')
      .evaluateAll((all) => all.map((l) => (l as unknown as { href: string }).href));
    let i = 0;
    for (const link of [...new Set(links)].filter((l) => l.startsWith(String(demo_url)) && !l.includes('#'))) {
      const r = await page.goto(link, { timeout: 90_000 });
      if (i++ < 5) {
        await page.evaluate("for (const image of document.images) image.loading = 'eager'");
        await page.waitForTimeout(800);
        await page.screenshot({ path: `/tmp/shots-t/demo-${name}-${i}.png`, fullPage: true });
      }
      if (r?.status() !== 200) bad.push(`${r?.status()} ${link}`);
    }
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(String(demo_url), { timeout: 90_000 });
    await page.evaluate("for (const image of document.images) image.loading = 'eager'");
    await page.waitForTimeout(800);
    await page.screenshot({ path: `/tmp/shots-t/demo-${name}-390.png`, fullPage: true });
    console.log(name, bad);
    await page.close();
  }
} finally {
  await browser.close();
  await bench.stopAll();
}
