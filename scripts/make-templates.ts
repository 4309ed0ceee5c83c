import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { tar } from '#testkit/archives/pack.ts';
import { launchBrowser } from '#testkit/browser/browser.ts';
import { prepareWordPress, WORDPRESS_CACHE } from '#testkit/drivers/wordpress-cache.ts';
import { blog } from './templates/blog.ts';
import { business } from './templates/business.ts';
import { dumpOf } from './templates/database.ts';
import { takePictures } from './templates/pictures.ts';
import { portfolio } from './templates/portfolio.ts';
import type { DrawnPicture, SiteDraft } from './templates/site.ts';
import { toWebp } from './templates/webp.ts';

/**
 * Makes the templates that the platform ships: draws their pictures, writes their pages as the editor would, and packs each as
 * a site archive, as anybody could. Then it makes a site of each and takes the picture for the gallery.
 *
 *   node scripts/make-templates.ts
 */
const SHIPPED = join(import.meta.dirname, '../src/features/template/shipped');
const QUALITY = 0.8;

await prepareWordPress();
const browser = await launchBrowser();
try {
  for (const draft of [blog, portfolio, business]) {
    const archive = await pack(browser, draft);
    await mkdir(SHIPPED, { recursive: true });
    await writeFile(join(SHIPPED, `${draft.name}.tar.gz`), archive);
    console.log(`${draft.name}.tar.gz: ${Math.round(archive.length / 1000)} kB`);
  }
  await takePictures(
    browser,
    SHIPPED,
    [blog, portfolio, business].map(({ name }) => name),
  );
} finally {
  await browser.close();
}

async function pack(browser: Browser, draft: SiteDraft): Promise<Buffer> {
  const pictures = [];
  for (const picture of draft.pictures)
    pictures.push({ name: `content/uploads/2026/03/${picture.slug}.webp`, data: await draw(browser, picture) });
  const readme = `# ${draft.title}\n\n${draft.readme}\n\nText and pictures were made for this template and are in the public domain (CC0-1.0).\n`;
  const entries = [
    { name: 'README.md', data: readme },
    ...pictures,
    { name: 'content/index.php', data: '<?php // Silence is golden.\n' },
    { name: 'database.sql', data: dumpOf(draft, join(WORDPRESS_CACHE, 'images')) },
  ];
  return gzipSync(tar(entries), { level: 9 });
}

function draw(browser: Browser, { svg, width, height }: DrawnPicture): Promise<Buffer> {
  const source = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  return toWebp(browser, source, { width, height, quality: QUALITY });
}
