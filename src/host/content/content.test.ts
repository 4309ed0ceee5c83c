import assert from 'node:assert/strict';
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, suite, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { fromBuffer } from 'yauzl';
import { FileRefused } from '../file-refused.ts';
import type { ByteSource, SeenVersion } from '../site-host.ts';
import { makeFolder, moveEntry, writeFile } from './change-entry.ts';
import { packFolder } from './pack-folder.ts';
import { readEntry, versionOf } from './read-entry.ts';
import { removeEntry } from './remove-entry.ts';
import { searchFiles } from './search-files.ts';

const LIMITS = { maxBytes: 1000, maxEntries: 1000 };
const SECRET = 'a secret of somebody else';

let top: string;
let place: { content: string; incoming: string };
const file = (...names: string[]) => join(place.content, ...names);
const bytes = (text: string): ByteSource => ({
  sizeBytes: Buffer.byteLength(text),
  read: async (offset, length) => Buffer.from(text).subarray(offset, offset + length),
});
const write = (path: string, text: string, seen: SeenVersion = 'any') => writeFile(place, path, bytes(text), seen);
const seen = (text: string) => ({ version: versionOf(Buffer.from(text)), maxBytes: 1000 });
const refused = (refusal: string) => (error: unknown) => error instanceof FileRefused && error.refusal === refusal;
/** Also what is thrown before there is a promise. */
const attempt = async (act: () => Promise<unknown>) => act();

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'siteyard-content-'));
  place = { content: join(top, 'content'), incoming: join(top, 'incoming') };
  mkdirSync(file('themes'), { recursive: true });
  writeFileSync(file('themes', 'style.css'), 'a {}');
  mkdirSync(join(top, 'outside', 'deep'), { recursive: true });
  for (const name of ['style.css', 'deep/other.css']) writeFileSync(join(top, 'outside', name), SECRET);
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

suite('a file', () => {
  test('is replaced as a whole, and only where it is what the writer has seen', async () => {
    await write('themes/style.css', 'b {}', seen('a {}'));
    assert.equal(readFileSync(file('themes', 'style.css'), 'utf8'), 'b {}');
    await assert.rejects(write('themes/style.css', 'c {}', seen('a {}')), refused('changed'));
    await assert.rejects(write('themes/style.css', 'c {}', null), refused('exists'));
    await assert.rejects(write('themes/gone.css', 'c {}', seen('')), refused('changed'));
    await write('themes/new.css', '', null);
    await assert.rejects(write('themes', 'x'), refused('not_a_file'));
    await assert.rejects(write('no-folder/new.css', 'x'), refused('missing'));
    const broken = { sizeBytes: 10, read: async () => Buffer.alloc(0) };
    await assert.rejects(writeFile(place, 'themes/broken.css', broken, null), /too soon/);
    assert.deepEqual(readdirSync(file('themes')), ['new.css', 'style.css']);
    assert.deepEqual(readdirSync(place.incoming), []);
  });

  test('belongs to whoever has the folder that it is in', { skip: process.getuid?.() !== 0 }, async () => {
    chownSync(file('themes'), 1234, 2345);
    await write('themes/new.css', 'x', null);
    await write('themes/style.css', 'x');
    await makeFolder(place, 'themes/inner');
    for (const name of ['new.css', 'style.css', 'inner']) {
      const { uid, gid } = statSync(file('themes', name));
      assert.deepEqual([uid, gid], [1234, 2345]);
    }
  });

  test('of a path that leads out, or that no file system takes, is refused', async () => {
    const bad = [
      '..',
      'a/../../b',
      '/etc/passwd',
      'a//b',
      'a/',
      './a',
      'a\0b',
      'n'.repeat(256),
      'a/'.repeat(2000),
      '\ud800',
    ];
    for (const path of bad) {
      for (const act of [
        () => readEntry(place.content, path, LIMITS),
        () => write(path, 'x'),
        () => makeFolder(place, path),
        () => removeEntry(place, path),
        () => moveEntry(place, 'themes', path),
        () => packFolder(place.content, path),
        () => searchFiles(place.content, { path, name: 'a', limit: 1 }),
      ])
        await assert.rejects(attempt(act), refused('bad_path'), JSON.stringify(path.slice(0, 20)));
    }
    await assert.rejects(
      attempt(() => removeEntry(place, '')),
      refused('bad_path'),
    );
  });
});

