import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Random } from '#testkit/random.ts';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import { Archiver } from './archive/archiver.ts';
import type { ObjectReader } from './content.ts';
import { type FilePage, findFile, listPage, openContent } from './read.ts';
import { Repository } from './repository.ts';
import { DiskStore } from './stores/disk.ts';

test('files of a snapshot are listed, found and read in parts, and nothing else is read', async (t) => {
  const folder = scratchFolder(t);
  const site = join(folder, 'site');
  const big = new Random(1).bytes(2_500_000);
  mkdirSync(join(site, 'uploads/2026'), { recursive: true });
  mkdirSync(join(site, 'uploads/2025'));
  mkdirSync(join(site, 'plugins'));
  for (const name of ['index.php', 'uploads/2026/a', 'uploads/2026/b', 'uploads/2025/c', 'plugins/one.php']) {
    writeFileSync(join(site, name), name);
  }
  writeFileSync(join(site, 'uploads/big'), big);
  symlinkSync('big', join(site, 'uploads/link'));
  const repository = new Repository(new DiskStore(join(folder, 'store'))).site('ada', 'site');
  const { snapshot } = await new Archiver({ repository, folder: site }).snapshot();
  let reads = 0;
  const reader: ObjectReader = {
    read: (hash) => {
      reads++;
      return repository.read(hash);
    },
  };
  const pathsBelow = async (prefix = '') => {
    reads = 0;
    const { files } = await listPage(reader, snapshot, { prefix, limit: 100 });
    return files.map(({ path }) => path);
  };
  const all = ['index.php', 'plugins/one.php', 'uploads/2025/c', 'uploads/2026/a', 'uploads/2026/b', 'uploads/big'];
  assert.deepEqual(await pathsBelow(), all);
  assert.deepEqual(await pathsBelow('uploads/2026/'), ['uploads/2026/a', 'uploads/2026/b']);
  assert.equal(reads, 3, 'the folders on the way and no other');
  assert.deepEqual(await pathsBelow('uploads/2026/b'), ['uploads/2026/b']);
  assert.deepEqual(await pathsBelow('up'), all.slice(2));
  assert.deepEqual(await pathsBelow('none/'), []);

  for (const path of ['none', 'uploads', 'uploads/link', 'index.php/none', '', 'uploads//big', '../site/index.php']) {
    assert.equal(await findFile(reader, snapshot, path), undefined, path);
  }
  const small = await findFile(reader, snapshot, 'uploads/2026/a');
  const found = await findFile(reader, snapshot, 'uploads/big');
  assert.ok(small && found);
  assert.equal(found.sizeBytes, big.length);
  assert.equal((await openContent(repository, found.ref)).sizeBytes, big.length);
  assert.equal((await openContent(repository, small.ref)).sizeBytes, small.sizeBytes);
  const read = async (file: typeof found, start?: number, end?: number) =>
    Buffer.concat(await gather((await openContent(reader, file.ref)).read(start, end)));
  assert.equal(`${await read(small)}`, 'uploads/2026/a');
  assert.equal(`${await read(small, 8, 12)}`, '2026');
  assert.ok((await read(found)).equals(big));
  for (const [start, end] of [
    [0, 1],
    [1_000_000, 1_400_000],
    [2_499_999, 2_500_000],
    [5, 5],
  ] as const) {
    assert.ok((await read(found, start, end)).equals(big.subarray(start, end)), `${start} to ${end}`);
  }
  reads = 0;
  await read(found, 1_200_000, 1_200_001);
  assert.equal(reads, 2, 'the list of chunks and one chunk');
});

test('a page ends after so many folders, and the next ones go on until everything was seen once', async (t) => {
  const folder = scratchFolder(t);
  const site = join(folder, 'site');
  const files = ['0/a', 'd/0/0/b', 'd/510/c', 'd/900', 'z'];
  mkdirSync(join(site, 'd/0/0'), { recursive: true });
  for (let n = 1; n < 520; n++) mkdirSync(join(site, `d/${n}`));
  mkdirSync(join(site, '0'));
  for (const path of files) writeFileSync(join(site, path), path);
  const repository = new Repository(new DiskStore(join(folder, 'store'))).site('ada', 'site');
  const { snapshot } = await new Archiver({ repository, folder: site }).snapshot();
  for (const limit of [2, 1_000]) {
    const pages = [await listPage(repository, snapshot, { prefix: '', limit })];
    for (let { last } = pages[0] as FilePage; last !== undefined; last = pages.at(-1)?.last)
      pages.push(await listPage(repository, snapshot, { prefix: '', limit, after: last }));
    assert.deepEqual(
      pages.flatMap((page) => page.files.map(({ path }) => path)),
      files,
    );
    assert.ok(pages.length >= 2, `${pages.length} pages`);
    assert.equal(pages.at(-1)?.isTruncated, false);
  }
  const none = await listPage(repository, snapshot, { prefix: '0/', limit: 1 });
  assert.deepEqual([none.isTruncated, none.last], [false, undefined], 'nothing else is looked into');
});

async function gather<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
