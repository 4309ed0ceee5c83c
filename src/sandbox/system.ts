import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What this machine and whoever runs us allow. */

const CAP_SETUID = 7n;
const CAP_SYS_ADMIN = 21n;
export const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin';
/** All from util-linux and coreutils, which every Linux but the smallest containers have. */
const TOOLS = ['unshare', 'nsenter', 'mount', 'umount', 'pivot_root', 'setpriv', 'chroot', 'hostname', 'nice'];

export function missingTools(): string[] {
  return TOOLS.filter((tool) => !SYSTEM_PATH.split(':').some((folder) => isExecutable(join(folder, tool))));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether we may mount as we are; everybody else needs a user namespace first. */
export function mayMount(): boolean {
  return hasCapability(CAP_SYS_ADMIN);
}

/** Whether every number may be a user here. In a container without the machine's root most are nobody. */
export function mayUseAnyUid(): boolean {
  const [first, , count] = readOwn('uid_map').trim().split(/\s+/);
  return hasCapability(CAP_SETUID) && first === '0' && Number(count) > 2 ** 31;
}

/** Whether a user that owns nothing here could read these, and what we make from now on. */
export function areForAll(paths: readonly string[]): boolean {
  const others = constants.R_OK | constants.X_OK;
  const isForAll = (path: string) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? others) & others) === others;
  return (process.umask() & others) === 0 && paths.every(isForAll);
}

/** Whether such a user could reach these, down from the root. */
export function canBePassed(paths: readonly string[]): boolean {
  const isPassable = (folder: string): boolean =>
    ((statSync(folder, { throwIfNoEntry: false })?.mode ?? constants.X_OK) & constants.X_OK) !== 0 &&
    (dirname(folder) === folder || isPassable(dirname(folder)));
  return paths.every(isPassable);
}

function hasCapability(bit: bigint): boolean {
  const effective = /^CapEff:\s*(\w+)/m.exec(readOwn('status'))?.[1] ?? '0';
  return ((BigInt(`0x${effective}`) >> bit) & 1n) === 1n;
}

function readOwn(name: string): string {
  try {
    return readFileSync(`/proc/self/${name}`, 'utf8');
  } catch {
    return '';
  }
}
