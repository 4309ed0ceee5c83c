import assert from 'node:assert/strict';
import { randomFillSync } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { removeFolder } from '#core/remove-folder.ts';
import { makeDeepTree } from '#testkit/archives/deep-tree.ts';
import { suiteStore } from '#testkit/snapshots/gateway-store.ts';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import { failedBy } from '../failure.ts';
import type { Progress } from '../progress.ts';
import { Repository } from '../repository.ts';
import { restoreInto } from '../restore/restore-into.ts';
import { planRestore, restore } from '../restore/restorer.ts';
import { readTree } from '../tree.ts';
import { Archiver } from './archiver.ts';
import { readState } from './state-file.ts';

const MB = 1024 * 1024;
const GB = 1024 * MB;

function makeSite(t: TestContext) {
  const folder = scratchFolder(t);
  const site = join(folder, 'site');
  mkdirSync(site);
  const repository = new Repository(suiteStore(folder)).site('ada', 'site');
  const stateFile = join(folder, 'state');
  const archiver = new Archiver({ repository, folder: site, stateFile });
  return { folder, site, repository, archiver, stateFile };
}

/** A file of that size with something at these places and holes between them. */
function writeSparse(path: string, sizeBytes: number, places: number[]): void {
  const file = openSync(path, 'w');
  ftruncateSync(file, sizeBytes);
  for (const place of places) writeSync(file, randomFillSync(Buffer.alloc(10_000)), 0, 10_000, place);
  closeSync(file);
  utimesSync(path, 1_700_000_000, 1_700_000_000);
}

const takenUp = (path: string) => statSync(path).blocks * 512;

test('a file with holes is stored as the same file without them', async (t) => {
  const { site, repository, archiver } = makeSite(t);
  const places = [0, 300_000, 5 * MB + 77, 5 * MB + 300_000, 21 * MB, 59 * MB];
  for (const [name, sizeBytes] of [
    ['odd', 60 * MB + 12_345],
    ['even', 60 * MB],
    ['small', 900_000],
  ] as const) {
    writeSparse(
      join(site, name),
      sizeBytes,
      places.filter((place) => place + 10_000 < sizeBytes),
    );
    // Written anew by whoever knows nothing of holes.
    writeFileSync(join(site, `${name}-full`), readFileSync(join(site, name)));
    assert.ok(takenUp(join(site, name)) < takenUp(join(site, `${name}-full`)));
  }
  const { snapshot } = await archiver.snapshot();
  const entries = await readTree(repository, snapshot.files as string);
  const refs = new Map(entries.map((entry) => [entry.name, entry.kind === 'file' && entry.ref]));
  for (const name of ['odd', 'even', 'small']) assert.equal(refs.get(name), refs.get(`${name}-full`), name);
});

test('holes are neither read nor written: not by a backup, a restore, nor a copy of the site or of a backup', async (t) => {
  const { folder, site, repository, archiver, stateFile } = makeSite(t);
  for (let index = 0; index < 3; index++) writeSparse(join(site, `${index}.bin`), 4 * GB + index, [3 * GB]);
  writeSparse(join(site, 'small.bin'), 900_000, [500_000]);
  writeSparse(join(site, 'middle.bin'), 4 * MB, [2 * MB]);
  writeSparse(join(site, 'endless.bin'), 1024 * GB, []);
  const { snapshot, storedBytes } = await archiver.snapshot({ limitMs: 20_000 });
  assert.ok(storedBytes < MB * 2, `${storedBytes}`);
  assert.deepEqual(snapshot.filesSkipped, [
    { name: 'endless.bin', reason: 'it is nearly empty, and too long to be kept' },
  ]);
  assert.ok((await archiver.snapshot({ limitMs: 20_000 })).isNew === false);
  await archiver.remember();
  const isSame = (copy: string) => {
    for (const name of readdirSync(site)) {
      if (name === 'endless.bin') continue;
      const [was, is] = [statSync(join(site, name)), statSync(join(copy, name))];
      assert.equal(is.size, was.size);
      assert.ok(is.blocks * 512 < 200_000, `${name} takes ${is.blocks * 512}`);
      const [one, other] = [Buffer.alloc(10_000), Buffer.alloc(10_000)];
      const place = name === 'small.bin' ? 500_000 : name === 'middle.bin' ? 2 * MB : 3 * GB;
      for (const [path, bytes] of [
        [join(site, name), one],
        [join(copy, name), other],
      ] as const) {
        const file = openSync(path, 'r');
        readPiece(file, bytes, place);
        closeSync(file);
      }
      assert.ok(one.equals(other));
    }
  };
  await restoreInto(repository, snapshot, { folder: join(folder, 'of-backup') });
  isSame(join(folder, 'of-backup'));
  const files = (await readState(stateFile))?.files;
  assert.ok(files);
  await restoreInto(repository, snapshot, { folder: join(folder, 'of-site'), known: { folder: site, files } });
  isSame(join(folder, 'of-site'));
  const empty = { ...snapshot, files: null };
  mkdirSync(join(folder, 'restored'));
  const plan = await planRestore(repository, empty, snapshot, { tables: false });
  await restore(plan, { repository, folder: join(folder, 'restored'), staging: join(folder, 'staging') });
  isSame(join(folder, 'restored'));
});

