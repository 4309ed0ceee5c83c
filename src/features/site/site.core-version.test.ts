import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { refused } from '../../../test/expect.ts';
import { registerPerson } from '../../../test/people.ts';
import { newSite, putOnPlan } from '../../../test/sites.ts';
import { visit } from '../../../test/visit.ts';
import { WORDPRESS_CACHE } from '../../../test/wordpress-cache.ts';

const OLDER = '7.0.9';

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
  app = await startTestApp({ runtime: 'php-wasm', env: { CACHE_DIR: cache } });
});
after(async () => {
  await app?.close();
  await rm(cache, { recursive: true, force: true });
});

test('one site moves to another version of WordPress and back, and its neighbour stays', async () => {
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
});
