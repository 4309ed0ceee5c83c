import { execFile } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * A small disk of its own for a service that a test starts: a file system in memory that only that process and its children see. Needs root.
 */
export function onSmallDisk(folder: string, megabytes: number): string[] {
  mkdirSync(folder, { recursive: true });
  const mount = 'mount -t tmpfs -o size="$1",mode=711 small "$2" && shift 2 && exec "$@"';
  return ['unshare', '--mount', 'sh', '-c', mount, 'sh', `${megabytes}m`, folder];
}

/**
 * Fills the disk to the last byte, through the eyes of the process; resolves to what makes room again. It takes no more than was free when it
 * began: what the service gives up meanwhile is for the service.
 */
export async function fillDisk(pid: number, folder: string, name = 'filler'): Promise<() => void> {
  const inside = join(`/proc/${pid}/root`, folder);
  const path = join(inside, name);
  const { bavail, bsize } = await statfs(inside);
  // Nearly all of it in another process, so that whoever measures something here meanwhile is not held up.
  const free = bavail * bsize;
  const much = free - (1 << 20);
  // It fails where somebody wrote meanwhile; then all is filled below.
  if (much > 0) await promisify(execFile)('fallocate', ['--length', String(much), path]).catch(() => {});
  const file = openSync(path, 'a');
  let left = free - fstatSync(file).size;
  try {
    for (let size = 1 << 20; size >= 512; size >>= 1) {
      const zeros = Buffer.alloc(size);
      try {
        while (left >= size) left -= writeSync(file, zeros);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
  } finally {
    closeSync(file);
  }
  return () => rmSync(path, { force: true });
}
