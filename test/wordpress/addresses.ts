import assert from 'node:assert/strict';
import {
  type Area,
  askRest,
  openAdmin,
  publish,
  type SiteUnderTest,
  sees,
  visitAsStranger,
} from './site-under-test.ts';

export const ADDRESSES: Area[] = [{ name: 'permalinks change, and old addresses lead on', walk: changePermalinks }];

async function changePermalinks(site: SiteUnderTest): Promise<void> {
  const { id } = await publish(site, 'Where it stands', { slug: 'where-it-stands' });
  await choose(site, '/%year%/%postname%/');
  const address = new URL((await askRest(site, `/wp/v2/posts/${id}`)).link).pathname;
  assert.match(address, /^\/\d{4}\/where-it-stands\/$/);
  assert.equal((await visitAsStranger(site, address)).status, 200);
  assert.equal((await visitAsStranger(site, '/where-it-stands/')).url, address, 'the old address leads to the new one');
  await choose(site, '');
  const plain = await visitAsStranger(site, '/?name=where-it-stands');
  assert.deepEqual([plain.status, /Where it stands/.test(plain.text)], [200, true]);
  await choose(site, '/%postname%/');
  assert.equal((await visitAsStranger(site, '/where-it-stands/')).status, 200);
  assert.equal((await visitAsStranger(site, '/category/uncategorized/')).status, 200);
  assert.equal((await visitAsStranger(site, '/feed/')).status, 200);
}

async function choose(site: SiteUnderTest, structure: string): Promise<void> {
  const { page } = site;
  await openAdmin(site, 'options-permalink.php');
  if (structure) await page.fill('#permalink_structure', structure);
  else await page.getByLabel('Plain').check();
  await page.click('#submit');
  await sees(page, 'Permalink structure updated.');
}
