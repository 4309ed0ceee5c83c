import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { gzipSync } from 'node:zlib';

const DIST = join(import.meta.dirname, 'dist');
const LIMIT_KB = 150;
const FRAME = ['index.html', 'src/layout/app-layout.tsx'];
/** What comes when somebody opens a file, a terminal, a plot, a text or a comparison, and with no page. */
const ON_DEMAND = /code-editor|terminal-view|text-diff|usage-plot|markdown/;

type Chunk = { file: string; css?: string[]; imports?: string[]; dynamicImports?: string[] };

it('loads at most 150 KB for any page with the frame around it and what the page opens, compressed', () => {
  const chunks = JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;
  const chunk = (name: string) => chunks[name] as Chunk;
  /** What has to be there before a chunk runs. */
  const closure = (name: string, found = new Set<string>()): Set<string> => {
    if (found.has(name)) return found;
    found.add(name);
    for (const each of chunk(name).imports ?? []) closure(each, found);
    return found;
  };
  const sizes = new Map<string, number>();
  const sizeOf = (file: string) => {
    if (!sizes.has(file)) sizes.set(file, gzipSync(readFileSync(join(DIST, file))).length / 1000);
    return sizes.get(file) as number;
  };
  const kilobytes = (names: Iterable<string>) => {
    const files = new Set([...names].flatMap((name) => [chunk(name).file, ...(chunk(name).css ?? [])]));
    return [...files].reduce((sum, file) => sum + sizeOf(file), 0);
  };
  const found = new Map<string, number>();
  /** A page, and each part of it that comes later, beside what is there by then. */
  const look = (page: string, before: Set<string>) => {
    const own = [...closure(page)].filter((name) => !before.has(name));
    const all = new Set([...before, ...own]);
    found.set(page, Math.max(found.get(page) ?? 0, kilobytes(all)));
    for (const part of new Set(own.flatMap((name) => chunk(name).dynamicImports ?? [])))
      if (!ON_DEMAND.test(part) && !all.has(part)) look(part, all);
  };
  const frame = new Set(FRAME.flatMap((name) => [...closure(name)]));
  for (const page of new Set([...frame].flatMap((name) => chunk(name).dynamicImports ?? [])))
    if (!ON_DEMAND.test(page)) look(page, frame);

  assert.ok(found.size > 50, 'the pages are not found');
  const heavy = [...found]
    .filter(([, size]) => size > LIMIT_KB)
    .map(([page, size]) => `${page}: ${size.toFixed(1)} KB`);
  assert.deepEqual(heavy, []);
});
