import type { FileHandle } from 'node:fs/promises';
import { FileRefused } from '../file-refused.ts';
import { readAtMost } from '../read-at-most.ts';
import type { FileMatch, FileSearch, SearchResult } from '../site-host.ts';
import { inFolder, namesOf, openFileIn } from './open-folder.ts';
import { entryOf } from './read-entry.ts';
import { MAX_NAMES, type WalkedEntry, walkFolder } from './walk-folder.ts';

const MAX_MS = 5_000;
const MAX_BYTES = 256 * 1024 * 1024;
/** What is larger was not written by hand. */
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_LINES_PER_FILE = 5;
const EXCERPT = { before: 40, length: 200 };

/** Looks for plain text, whatever its case, in the names of files and folders or in files that are text. */
export function searchFiles(
  root: string,
  { path, name, text, limit }: FileSearch,
  maxNames = MAX_NAMES,
): Promise<SearchResult> {
  const find = name === undefined ? byText((text ?? '').toLowerCase()) : byName(name.toLowerCase());
  return inFolder(root, namesOf(path), async (folder) => {
    const result: SearchResult = { matches: [], isComplete: true };
    const deadlineMs = performance.now() + MAX_MS;
    let bytes = 0;
    try {
      for await (const walked of walkFolder(folder, path === '' ? '' : `${path}/`, maxNames)) {
        const isOver = performance.now() > deadlineMs || bytes > MAX_BYTES;
        if (isOver || result.matches.length >= limit) return { ...result, isComplete: false };
        const found = await find(walked);
        bytes += found.bytes;
        result.matches.push(...found.matches.slice(0, limit - result.matches.length));
      }
      return result;
    } catch (error) {
      if (!(error instanceof FileRefused && error.refusal === 'too_much')) throw error;
      return { ...result, isComplete: false };
    }
  });
}

interface Found {
  matches: FileMatch[];
  bytes: number;
}

const NOTHING: Found = { matches: [], bytes: 0 };

const byName =
  (wanted: string) =>
  async ({ name, path, stat }: WalkedEntry): Promise<Found> => {
    if (!name.toLowerCase().includes(wanted)) return NOTHING;
    return { bytes: 0, matches: [{ path, kind: entryOf(name, stat).kind, line: null, excerpt: null }] };
  };

const byText =
  (wanted: string) =>
  async ({ folder, name, path, stat }: WalkedEntry): Promise<Found> => {
    if (!stat.isFile() || stat.size > MAX_FILE_BYTES) return NOTHING;
    const content = await readIfText(folder, name);
    if (content === undefined) return { matches: [], bytes: stat.size };
    return { matches: linesWith(content, wanted).map((each) => ({ path, kind: 'file', ...each })), bytes: stat.size };
  };

/** Undefined for what is no text, or no file any more. */
async function readIfText(folder: FileHandle, name: string): Promise<string | undefined> {
  const file = await openFileIn(folder, name).catch(() => undefined);
  if (!file) return undefined;
  try {
    const content = (await file.stat()).isFile() ? await readAtMost(file, MAX_FILE_BYTES) : undefined;
    return content?.includes(0) ? undefined : content?.toString();
  } finally {
    await file.close();
  }
}

function linesWith(content: string, wanted: string): { line: number; excerpt: string }[] {
  // Most files do not have it, and are not taken apart.
  if (!content.toLowerCase().includes(wanted)) return [];
  const found: { line: number; excerpt: string }[] = [];
  for (const [index, line] of content.split(/\r?\n/).entries()) {
    const at = line.toLowerCase().indexOf(wanted);
    if (at < 0) continue;
    const from = Math.max(0, at - EXCERPT.before);
    found.push({ line: index + 1, excerpt: line.slice(from, from + EXCERPT.length).trim() });
    if (found.length >= MAX_LINES_PER_FILE) break;
  }
  return found;
}
