import assert from 'node:assert/strict';
import {
  type Area,
  agree,
  hoverRow,
  openAdmin,
  publish,
  type SiteUnderTest,
  sees,
  visitAsStranger,
} from './site-under-test.ts';

/** The administrator's own profile, and the keys they give to programs. */
export const PEOPLE: Area[] = [
  { name: 'a profile is changed, and its new name stands on the posts', walk: changeProfile },
  { name: 'an application password is made, works, and is taken back', walk: giveAndTakePassword },
];

async function changeProfile(site: SiteUnderTest): Promise<void> {
  const { page } = site;
  await publish(site, 'By whom', { slug: 'by-whom' });
  const rename = async (name: string) => {
    await openAdmin(site, 'profile.php');
    await page.fill('#nickname', name);
    // The list of names to show takes up what is typed, once the field is left.
    await page.locator('#nickname').blur();
    await page.selectOption('#display_name', name);
    await page.click('#submit');
    await sees(page, 'Profile updated.');
    assert.match((await visitAsStranger(site, '/by-whom/')).text, new RegExp(`>${name}</a>`));
  };
  await rename('Countess of Lovelace');
  await rename('Ada again');
}

async function giveAndTakePassword(site: SiteUnderTest): Promise<void> {
  const { page } = site;
  await openAdmin(site, 'profile.php');
  await page.getByRole('textbox', { name: 'New Application Password Name' }).fill('A program');
  await page.getByRole('button', { name: 'Add Application Password' }).click();
  await sees(page, 'Be sure to save this in a safe location.');
  const password = await page.locator('#new-application-password-value').inputValue();
  assert.equal(await askAsProgram(site, password), 200);

  await openAdmin(site, 'profile.php');
  agree(site);
  await (await hoverRow(site, 'A program')).getByRole('button', { name: /Revoke "A program"/ }).click();
  await sees(page, 'Application password revoked.');
  assert.equal(await askAsProgram(site, password), 401);
}

/** A program has no cookies and no nonce, only its password. */
async function askAsProgram(site: SiteUnderTest, password: string): Promise<number> {
  await visitAsStranger(site, '/');
  return site.stranger.evaluate(
    async (authorization) => {
      const path = '/wp-json/wp/v2/users/me?context=edit';
      return (await fetch(path, { credentials: 'omit', headers: { authorization } })).status;
    },
    `Basic ${Buffer.from(`${site.administrator.name}:${password}`).toString('base64')}`,
  );
}
