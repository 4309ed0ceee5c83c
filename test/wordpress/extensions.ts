import assert from 'node:assert/strict';
import { zipFiles } from '#testkit/archives/zip.ts';
import {
  type Area,
  agree,
  askRest,
  hoverRow,
  openAdmin,
  type SiteUnderTest,
  sees,
  visitAsStranger,
} from './site-under-test.ts';

/** Plugins and themes: put in, brought up to date and removed, by archives, since the directory of WordPress.org is out of reach. */
export const EXTENSIONS: Area[] = [
  { name: 'a plugin is installed, updated, switched off and deleted', walk: changePlugins },
  { name: 'a plugin that can not start is not switched on', walk: refuseBrokenPlugin },
  { name: 'a theme is installed, updated and deleted, and has a menu', walk: changeThemes },
];

const badge = (version: string) =>
  zipFiles({
    'badge/badge.php': `<?php
/* Plugin Name: Badge
 * Version: ${version} */
add_action( 'wp_footer', fn() => print( '<p>Badge ${version}</p>' ) );
`,
  });

async function uploadPlugin(site: SiteUnderTest, name: string, archive: Buffer): Promise<void> {
  const { page } = site;
  await openAdmin(site, 'plugin-install.php?tab=upload');
  await page.setInputFiles('#pluginzip', { name, mimeType: 'application/zip', buffer: archive });
  await page.click('#install-plugin-submit');
}

async function changePlugins(site: SiteUnderTest): Promise<void> {
  const { page } = site;
  const front = async () => (await visitAsStranger(site, '/')).text;
  assert.doesNotMatch(await front(), /Badge/);
  await uploadPlugin(site, 'badge.zip', badge('1.0'));
  await sees(page, 'Plugin installed successfully.');
  await page.getByRole('link', { name: 'Activate Plugin' }).click();
  await sees(page, 'Plugin activated.');
  assert.match(await front(), /Badge 1\.0/);

  await uploadPlugin(site, 'badge.zip', badge('2.0'));
  await sees(page, 'This plugin is already installed.');
  await page.getByRole('link', { name: 'Replace current with uploaded' }).click();
  await sees(page, 'Plugin updated successfully.');
  assert.match(await front(), /Badge 2\.0/, 'the new code runs at once');

  await openAdmin(site, 'plugins.php');
  await (await hoverRow(site, 'Badge')).getByRole('link', { name: 'Deactivate Badge' }).click();
  await sees(page, 'Plugin deactivated.');
  assert.doesNotMatch(await front(), /Badge/);
  await deletePlugin(site, 'Badge');
}

async function deletePlugin(site: SiteUnderTest, name: string): Promise<void> {
  const { page } = site;
  await openAdmin(site, 'plugins.php');
  agree(site);
  await (await hoverRow(site, name)).getByRole('link', { name: `Delete ${name}` }).click();
  await sees(page, 'was successfully deleted.');
  const plugins = await askRest<{ name: string }[]>(site, '/wp/v2/plugins');
  assert.ok(!plugins.some((plugin) => plugin.name === name), 'it is gone');
}

async function refuseBrokenPlugin(site: SiteUnderTest): Promise<void> {
  const { page } = site;
  const text = '<?php\n/* Plugin Name: Stillborn */\nthis_function_does_not_exist();\n';
  await uploadPlugin(site, 'stillborn.zip', zipFiles({ 'stillborn/stillborn.php': text }));
  await page.getByRole('link', { name: 'Activate Plugin' }).click();
  await sees(page, /Plugin could not be activated because it triggered a fatal error/);
  assert.equal((await visitAsStranger(site, '/')).status, 200);
  await deletePlugin(site, 'Stillborn');
}

/** The themes that come with WordPress are all made of blocks; this one is as themes were before, with menus. */
const plain = (version: string) =>
  zipFiles({
    'plainest/style.css': `/*\nTheme Name: Plainest\nVersion: ${version}\n*/\n`,
    'plainest/functions.php':
      "<?php add_action( 'after_setup_theme', fn() => register_nav_menus( array( 'top' => 'Top' ) ) );\n",
    'plainest/index.php': `<!doctype html><html><head><?php wp_head(); ?></head><body <?php body_class(); ?>>
<h1>Plainest ${version}</h1>
<?php
wp_nav_menu( array( 'theme_location' => 'top', 'fallback_cb' => false ) );
while ( have_posts() ) { the_post(); the_title(); }
wp_footer();
?>
</body></html>
`,
  });

async function uploadTheme(site: SiteUnderTest, archive: Buffer): Promise<void> {
  const { page } = site;
  await openAdmin(site, 'theme-install.php');
  await page.getByRole('button', { name: 'Upload Theme' }).click();
  await page.setInputFiles('#themezip', { name: 'plainest.zip', mimeType: 'application/zip', buffer: archive });
  await page.click('#install-theme-submit');
}

async function changeThemes(site: SiteUnderTest): Promise<void> {
  const { page } = site;
  const front = async () => (await visitAsStranger(site, '/')).text;
  const [before] = await askRest<{ stylesheet: string }[]>(site, '/wp/v2/themes?status=active');
  await uploadTheme(site, plain('1.0'));
  await sees(page, 'Theme installed successfully.');
  await page.getByRole('link', { name: /^Activate/ }).click();
  await sees(page, 'New theme activated.');
  assert.match(await front(), /Plainest 1\.0/);

  await uploadTheme(site, plain('2.0'));
  await sees(page, 'This theme is already installed.');
  await page.getByRole('link', { name: 'Replace installed with uploaded' }).click();
  await sees(page, 'Theme updated successfully.');
  assert.match(await front(), /Plainest 2\.0/);

  await makeMenu(site);
  assert.match(await front(), /<li[^>]*><a href="[^"]+\/sample-page\/">Sample Page<\/a>/);
  await deleteMenu(site);
  assert.doesNotMatch(await front(), /sample-page/);

  await openAdmin(site, `themes.php?theme=${before?.stylesheet}`);
  await page
    .locator('.theme-overlay')
    .getByRole('link', { name: /^Activate/ })
    .click();
  await sees(page, 'New theme activated.');
  await openAdmin(site, 'themes.php?theme=plainest');
  agree(site);
  await page
    .locator('.theme-overlay')
    .getByRole('link', { name: /^Delete/ })
    .click();
  await page.locator('.theme[data-slug="plainest"]').waitFor({ state: 'detached' });
  assert.doesNotMatch(await front(), /Plainest/);
  const themes = await askRest<{ stylesheet: string }[]>(site, '/wp/v2/themes');
  assert.ok(!themes.some(({ stylesheet }) => stylesheet === 'plainest'), 'it is gone');
}

async function makeMenu(site: SiteUnderTest): Promise<void> {
  const { page } = site;
  await openAdmin(site, 'nav-menus.php?action=edit&menu=0');
  await page.fill('#menu-name', 'Above all');
  await page.locator('#locations-top').check();
  await page.locator('#save_menu_footer').click();
  await page.getByRole('link', { name: 'Delete Menu' }).waitFor();
  await page.locator('#pagechecklist-most-recent').getByLabel('Sample Page').check();
  await page.locator('#submit-posttype-page').click();
  await page.locator('#menu-to-edit .menu-item-title', { hasText: 'Sample Page' }).waitFor();
  await page.locator('#save_menu_footer').click();
  await sees(page, 'has been updated.');
}

async function deleteMenu(site: SiteUnderTest): Promise<void> {
  await openAdmin(site, 'nav-menus.php');
  agree(site);
  await site.page.getByRole('link', { name: 'Delete Menu' }).click();
  await sees(site.page, 'successfully deleted.');
}
