import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { testStore } from '#testkit/contracts/store.contract.ts';
import { DiskStore } from './disk.ts';

const folder = mkdtempSync(join(tmpdir(), 'disk-store-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const makeFolder = () => mkdtempSync(join(folder, 'store-'));

testStore('on disk', async () => new DiskStore(makeFolder()));

test('what a dead process left behind is no object and goes after a day', async () => {
  const root = makeFolder();
  const store = new DiskStore(root);
  await store.put('packs/one', [Buffer.from('1')]);
  writeFileSync(join(root, 'packs/.new-old'), 'torn');
  writeFileSync(join(root, 'packs/.new-young'), 'being written');
  utimesSync(join(root, 'packs/.new-old'), 1, 1);
  assert.deepEqual(await store.names('packs'), ['one']);
  assert.equal((await store.list('packs')).length, 1);
  await store.removeAbandoned();
  assert.deepEqual(readdirSync(join(root, 'packs')).sort(), ['.new-young', 'one']);
});
