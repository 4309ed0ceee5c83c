import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { testStore } from '#testkit/contracts/store.contract.ts';
import { DiskStore } from './disk.ts';
import { SealedStore } from './sealed.ts';

const folder = mkdtempSync(join(tmpdir(), 'sealed-store-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const key = randomBytes(32).toString('base64');
const makeFolder = () => mkdtempSync(join(folder, 'store-'));

testStore('that is sealed', async () => new SealedStore(new DiskStore(makeFolder()), { key, isOn: true }));

test('nothing of what is sealed can be read without the key, or under another name, or when a bit was turned', async () => {
  const root = makeFolder();
  const store = new SealedStore(new DiskStore(root), { key, isOn: true });
  await store.put('packs/secret', [Buffer.from('a secret '.repeat(20_000))]);
  const [name = ''] = readdirSync(join(root, 'packs'));
  const path = join(root, 'packs', name);
  const stored = readFileSync(path);
  assert.equal(stored.indexOf('secret'), -1);
  const other = new SealedStore(new DiskStore(root), { key: randomBytes(32).toString('base64'), isOn: true });
  await assert.rejects(other.get('packs/secret'), { code: 'corrupt_object' });
  writeFileSync(join(root, 'packs', 'other.sealed'), stored);
  await assert.rejects(store.get('packs/other'), { code: 'corrupt_object' });
  // Cut off, or changed anywhere.
  for (const length of [0, 10, 65_552, stored.length - 1]) {
    writeFileSync(path, stored.subarray(0, length));
    await assert.rejects(store.get('packs/secret'), { code: 'corrupt_object' }, `${length}`);
  }
  for (const at of [0, 65_540, 65_560, stored.length - 1]) {
    const changed = Buffer.from(stored);
    changed[at] = (changed[at] as number) ^ 1;
    writeFileSync(path, changed);
    await assert.rejects(store.get('packs/secret'), { code: 'corrupt_object' }, `${at}`);
  }
});

test('what was kept before anything was sealed is read as before, and what is sealed also when that is turned off', async () => {
  const below = new DiskStore(makeFolder());
  const [on, off] = [true, false].map((isOn) => new SealedStore(below, { key, isOn })) as [SealedStore, SealedStore];
  await below.put('packs/plain', [Buffer.from('plain')]);
  await on.put('packs/sealed', [Buffer.from('sealed')]);
  for (const store of [on, off]) {
    assert.equal(`${await store.get('packs/plain')}`, 'plain');
    assert.equal(`${await store.get('packs/sealed', { start: 1, length: 3 })}`, 'eal');
    assert.deepEqual(await store.names('packs'), ['plain', 'sealed']);
  }
  await off.delete('packs/sealed');
  await on.delete('packs/plain');
  assert.deepEqual(await on.list(''), []);
});
