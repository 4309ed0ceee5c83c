import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTestDatabase, readTestConfig, startTestApp } from '#testkit/app/test-app.ts';
import { memoryDriver } from '#testkit/drivers/memory/memory-driver.ts';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import type { Env } from '../config/read-variables.ts';
import { startPlatform } from '../platform.ts';

const start = (env: Env) =>
  startPlatform(readTestConfig({ PORT: '0', RUNTIME: 'memory', LOG_LEVEL: 'silent', ...env }), {
    drivers: memoryDriver,
  });

test('a start beside the key or the sites of a platform whose database is lost is refused and changes nothing', async (t) => {
  const dataDir = join(scratchFolder(t), 'data');
  await mkdir(join(dataDir, 'sites/0193c1a2'), { recursive: true });
  const refused = async (left: RegExp) => {
    const before = await readdir(dataDir, { recursive: true });
    await assert.rejects(start({ DATA_DIR: dataDir }), (error: Error) => {
      assert.match(error.message, left);
      assert.match(error.message, /database is missing.*restore-platform/);
      return true;
    });
    assert.deepEqual(await readdir(dataDir, { recursive: true }), before);
  };
  await refused(/holds 1 site,/);
  await writeFile(join(dataDir, 'secret.key'), 'a key');
  await refused(/holds the key of a platform \(secret.key\) and 1 site,/);
});

test('a start on the database of a platform whose key is lost is refused and writes no other key', async (t) => {
  const { url, drop } = await createTestDatabase();
  t.after(drop);
  await (await startTestApp({ databaseUrl: url })).close();
  const dataDir = join(scratchFolder(t), 'data');
  await assert.rejects(start({ DATA_DIR: dataDir, DATABASE_URL: url }), /its key is missing .*Put the file back/);
  assert.deepEqual(await readdir(dataDir), []);
});
