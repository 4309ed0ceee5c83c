import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const DEVICES = '/sys/dev/block';

/** The whole disk that a folder is on, as control groups name it; undefined where that is none of the kernel's own (a network, an overlay). */
export function diskOf(folder: string): string | undefined {
  const { dev } = statSync(folder);
  // As glibc takes it apart.
  const major = ((dev >>> 8) & 0xfff) | (Math.floor(dev / 2 ** 32) & ~0xfff);
  const minor = (dev & 0xff) | ((dev >>> 12) & 0xfff00);
  const device = join(DEVICES, `${major}:${minor}`);
  if (!existsSync(device)) return undefined;
  const isPart = existsSync(join(device, 'partition'));
  // A link is followed before the dots, so they lead to the disk that the part is on; `join` would take them away.
  return isPart ? readFileSync(`${device}/../dev`, 'utf8').trim() : `${major}:${minor}`;
}
