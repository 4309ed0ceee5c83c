import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { gzipSync } from 'node:zlib';

const DIST = join(import.meta.dirname, 'dist');
const FRAME_KB = 260;
const PAGE_KB = 150;
/** What comes when somebody opens a file, a terminal or a comparison, and with no page. */
const ON_DEMAND = /code-editor|terminal-view|text-diff|usage-plot/;

type Chunk = { file: string; css?: string[]; imports?: string[]; isDynamicEntry?: boolean };

it('loads at most 260 KB for the frame and 150 KB more for any page, compressed', () => {
  const chunks = JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;
  const filesOf = (name: string, found = new Set<string>()): Set<string> => {
    const { file, css = [], imports = [] } = chunks[name] as Chunk;
    if (found.has(file)) return found;
    for (const each of [file, ...css]) found.add(each);
    for (const each of imports) filesOf(each, found);
    return found;
  };
  const kilobytes = (files: Iterable<string>) =>
    [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(DIST, file))).length, 0) / 1000;
  const frame = new Set([...filesOf('index.html'), ...filesOf('src/layout/app-layout.tsx')]);
  assert.ok(kilobytes(frame) <= FRAME_KB, `the frame has ${kilobytes(frame)} KB`);
  const pages = Object.keys(chunks).filter((name) => chunks[name]?.isDynamicEntry && !ON_DEMAND.test(name));
  assert.ok(pages.length > 30);
  for (const page of pages) {
    const more = kilobytes([...filesOf(page)].filter((file) => !frame.has(file)));
    assert.ok(more <= PAGE_KB, `${page} loads ${more} KB`);
  }
});
