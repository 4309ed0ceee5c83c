import { readdirSync, readFileSync, readlinkSync, type Stats, statSync } from 'node:fs';

/** What no name leads to any more and some process still has open. */
export interface HeldBytes {
  /** On the disk that was asked about. */
  disk: number;
  /** Of memory that is a file (memfd_create). */
  memory: number;
}

const DELETED = ' (deleted)';
const MEMORY = '/memfd:';
/** A file that is mapped is there though nobody has it open: `start-end rights offset device inode path`. */
const MAPPED = /^([\da-f]+)-([\da-f]+) \S+ ([\da-f]+) ([\da-f]+):([\da-f]+) (\d+) +(.*) \(deleted\)$/gm;

/** Each file counts once, whoever has it open. What others hide from us, or what ends meanwhile, is nothing. */
export function heldBytes(pids: readonly number[], device?: number): HeldBytes {
  const files = new Map<string, { isMemory: boolean; bytes: number }>();
  for (const pid of pids) {
    for (const { path, stat } of openDeleted(pid)) {
      const isMemory = path.startsWith(MEMORY);
      if (isMemory || stat.dev === device) files.set(`${stat.dev} ${stat.ino}`, { isMemory, bytes: stat.blocks * 512 });
    }
    if (device === undefined) continue;
    for (const { key, on, end } of mappedDeleted(pid))
      if (on === device && !files.has(key)) files.set(key, { isMemory: false, bytes: end });
  }
  const sum = (isMemory: boolean) =>
    [...files.values()].reduce((all, file) => all + (file.isMemory === isMemory ? file.bytes : 0), 0);
  return { disk: sum(false), memory: sum(true) };
}

function openDeleted(pid: number): { path: string; stat: Stats }[] {
  return namesIn(`/proc/${pid}/fd`).flatMap((name) => {
    const link = `/proc/${pid}/fd/${name}`;
    try {
      const path = readlinkSync(link);
      return path.endsWith(DELETED) ? [{ path, stat: statSync(link) }] : [];
    } catch {
      return [];
    }
  });
}

function mappedDeleted(pid: number): { key: string; on: number; end: number }[] {
  return [...readText(`/proc/${pid}/maps`).matchAll(MAPPED)].map(([, from, to, offset, major, minor, inode]) => {
    const [start, stop, at, high, low] = [from, to, offset, major, minor].map((text) =>
      Number.parseInt(text ?? '', 16),
    );
    const on = deviceOf(high ?? 0, low ?? 0);
    return { key: `${on} ${inode}`, on, end: (at ?? 0) + (stop ?? 0) - (start ?? 0) };
  });
}

/** As `stat` says it (makedev of the C library). */
function deviceOf(major: number, minor: number): number {
  return (minor & 0xff) + (major & 0xfff) * 0x100 + (minor >>> 8) * 0x100000;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