test('a folder is moved with what is in it, over nothing and not into itself, and removed as a whole', async () => {
  await makeFolder(place, 'plugins');
  await assert.rejects(makeFolder(place, 'plugins'), refused('exists'));
  await moveEntry(place, 'themes', 'plugins/moved');
  assert.equal(readFileSync(file('plugins', 'moved', 'style.css'), 'utf8'), 'a {}');
  await assert.rejects(
    attempt(() => moveEntry(place, 'plugins', 'plugins/moved/in')),
    refused('into_itself'),
  );
  await write('index.php', '');
  await assert.rejects(moveEntry(place, 'index.php', 'plugins'), refused('exists'));
  await assert.rejects(moveEntry(place, 'gone', 'here'), refused('missing'));
  // A name that is no text has to go too.
  writeFileSync(Buffer.concat([Buffer.from(`${file('plugins')}/`), Buffer.from([0xff, 0xfe])]), '');
  await removeEntry(place, 'plugins');
  await assert.rejects(removeEntry(place, 'plugins'), refused('missing'));
  assert.deepEqual(readdirSync(place.content), ['index.php']);
});

test('a search finds names and lines of text, and not what is in binaries', async () => {
  await write('themes/functions.php', `<?php\n// Some Needle here\n${'x'.repeat(500)}needle`);
  await write('themes/picture.png', 'needle\0');
  const { matches, isComplete } = await searchFiles(place.content, { path: '', text: 'NEEDLE', limit: 10 });
  assert.ok(isComplete);
  assert.deepEqual(
    matches.map(({ path, line }) => [path, line]),
    [
      ['themes/functions.php', 2],
      ['themes/functions.php', 3],
    ],
  );
  assert.equal(matches[0]?.excerpt, '// Some Needle here');
  const names = await searchFiles(place.content, { path: 'themes', name: 'PIC', limit: 10 });
  assert.deepEqual(names.matches, [{ path: 'themes/picture.png', kind: 'file', line: null, excerpt: null }]);
  const cut = await searchFiles(place.content, { path: '', name: '', limit: 2 });
  assert.deepEqual([cut.matches.length, cut.isComplete], [2, false]);
});

function unpack(packed: Buffer): Promise<Map<string, string>> {
  const { promise, resolve, reject } = Promise.withResolvers<Map<string, string>>();
  fromBuffer(packed, { lazyEntries: true }, (error, zip) => {
    if (error) return reject(error);
    const found = new Map<string, string>();
    zip.on('error', reject).on('end', () => resolve(found));
    zip.on('entry', (entry) => {
      if (entry.fileName.endsWith('/')) {
        found.set(entry.fileName, '');
        return zip.readEntry();
      }
      zip.openReadStream(entry, async (failed, stream) => {
        if (failed) return reject(failed);
        found.set(entry.fileName, (await buffer(stream)).toString());
        zip.readEntry();
      });
    });
    zip.readEntry();
  });
  return promise;
}

test('a folder is packed as a zip file with all that is in it, and without links', async () => {
  await makeFolder(place, 'themes/empty');
  const long = 'öäü'.repeat(200_000);
  await write('themes/größe.txt', long);
  symlinkSync(join(top, 'outside'), file('themes', 'link'));
  const found = await unpack(await buffer(await packFolder(place.content, 'themes')));
  assert.deepEqual([...found.keys()].sort(), ['themes/empty/', 'themes/größe.txt', 'themes/style.css']);
  assert.equal(found.get('themes/größe.txt'), long);
  const all = await unpack(await buffer(await packFolder(place.content, '')));
  assert.equal(all.get('wp-content/themes/style.css'), 'a {}');
});

