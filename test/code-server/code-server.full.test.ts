import assert from 'node:assert/strict';
import { chown, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Site } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { newSite } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { openBrowser } from '#testkit/browser/browser.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually } from '#testkit/expect.ts';

/** The real VS Code: it is fetched from the registry and takes a minute, so it runs with `CODE_SERVER=1` alone. Pictures go to `SHOTS`. */
const skip = process.env.CODE_SERVER !== '1';
const SLOW = { timeout: 60_000 };

describe('VS Code of a site', { skip, timeout: 400_000 }, () => {
  let app: TestApp;
  let browser: Browser;
  let context: BrowserContext;
  let owner: Person;
  let site: Site;

  before(async () => {
    [app, browser] = await Promise.all([startTestApp({ runtime: 'php-wasm' }), openBrowser()]);
    owner = await registerPerson(app, 'Ada');
    site = await newSite(owner);
    await owner.api.updateSite({ params: { fqdn: site.fqdn }, body: { code_server_enabled: true } });
    await app.runtime.editors.prepare();
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  });
  after(async () => {
    await browser?.close();
    await app?.close();
  });

  async function open(): Promise<Page> {
    const page = await context.newPage();
    const { url } = await owner.api.createCodeServerLogin({ params: { fqdn: site.fqdn } });
    await page.goto(url);
    await page.locator('.monaco-workbench').waitFor(SLOW);
    return page;
  }
  async function picture(page: Page, name: string): Promise<void> {
    if (!process.env.SHOTS) return;
    await mkdir(process.env.SHOTS, { recursive: true });
    await page.screenshot({ path: join(process.env.SHOTS, `${name}.png`) });
  }
  /** By the palette, which opens files that are not in the tree's view. */
  async function openFile(page: Page, path: string): Promise<void> {
    await page.keyboard.press('ControlOrMeta+P');
    await page.locator('.quick-input-widget input').fill(path);
    await page.locator('.quick-input-list .monaco-list-row').first().waitFor(SLOW);
    await page.keyboard.press('Enter');
    await page.locator('.monaco-editor .view-lines').first().waitFor(SLOW);
  }
  const shown = async () => (await visit(app, site.fqdn, '/wp-content/plugins/note.php')).text;

  /** Of what the clock has kept by itself. */
  const lastPoint = async () => {
    const { rows } = await sql<{ at: Date }>`
      select max(created_at) as at from backups where site_id = ${site.id}`.execute(app.services.db);
    return rows[0]?.at.toISOString() ?? '';
  };

  it('saves what the site shows, and the time machine brings back what was', async () => {
    const disk = siteOnDisk(app, site.id);
    await disk.write('plugins/note.php', '<?php echo "before";\n');
    const plugins = join(app.runtime.contentFolder(site.id), 'plugins');
    const { uid, gid } = await stat(plugins);
    await chown(join(plugins, 'note.php'), uid, gid);
    assert.equal(await shown(), 'before');
    const point = await disk.keep();
    const page = await open();
    await openFile(page, 'note.php');
    await page.locator('.monaco-editor .view-lines').first().click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('<?php echo "after";');
    await page.keyboard.press('ControlOrMeta+S');
    await eventually(async () => (await shown()) === 'after');
    await picture(page, 'vscode-1440');
    await eventually(async () => (await lastPoint()) > point, 120_000);
    await owner.api.createPitRestore({ params: { fqdn: site.fqdn }, body: { restore_point: point }, wait: 60 });
    await eventually(async () => (await shown()) === 'before');
    assert.deepEqual(app.runtime.editors.running, []);
    await page.close();
  });

  it('says of a PHP file that it does not parse', async () => {
    const page = await open();
    await openFile(page, 'note.php');
    await page.locator('.monaco-editor .view-lines').first().click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('<?php echo echo;');
    await page.keyboard.press('ControlOrMeta+S');
    await page.getByText('This PHP file does not parse').first().waitFor(SLOW);
    await picture(page, 'parse-1440');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator('.monaco-workbench').waitFor();
    await picture(page, 'vscode-390');
    await page.close();
  });
});
