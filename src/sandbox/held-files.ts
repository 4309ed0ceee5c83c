import { readdirSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { nextTurn } from '#core/turns.ts';

/** What no name leads to any more and some process still has. Each file counts once; what others hide from us, or what ends meanwhile, is nothing. */

const DELETED = ' (deleted)';
const MEMORY = '/memfd:';
const MOST_OPEN = 10_000;
const LOOKS_AT_ONCE = 100;
/** A file that is mapped is there though nobody has it open: `start-end rights offset device inode path`. */
const MAPPED = /^([\da-f]+)-([\da-f]+) \S+ ([\da-f]+) ([\da-f]+):([\da-f]+) (\d+) +\//;

/** On the disk of that number. */
export async function heldBytes(pids: readonly number[], device: number): Promise<number> {
  const files = new Map<string, number>();
  for (const pid of pids) {
    for (const names of inParts(namesIn(`/proc/${pid}/fd`))) {
      for (const { stat } of openDeleted(pid, names))
        if (stat.dev === device) files.set(keyOf(stat.dev, stat.ino), stat.blocks * 512);
      // A process may have thousands open, and visitors wait while we look.
      await nextTurn();
    }
    // A process that changes its memory all the time makes whoever reads this wait.
    const maps = await readFile(`/proc/${pid}/maps`, 'utf8').catch(() => '');
    for (const { on, inode, end } of mappedIn(maps)) {
      const key = keyOf(on, inode);
      if (on === device && !files.has(key)) files.set(key, end);
    }
  }
  return sumOf(files);
}

/** Memory that is a file (memfd_create), which counts for no process. Infinite where more is open than can be looked at in passing. */
export function memoryFileBytes(pids: readonly number[]): number {
  const open = pids.map((pid) => ({ pid, names: namesIn(`/proc/${pid}/fd`) }));
  if (open.reduce((sum, { names }) => sum + names.length, 0) > MOST_OPEN) return Number.POSITIVE_INFINITY;
  const files = open.flatMap(({ pid, names }) => openDeleted(pid, names)).filter(({ path }) => path.startsWith(MEMORY));
  return sumOf(new Map(files.map(({ stat }) => [keyOf(stat.dev, stat.ino), stat.blocks * 512])));
}

function openDeleted(pid: number, names: readonly string[]): { path: string; stat: Stats }[] {
  return names.flatMap((name) => {
    const link = `/proc/${pid}/fd/${name}`;
    try {
      const path = readlinkSync(link);
      return path.endsWith(DELETED) ? [{ path, stat: statSync(link) }] : [];
    } catch {
      return [];
    }
  });
}

function mappedIn(maps: string): { on: number; inode: number; end: number }[] {
  return deletedLines(maps).flatMap((line) => {
    const [, ...parts] = MAPPED.exec(line) ?? [];
    if (parts.length === 0) return [];
    const [start = 0, stop = 0, offset = 0, major = 0, minor = 0] = parts.map((part) => Number.parseInt(part, 16));
    return [{ on: deviceOf(major, minor), inode: Number(parts[5]), end: offset + stop - start }];
  });
}

/** Of many hundred lines these are a few, so that only they are cut out and read. */
function deletedLines(maps: string): string[] {
  const lines: string[] = [];
  const mark = `${DELETED}\n`;
  for (let at = maps.indexOf(mark); at >= 0; at = maps.indexOf(mark, at + mark.length))
    lines.push(maps.slice(maps.lastIndexOf('\n', at) + 1, at));
  return lines;
}

/** As `stat` says it (makedev of the C library). */
function deviceOf(major: number, minor: number): number {
  return (minor & 0xff) + (major & 0xfff) * 0x100 + (minor >>> 8) * 0x100000;
}

function inParts(names: string[]): string[][] {
  const count = Math.ceil(names.length / LOOKS_AT_ONCE);
  return Array.from({ length: count }, (_, at) => names.slice(at * LOOKS_AT_ONCE, (at + 1) * LOOKS_AT_ONCE));
}

const keyOf = (device: number, inode: number) => `${device} ${inode}`;
const sumOf = (files: Map<string, number>) => [...files.values()].reduce((sum, bytes) => sum + bytes, 0);

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
