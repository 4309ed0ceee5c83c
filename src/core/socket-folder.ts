import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The operating system takes 107 bytes for the path of a socket, of which what is inside of the folder needs some. */
const LONGEST = 70;

/** For a data folder deep down the sockets are elsewhere, always in the same place. */
export function socketFolder(folder: string): string {
  if (Buffer.byteLength(folder) <= LONGEST) return folder;
  return join(tmpdir(), `siteyard-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`);
}