function readPiece(file: number, bytes: Buffer, place: number): void {
  // A copy of everything is what this is about not to make.
  assert.equal(readSync(file, bytes, 0, bytes.length, place), bytes.length);
}

test('what a large file has come to is told while it is read, written and verified', async (t) => {
  const { folder, site, repository, archiver } = makeSite(t);
  const sizeBytes = 64 * MB;
  writeFileSync(join(site, 'film.mp4'), randomFillSync(Buffer.alloc(sizeBytes)));
  const told: Progress[] = [];
  const { snapshot } = await archiver.snapshot({ onProgress: (progress) => told.push(progress) });
  const isInside = ({ bytes }: Progress) => bytes > 0 && bytes < sizeBytes;
  assert.ok(told.filter((each) => each.step === 'reading' && isInside(each)).length >= 2, 'reading');
  told.length = 0;
  await restoreInto(repository, snapshot, { folder: join(folder, 'copy'), onProgress: (each) => told.push(each) });
  assert.ok(
    told.some((each) => each.step === 'writing' && isInside(each)),
    'writing',
  );
});

test('a snapshot that takes longer than it may fails, and the next one is whole', async (t) => {
  const { site, archiver } = makeSite(t);
  writeFileSync(join(site, 'a.bin'), randomFillSync(Buffer.alloc(16 * MB)));
  const open = () => readdirSync('/proc/self/fd').length;
  const before = open();
  for (let attempt = 0; attempt < 3; attempt++)
    await assert.rejects(archiver.snapshot({ limitMs: 1 }), (error) => failedBy(error, 'too_slow'));
  assert.equal(open(), before, 'nothing stays open');
  assert.equal((await archiver.snapshot()).snapshot.fileCount, 1);
});

test('what is too deep for any path is named and left out; all else is backed up, restored and can be removed', async (t) => {
  const { folder, site, repository, archiver } = makeSite(t);
  writeFileSync(join(site, 'index.php'), '<?php');
  makeDeepTree(join(site, 'deep'), 60);
  makeDeepTree(join(site, 'many'), 150, 'd');
  const { snapshot } = await archiver.snapshot();
  assert.ok(snapshot.filesSkipped.length >= 2);
  for (const { reason } of snapshot.filesSkipped) assert.equal(reason, 'it is too deep down to be kept');
  assert.equal((await archiver.snapshot()).isNew, false, 'and costs no record of its own');
  await restoreInto(repository, snapshot, { folder: join(folder, 'copy') });
  assert.equal(readFileSync(join(folder, 'copy/many', 'd/'.repeat(98), 'note.txt'), 'utf8'), '97');
  // Whole again where somebody had moved it all away.
  copyFileSync(join(site, 'index.php'), join(folder, 'kept.php'));
  const plan = await planRestore(
    repository,
    snapshot,
    { ...snapshot, files: null },
    { tables: false, deleteExtraFiles: true },
  );
  await restore(plan, { repository, folder: site, staging: join(folder, 'staging') });
  assert.ok(!existsSync(join(site, 'index.php')));
  await removeFolder(site);
  assert.ok(!existsSync(site));
});
