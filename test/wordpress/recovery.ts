import assert from 'node:assert/strict';
import { zipFiles } from '#testkit/archives/zip.ts';
import {
  type Area,
  hoverRow,
  openAdmin,
  type SiteUnderTest,
  sees,
  signIn,
  visitAsStranger,
} from './site-under-test.ts';

export const RECOVERY: Area[] = [
  { name: 'a plugin breaks the site, and its owner gets in by the mailed link and removes it', walk: recover },
];

const HEADER = '<?php\n/* Plugin Name: Landmine */\n';

async function recover(site: SiteUnderTest): Promise<void> {
  const { home, page, administrator } = site;
  await openAdmin(site, 'plugin-install.php?tab=upload');
  const archive = zipFiles({ 'landmine/landmine.php': HEADER });
  await page.setInputFiles('#pluginzip', { name: 'landmine.zip', mimeType: 'application/zip', buffer: archive });
  await page.click('#install-plugin-submit');
  await page.getByRole('link', { name: 'Activate Plugin' }).click();
  await sees(page, 'Plugin activated.');
  // WordPress tries a plugin before it switches it on, so one that is on must be broken from outside.
  await site.writeContent('plugins/landmine/landmine.php', `${HEADER}this_function_does_not_exist();\n`);

  const broken = await visitAsStranger(site, '/wp-login.php');
  assert.equal(broken.status, 500);
  assert.match(broken.text, /There has been a critical error on this website/);
  const mail = await site.mailTo(administrator.email, 'enter_recovery_mode');
  const link = /http\S+action=enter_recovery_mode\S+/.exec(mail)?.[0] ?? '';
  await page.context().clearCookies();
  await page.goto(link);
  await sees(page, 'Recovery Mode Initialized');
  await signInHere(site);
  await sees(page, /You are in recovery mode/);

  await page.goto(`${home}/wp-admin/plugins.php`);
  await sees(page, 'failed to load properly and is paused');
  await (await hoverRow(site, 'Landmine')).getByRole('link', { name: 'Deactivate Landmine' }).click();
  await sees(page, 'Plugin deactivated.');
  await page.getByRole('link', { name: 'Exit Recovery Mode' }).click();
  assert.equal((await visitAsStranger(site, '/')).status, 200);
  await signIn(site);
}

/** The form of recovery mode stands where the link led to. */
async function signInHere({ home, page, administrator }: SiteUnderTest): Promise<void> {
  await page.fill('#user_login', administrator.name);
  await page.fill('#user_pass', administrator.password);
  await page.click('#wp-submit');
  await page.waitForURL(`${home}/wp-admin/`);
}
