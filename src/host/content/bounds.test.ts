import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, suite, type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { FileRefused } from '../file-refused.ts';
import { localFiles } from '../local-files.ts';
import { readAtMost } from '../read-at-most.ts';
import type { FileRoot } from '../site-host.ts';
import { writeFile } from './change-entry.ts';
import { readEntry, versionOf } from './read-entry.ts';
import { removeEntry } from './remove-entry.ts';
import { searchFiles } from './search-files.ts';
import { walkFolder } from './walk-folder.ts';

const MAX_BYTES = 1000;

let top: string;
let place: { content: string; incoming: string };
const file = (name: string) => join(place.content, name);
const refused = (refusal: string) => (error: unknown) => error instanceof FileRefused && error.refusal === refusal;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'siteyard-bounds-'));
  place = { content: join(top, 'content'), incoming: join(top, 'incoming') };
  mkdirSync(place.content);
  writeFileSync(file('small.txt'), 'small');
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

async function withOpen<T>(path: string, act: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(path);
  return act(handle).finally(() => handle.close());
}

/** What a site could do: the file is another one at the instant at which it is read, after every look at its size. */
async function growWhenRead(t: TestContext, text: string): Promise<{ largestBuffer: number }> {
  const told = { largestBuffer: 0 };
  const prototype = await withOpen(file('small.txt'), async (handle) => Object.getPrototypeOf(handle));
  for (const method of ['read', 'readFile']) {
    const plain = prototype[method];
    t.mock.method(prototype, method, function (this: FileHandle, ...args: unknown[]) {
      writeFileSync(file('small.txt'), text);
      if (Buffer.isBuffer(args[0])) told.largestBuffer = Math.max(told.largestBuffer, args[0].length);
      return plain.apply(this, args);
    });
  }
  return told;
}

suite('a file that grows between the look at its size and the reading', () => {
  const large = 'x'.repeat(100 * MAX_BYTES);

  test('is read as far as the limit and one byte', async (t) => {
    const told = await growWhenRead(t, large);
    const content = await withOpen(file('small.txt'), (handle) => readAtMost(handle, MAX_BYTES));
    assert.equal(content, undefined);
    assert.equal(told.largestBuffer, MAX_BYTES + 1);
  });

  test('is read whole where it stays within the limit', async (t) => {
    await growWhenRead(t, 'y'.repeat(MAX_BYTES));
    const content = await withOpen(file('small.txt'), (handle) => readAtMost(handle, MAX_BYTES));
    assert.equal(content?.toString(), 'y'.repeat(MAX_BYTES));
  });

  test('is shown without content', async (t) => {
    await growWhenRead(t, large);
    const { entry, content } = await readEntry(place.content, 'small.txt', { maxBytes: MAX_BYTES, maxEntries: 1 });
    assert.deepEqual([entry.sizeBytes, content?.length], [large.length, undefined]);
  });

  test('is served as a large one', async (t) => {
    await growWhenRead(t, large);
    const files = localFiles(() => place.content);
    const found = await files.readFile({ root: { siteId: 'any' } } as FileRoot, '/small.txt', MAX_BYTES);
    assert.deepEqual([found?.stat.sizeBytes, found?.content?.length], [large.length, undefined]);
  });

  test('is not what a writer has seen', async (t) => {
    await growWhenRead(t, large);
    const seen = { version: versionOf(Buffer.from(large)), maxBytes: MAX_BYTES };
    // The first look tells it: nothing is taken from the writer.
    const unasked = { sizeBytes: 1, read: async () => assert.fail('the file passed for the one that was seen') };
    await assert.rejects(writeFile(place, 'small.txt', unasked, seen), refused('changed'));
    assert.equal(readFileSync(file('small.txt'), 'utf8'), large);
  });

  test('is not searched', async (t) => {
    await growWhenRead(t, `${'x\n'.repeat(1024 * 1024)}needle`);
    const { matches } = await searchFiles(place.content, { path: '', text: 'needle', limit: 1 });
    assert.deepEqual(matches, []);
  });
});

suite('a folder with too many names', () => {
  test('is walked in part, and whoever walks learns it, also where the names are in folders below', async () => {
    mkdirSync(file('inner'));
    for (let each = 0; each < 5; each++) writeFileSync(join(file('inner'), `${each}`), '');
    const walked: string[] = [];
    const walk = (maxNames: number) =>
      withOpen(place.content, async (folder) => {
        for await (const { path } of walkFolder(folder, '', maxNames)) walked.push(path);
      });
    await walk(7);
    assert.equal(walked.splice(0).length, 7);
    for (const maxNames of [6, 2, 1]) {
      await assert.rejects(walk(maxNames), refused('too_much'));
      assert.ok(walked.splice(0).length <= maxNames);
    }
    const search = { path: '', name: '', limit: 100 };
    assert.equal((await searchFiles(place.content, search, 7)).isComplete, true);
    const cut = await searchFiles(place.content, search, 6);
    // The folder and four of what is in it: the walk ends there.
    assert.deepEqual([cut.matches.length, cut.isComplete], [5, false]);
  });

  test('is removed in rounds, with what is put there meanwhile', async () => {
    mkdirSync(file('many'));
    const count = 2500;
    for (let each = 0; each < count; each++) writeFileSync(join(file('many'), `${each}`), '');
    const removal = removeEntry(place, 'many');
    while (readdirSync(file('many')).length === count) await setImmediate();
    writeFileSync(join(file('many'), 'late'), '');
    await removal;
    assert.ok(!existsSync(file('many')));
  });
});
