import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { removeFolder } from '#core/remove-folder.ts';
import { diskUsageBytes, makeSiteFolder } from './site-folder.ts';

test('what lies deeper than a path can say is counted, and removed with the site', async () => {
  const site = join(mkdtempSync(join(tmpdir(), 'deep-')), 'site');
  await makeSiteFolder(site);
  const before = await diskUsageBytes(site);
  const down = `for i in $(seq 20); do mkdir ${'d'.repeat(250)}; cd ${'d'.repeat(250)}; done; head -c 5000000 /dev/urandom > hidden`;
  execFileSync('bash', ['-c', down], { cwd: join(site, 'content') });
  assert.ok((await diskUsageBytes(site)) - before >= 5_000_000);
  await removeFolder(site);
  assert.equal(existsSync(site), false);
});

test('files without a byte take up something', async () => {
  const site = join(mkdtempSync(join(tmpdir(), 'empty-')), 'site');
  await makeSiteFolder(site);
  const before = await diskUsageBytes(site);
  execFileSync('bash', ['-c', 'touch $(seq 1000)'], { cwd: join(site, 'content') });
  assert.ok((await diskUsageBytes(site)) - before >= 4_000_000);
  await removeFolder(site);
});