suite('a link', () => {
  test('is listed, moved and removed as what it is, and leads nowhere', async () => {
    symlinkSync(join(top, 'outside'), file('link'));
    symlinkSync(join(top, 'outside', 'style.css'), file('link.css'));
    const { folder } = await readEntry(place.content, '', LIMITS);
    assert.deepEqual(
      folder?.entries.map(({ name, kind, sizeBytes }) => [name, kind, sizeBytes]),
      [
        ['link', 'link', 0],
        ['link.css', 'link', 0],
        ['themes', 'folder', 0],
      ],
    );
    assert.equal((await readEntry(place.content, 'link.css', LIMITS)).content, undefined);
    await assert.rejects(readEntry(place.content, 'link/style.css', LIMITS), refused('missing'));
    for (const path of ['link', 'link.css']) await assert.rejects(write(path, 'x'), refused('not_a_file'));
    for (const act of [
      () => write('link/new.css', 'x'),
      () => makeFolder(place, 'link/new'),
      () => moveEntry(place, 'link/style.css', 'stolen.css'),
      () => moveEntry(place, 'themes/style.css', 'link/given.css'),
      () => removeEntry(place, 'link/style.css'),
      () => packFolder(place.content, 'link'),
    ])
      await assert.rejects(act, refused('missing'));
    await moveEntry(place, 'link', 'themes/link');
    await removeEntry(place, 'themes');
    await removeEntry(place, 'link.css');
    requireUntouched();
  });

  test('that a folder is swapped for all the time is never followed', async () => {
    const racer = race();
    const counts = { done: 0, refused: 0 };
    const told: string[] = [];
    const acts = [
      async () => told.push(String((await readEntry(place.content, 'raced/style.css', LIMITS)).content)),
      async () => told.push(JSON.stringify(await readEntry(place.content, 'raced/deep', LIMITS))),
      () => write('raced/written.css', 'x'),
      () => makeFolder(place, 'raced/made'),
      () => moveEntry(place, 'raced/written.css', 'raced/deep/moved.css'),
      async () => told.push(JSON.stringify(await searchFiles(place.content, { path: '', text: 'secret', limit: 9 }))),
      async () => told.push((await buffer(await packFolder(place.content, ''))).toString()),
      () => removeEntry(place, 'raced/made'),
      () => removeEntry(place, 'raced/deep/moved.css'),
      // Removes the very folder that is swapped; the racer makes it anew.
      () => removeEntry(place, 'raced'),
    ];
    for (let round = 0; round < 50; round++)
      for (const act of acts)
        await attempt(act).then(
          () => counts.done++,
          (error) => {
            if (!(error instanceof FileRefused)) throw error;
            counts.refused++;
          },
        );
    const swaps = await racer.end();
    assert.ok(swaps > 100 && counts.done > 50 && counts.refused > 50, JSON.stringify({ swaps, ...counts }));
    assert.ok(told.length > 50);
    for (const text of told) assert.ok(!text.includes(SECRET) && !text.includes('other.css'), text);
    requireUntouched();
  });
});

function requireUntouched(): void {
  assert.deepEqual(readdirSync(join(top, 'outside'), { recursive: true }).sort(), [
    'deep',
    'deep/other.css',
    'style.css',
  ]);
  for (const name of ['style.css', 'deep/other.css'])
    assert.equal(readFileSync(join(top, 'outside', name), 'utf8'), SECRET);
}

/** What a shell of the site could do: a folder that is a link to elsewhere at every other instant. */
function race(): { end(): Promise<number> } {
  const worker = new Worker(
    `const { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } = require('node:fs');
     const { parentPort, workerData: { raced, aside, link, outside } } = require('node:worker_threads');
     const attempt = (act) => { try { act(); } catch {} };
     let swaps = 0, isOver = false;
     parentPort.on('message', () => { isOver = true; });
     const swap = () => {
       for (let each = 0; each < 50; each++) {
         attempt(() => { mkdirSync(raced + '/deep', { recursive: true }); writeFileSync(raced + '/style.css', 'own'); });
         attempt(() => symlinkSync(outside, link));
         attempt(() => { renameSync(raced, aside); renameSync(link, raced); swaps++; });
         attempt(() => { renameSync(raced, link); renameSync(aside, raced); });
         attempt(() => renameSync(aside, raced));
       }
       if (isOver) parentPort.postMessage(swaps); else setImmediate(swap);
     };
     swap();`,
    {
      eval: true,
      workerData: {
        raced: file('raced'),
        aside: join(top, 'aside'),
        link: join(top, 'link'),
        outside: join(top, 'outside'),
      },
    },
  );
  return {
    async end() {
      const told = new Promise<number>((resolve) => worker.once('message', resolve));
      worker.postMessage('end');
      const swaps = await told;
      await worker.terminate();
      return swaps;
    },
  };
}
