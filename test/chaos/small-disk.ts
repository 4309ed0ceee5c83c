import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A small disk of its own for a service that a test starts: a file system in memory that only that process and its children see. Needs root.
 */
export function onSmallDisk(folder: string, megabytes: number): string[] {
  mkdirSync(folder, { recursive: true });
  const mount = 'mount -t tmpfs -o size="$1",mode=711 small "$2" && shift 2 && exec "$@"';
  return ['unshare', '--mount', 'sh', '-c', mount, 'sh', `${megabytes}m`, folder];
}

/** Fills the disk to the last byte, through the eyes of the process; returns what makes room again. */
export function fillDisk(pid: number, folder: string, name = 'filler'): () => void {
  const path = join(`/proc/${pid}/root`, folder, name);
  const file = openSync(path, 'w');
  try {
    for (let size = 1 << 20; size >= 512; size >>= 1) {
      const zeros = Buffer.alloc(size);
      try {
        while (writeSync(file, zeros) > 0);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
  } finally {
    closeSync(file);
  }
  return () => rmSync(path, { force: true });
}
