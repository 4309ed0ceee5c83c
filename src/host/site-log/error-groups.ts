import { createHash } from 'node:crypto';
import { nextTurn } from '#core/turns.ts';
import type { ErrorEntry } from './entries.ts';
import type { LogFolder } from './log-folder.ts';
import { type LogPlace, readBackwards } from './log-reader.ts';

/** Errors that are the same one again and again: of the same place in the code, or with the same words where no place is known. */
export interface ErrorGroup {
  /** The same for the same error, in whatever request it happens. */
  id: string;
  count: number;
  firstAtMs: number;
  lastAtMs: number;
  /** The newest of them. */
  last: ErrorEntry;
}

export interface ErrorGroups {
  /** Those that happened last first. */
  groups: ErrorGroup[];
  /** Lines that belong to further groups than are kept apart. */
  leftOut: number;
}

const MAX_GROUPS = 300;
const MAX_KEY = 300;
/** All that a log of errors holds, and some more: one that is written while it is read has no end. */
const MAX_READS = 8;
/** So many lines are looked at before others have their turn. */
const A_TURN = 200;

/** Goes over the whole log of errors, which is bounded by itself. */
export async function groupErrors(folder: LogFolder, siteId: string, sinceMs?: number): Promise<ErrorGroups> {
  const groups = new Map<string, ErrorGroup>();
  let leftOut = 0;
  let before: LogPlace | undefined;
  for (let reads = 0; reads < MAX_READS; reads++) {
    const query = { before, limit: Number.POSITIVE_INFINITY, sinceMs };
    const { entries, next } = await readBackwards(folder, siteId, 'error', query);
    for (const [index, { entry }] of entries.entries()) {
      if (index % A_TURN === 0) await nextTurn();
      if (!('message' in entry)) continue;
      const key = keyOf(entry);
      const known = groups.get(key);
      if (known) {
        known.count++;
        known.firstAtMs = Math.min(known.firstAtMs, entry.atMs);
        known.lastAtMs = Math.max(known.lastAtMs, entry.atMs);
      } else if (groups.size < MAX_GROUPS) {
        const id = createHash('sha256').update(key).digest('hex').slice(0, 16);
        groups.set(key, { id, count: 1, firstAtMs: entry.atMs, lastAtMs: entry.atMs, last: entry });
      } else leftOut++;
    }
    if (!next) break;
    before = next;
  }
  return { groups: [...groups.values()].toSorted((a, b) => b.lastAtMs - a.lastAtMs), leftOut };
}

/**
 * Numbers and what stands in quotes are of one request and not of the error. A word is found first and looked at then: one pattern for both would try
 * each place of a word against each.
 */
function keyOf({ level, message, file, line }: ErrorEntry): string {
  if (file !== null && line !== null) return `${level} ${file}:${line}`;
  const words = message
    .slice(0, MAX_KEY)
    .split('\n', 1)[0]
    ?.replace(/"[^"]*"|'[^']*'/g, '…')
    .replace(/\w+/g, (word) => (NUMBER.test(word) && DIGIT.test(word) ? '#' : word));
  return `${level} ${file ?? ''} ${words}`;
}

const NUMBER = /^(?:0x)?[0-9a-f]+$/i;
const DIGIT = /\d/;
