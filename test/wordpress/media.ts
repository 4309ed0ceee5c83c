import assert from 'node:assert/strict';
import { makePng } from '#testkit/browser/png.ts';
import {
  type Area,
  agree,
  askRest,
  openAdmin,
  type SiteUnderTest,
  saved,
  sees,
  visitAsStranger,
} from './site-under-test.ts';

export const MEDIA: Area[] = [{ name: 'a picture is uploaded, described, turned and deleted', walk: handlePicture }];

interface Attachment {
  id: number;
  alt_text: string;
  source_url: string;
  media_details: { width: number; height: number; sizes: Record<string, { source_url: string }> };
}

async function handlePicture(site: SiteUnderTest): Promise<void> {
  const { page } = site;
  await openAdmin(site, 'upload.php?mode=grid');
  const pick = page.locator('.moxie-shim input[type="file"]').first();
  await pick.waitFor({ state: 'attached' });
  await pick.setInputFiles({ name: 'page.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') });
  await sees(page, 'page.svg');
  await page.getByRole('button', { name: 'Dismiss errors' }).click();
  await pick.setInputFiles({ name: 'meadow.png', mimeType: 'image/png', buffer: makePng(640, 480) });
  await page.locator('li.attachment:not(.uploading)').first().waitFor();
  const picture = await newest(site);
  assert.deepEqual([picture.media_details.width, picture.media_details.height], [640, 480]);
  const thumbnail = picture.media_details.sizes.thumbnail?.source_url ?? '';
  for (const address of [picture.source_url, thumbnail]) assert.equal(await statusOf(site, address), 200, address);

  await openPicture(site, picture);
  await page.locator('#attachment-details-two-column-alt-text').fill('A green meadow');
  await saved(site, () => page.locator('#attachment-details-two-column-title').focus());
  assert.equal((await newest(site)).alt_text, 'A green meadow');

  await page.getByRole('button', { name: 'Edit Image' }).click();
  await page.getByRole('button', { name: 'Image Rotation' }).click();
  await page.getByRole('button', { name: 'Rotate 90° right' }).click();
  await page.locator('.imgedit-submit-btn:not([disabled])').first().click();
  await page.getByRole('button', { name: 'Edit Image' }).waitFor();
  const turned = await newest(site);
  assert.deepEqual([turned.media_details.width, turned.media_details.height], [480, 640]);

  await openPicture(site, picture);
  agree(site);
  await page.getByRole('button', { name: 'Delete permanently' }).click();
  await page.locator(`li.attachment[data-id="${picture.id}"]`).waitFor({ state: 'detached' });
  assert.equal(await statusOf(site, picture.source_url), 404);
}

async function openPicture(site: SiteUnderTest, { id }: Attachment): Promise<void> {
  await openAdmin(site, 'upload.php?mode=grid');
  await site.page.locator(`li.attachment[data-id="${id}"]`).click();
}

const newest = async (site: SiteUnderTest) =>
  (await askRest<Attachment[]>(site, '/wp/v2/media?per_page=1&context=edit'))[0] as Attachment;

const statusOf = async (site: SiteUnderTest, address: string) =>
  (await visitAsStranger(site, address.slice(site.home.length))).status;
