import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { zipFiles } from '#testkit/archives/zip.ts';
import {
  type Area,
  askRest,
  hoverRow,
  openAdmin,
  publish,
  type SiteUnderTest,
  sees,
  visitAsStranger,
} from './site-under-test.ts';

/**
 * What leaves a site and comes back. WordPress' own importer is a plugin of its directory, which is out of reach here; one of our own
 * stands in for it. It goes the same way as all importers, by WordPress' own screen, upload and functions, and is as short as can be.
 */
export const MOVING: Area[] = [
  { name: 'what is written is exported, deleted and imported again', walk: exportAndImport },
  { name: 'the personal data of somebody is exported', walk: exportPersonalData },
];

const IMPORTER = `<?php
/* Plugin Name: Short importer */
add_action( 'admin_init', function () {
	if ( ! function_exists( 'register_importer' ) ) require_once ABSPATH . 'wp-admin/includes/import.php';
	register_importer( 'short', 'Short importer', 'Posts of an export file.', function () {
		if ( empty( $_GET['step'] ) ) return wp_import_upload_form( 'admin.php?import=short&step=1' );
		check_admin_referer( 'import-upload' );
		$file = wp_import_handle_upload();
		if ( isset( $file['error'] ) ) wp_die( esc_html( $file['error'] ) );
		$made = 0;
		foreach ( simplexml_load_file( $file['file'] )->channel->item as $item ) {
			$wp = $item->children( 'http://wordpress.org/export/1.2/' );
			$content = (string) $item->children( 'http://purl.org/rss/1.0/modules/content/' )->encoded;
			if ( 'post' !== (string) $wp->post_type || post_exists( (string) $item->title ) ) continue;
			$post = array( 'post_title' => (string) $item->title, 'post_content' => $content );
			$post += array( 'post_name' => (string) $wp->post_name, 'post_date' => (string) $wp->post_date );
			$made += wp_insert_post( wp_slash( $post + array( 'post_status' => (string) $wp->status ) ) ) ? 1 : 0;
		}
		wp_import_cleanup( $file['id'] );
		echo "<p>Imported: $made</p>";
	} );
} );
`;

async function exportAndImport(site: SiteUnderTest): Promise<void> {
  const { page } = site;
  const { id } = await publish(site, 'Packed & moved', {
    slug: 'packed',
    content: '<p>“Größe” ist <b>5 < 6</b> 🚚</p>',
  });
  const path = `/packed/`;
  const before = articleOf((await visitAsStranger(site, path)).text);
  await openAdmin(site, 'export.php');
  const file = await download(page, () => page.click('#submit'));
  assert.match(file.name, /\.WordPress\.\d{4}-\d\d-\d\d\.xml$/);
  const text = file.bytes.toString();
  assert.match(text, /<wp:wxr_version>1\.2<\/wp:wxr_version>/);
  assert.match(text, /<title><!\[CDATA\[Packed & moved\]\]><\/title>/);

  await askRest(site, `/wp/v2/posts/${id}?force=true`, { method: 'DELETE' });
  assert.equal((await visitAsStranger(site, path)).status, 404);
  await installPlugin(site, 'short-importer', IMPORTER);
  await openAdmin(site, 'import.php');
  await sees(page, 'Short importer');
  await openAdmin(site, 'admin.php?import=short');
  await page.setInputFiles('#upload', { name: file.name, mimeType: 'text/xml', buffer: file.bytes });
  await page.click('#submit');
  await sees(page, 'Imported: 1');
  assert.equal(articleOf((await visitAsStranger(site, path)).text), before);
  await removePlugin(site, 'short-importer');
}

const articleOf = (text: string) => /<p>“Größe”.*<\/p>/.exec(text)?.[0] ?? 'nothing';

async function exportPersonalData(site: SiteUnderTest): Promise<void> {
  const { page, administrator } = site;
  await openAdmin(site, 'export-personal-data.php');
  await page.fill('#username_or_email_for_privacy_request', administrator.email);
  await page.getByLabel('Send personal data export confirmation email.').uncheck();
  await page.getByRole('button', { name: 'Send Request' }).click();
  await sees(page, 'Request added successfully.');
  const row = await hoverRow(site, administrator.email);
  const file = await download(page, () => row.getByRole('button', { name: 'Download personal data' }).click());
  assert.match(file.name, /^wp-personal-data-file-.*\.zip$/);
  assert.ok(file.bytes.includes('index.html'), 'it holds a page to read');
}

async function download(page: Page, begin: () => Promise<void>): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent('download'), begin()]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

async function installPlugin(site: SiteUnderTest, name: string, text: string): Promise<void> {
  const { page } = site;
  await openAdmin(site, 'plugin-install.php?tab=upload');
  const buffer = zipFiles({ [`${name}/${name}.php`]: text });
  await page.setInputFiles('#pluginzip', { name: `${name}.zip`, mimeType: 'application/zip', buffer });
  await page.click('#install-plugin-submit');
  await page.getByRole('link', { name: 'Activate Plugin' }).click();
  await sees(page, 'Plugin activated.');
}

async function removePlugin(site: SiteUnderTest, name: string): Promise<void> {
  const path = `/wp/v2/plugins/${name}/${name}`;
  await askRest(site, path, { body: { status: 'inactive' } });
  await askRest(site, path, { method: 'DELETE' });
}
