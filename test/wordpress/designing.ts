import assert from 'node:assert/strict';
import { type Area, askRest, openAdmin, type SiteUnderTest, visitAsStranger } from './site-under-test.ts';

export const DESIGNING: Area[] = [
  { name: 'a template is changed in the site editor, and put back', walk: changeTemplate },
];

async function changeTemplate(site: SiteUnderTest): Promise<void> {
  const { page } = site;
  const front = async () => (await visitAsStranger(site, '/')).text;
  assert.match(await front(), />Blog<\/h1>/);
  const [theme] = await askRest<{ stylesheet: string }[]>(site, '/wp/v2/themes?status=active');
  const template = `${theme?.stylesheet}//home`;
  await openAdmin(site, `site-editor.php?p=${encodeURIComponent(`/wp_template/${template}`)}&canvas=edit`);
  const heading = page.frameLocator('iframe[name="editor-canvas"]').locator('h1', { hasText: 'Blog' });
  await heading.click();
  await heading.fill('Journal');
  await page.getByRole('region', { name: 'Editor top bar' }).getByRole('button', { name: 'Save', exact: true }).click();
  await page
    .getByText(/(Site|Template) updated\./)
    .first()
    .waitFor();
  assert.match(await front(), />Journal<\/h1>/);

  await askRest(site, `/wp/v2/templates/${template}?force=true`, { method: 'DELETE' });
  assert.match(await front(), />Blog<\/h1>/);
}
