import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Software } from '#sdk';
import { registerPerson } from '#testkit/app/people.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { putFile } from '#testkit/contracts/contract-site.ts';
import { WORDPRESS_CACHE } from '#testkit/drivers/wordpress-cache.ts';
import { refused } from '#testkit/expect.ts';
import { pluginPhp, startDirectory } from '#testkit/servers/wordpress-directory.ts';

const OLDER = '7.0.9';
/** The long form: what takes a process of wp-cli more for each step. */
const isAll = process.env.SOFTWARE === 'all';

let app: TestApp;
let cache: string;
let newest: string;
before(async () => {
  // Beside the shared cache, so that its files can be linked and not copied.
  cache = await mkdtemp(`${WORDPRESS_CACHE}-versions-`);
  execFileSync('cp', ['-al', `${WORDPRESS_CACHE}/.`, cache]);
  newest = execFileSync('ls', [join(cache, 'wordpress')], { encoding: 'utf8' }).trim();
  const older = join(cache, 'wordpress', OLDER);
  execFileSync('cp', ['-al', join(cache, 'wordpress', newest), older]);
  const versionFile = join(older, 'wp-includes/version.php');
  const text = await readFile(versionFile, 'utf8');
  // The file is one with the shared cache's until it is replaced.
  await rm(versionFile);
  await writeFile(versionFile, text.replace(`$wp_version = '${newest}'`, `$wp_version = '${OLDER}'`));
  app = await startTestApp({ runtime: 'php', env: { CACHE_DIR: cache, OUTBOUND_ALLOW: '127.0.0.0/8' } });
});
after(async () => {
  await app?.close();
  await rm(cache, { recursive: true, force: true });
});

test('one site moves to another version of WordPress and back, its neighbour stays, and an error of WordPress is plain text', async () => {
  const ada = await registerPerson(app, 'Ada');
  await putOnPlan(app, ada.teamId, 'micro');
  const [site, neighbour] = [await newSite(ada), await newSite(ada)];
  const move = (core_version: string) =>
    ada.api.updateSite({ params: { fqdn: site.fqdn }, body: { core_version }, wait: 60 });
  const running = async (fqdn: string) => {
    const { text } = await visit(app, fqdn, '/');
    return /<meta name="generator" content="WordPress ([\d.]+)"/.exec(text)?.[1];
  };
  assert.equal(await running(site.fqdn), newest);
  assert.equal((await move(OLDER)).properties.core_version, OLDER);
  assert.equal(await running(site.fqdn), OLDER);
  assert.equal(await running(neighbour.fqdn), newest);
  assert.equal((await move(newest)).properties.core_version, newest);
  assert.equal(await running(site.fqdn), newest);
  await assert.rejects(move('1.2.3'), refused(422));

  const error = "Something is wrong with this server&#8217;s configuration. Try the <a href='#'>forums</a>.";
  const refusal = `<?php add_filter('plugins_api', fn () => new WP_Error('http', ${JSON.stringify(error)}));`;
  await putFile(app.runtime, site, 'mu-plugins/refusal.php', refusal);
  const body = { kind: 'plugin', name: 'forms', activate: false } as const;
  await assert.rejects(ada.api.installExtension({ params: { fqdn: site.fqdn }, body, wait: 60 }), (refusal: Error) =>
    refusal.message.includes('this server’s configuration. Try the forums.'),
  );
});

test('WordPress updates a plugin from its directory, and one that breaks it is rolled back with what PHP said', {
  skip: !isAll && 'SOFTWARE=all runs it',
}, async () => {
  const releases = {
    shop: { '2.0': pluginPhp('Shop', '2.0'), '3.0': pluginPhp('Shop', '3.0', 'shop_is_gone();') },
    forms: { '1.4': pluginPhp('Forms', '1.4') },
  };
  const offers: Record<string, Record<string, string>> = { shop: { '2.0': releases.shop['2.0'] } };
  const directory = await startDirectory(isAll ? offers : releases);
  const ada = await registerPerson(app, 'Bea');
  const site = await newSite(ada);
  const at = { params: { fqdn: site.fqdn } };
  const shop = ({ extensions }: Software) => extensions.find(({ name }) => name === 'shop');
  try {
    await putFile(app.runtime, site, 'mu-plugins/directory.php', directory.mustUse);
    await putFile(app.runtime, site, 'plugins/shop/shop.php', pluginPhp('Shop', '1.0', "echo 'noise on every page';"));
    await siteOnDisk(app, site.id).setOption('active_plugins', 'a:1:{i:0;s:13:"shop/shop.php";}');
    const before = await ada.api.checkSoftware(at);
    const newestShop = isAll ? '2.0' : '3.0';
    assert.deepEqual([shop(before)?.version, shop(before)?.state, shop(before)?.update], ['1.0', 'active', newestShop]);
    assert.equal(before.problem, null);
    assert.ok(before.extensions.some(({ kind, state }) => kind === 'theme' && state === 'active'));
    if (isAll) {
      const updated = await ada.api.updateSoftware({ ...at, body: { plugins: ['shop'] }, wait: 120 });
      assert.deepEqual([shop(updated)?.version, shop(updated)?.state, shop(updated)?.update], ['2.0', 'active', null]);
      Object.assign(offers, releases);
      assert.equal(shop(await ada.api.checkSoftware(at))?.update, '3.0');
    }
    await assert.rejects(
      ada.api.updateSoftware({ ...at, body: {}, wait: 120 }),
      (error: Error) =>
        refused(502, 'software.failed')(error) && /PHP said: .*undefined function shop_is_gone/.test(error.message),
    );
    const now = await ada.api.getSoftware(at);
    assert.deepEqual([shop(now)?.version, now.change?.state], [isAll ? '2.0' : '1.0', 'taken_back']);
    assert.equal((await visit(app, site.fqdn, '/')).status, 200);
    if (!isAll) return;
    const body = { kind: 'plugin', name: 'forms', activate: true } as const;
    const installed = await ada.api.installExtension({ ...at, body, wait: 120 });
    assert.equal(installed.extensions.find(({ name }) => name === 'forms')?.state, 'active');
    const params = { fqdn: site.fqdn, kind: 'plugin', name: 'forms' } as const;
    assert.ok(!(await ada.api.deleteExtension({ params, wait: 120 })).extensions.some(({ name }) => name === 'forms'));
    const theme = { fqdn: site.fqdn, kind: 'theme', name: 'twentytwentyfour' } as const;
    const other = now.extensions.find(({ kind, state }) => kind === 'theme' && state === 'inactive');
    if (other) {
      const on = await ada.api.switchExtension({
        params: { ...theme, name: other.name },
        body: { active: true },
        wait: 120,
      });
      assert.equal(on.extensions.find(({ name }) => name === other.name)?.state, 'active');
    }
    await assert.rejects(
      ada.api.installExtension({ ...at, body: { kind: 'plugin', name: 'nowhere' }, wait: 120 }),
      (error: Error) => refused(502, 'software.failed')(error) && /Plugin not found/.test(error.message),
    );
  } finally {
    await directory.close();
  }
});
