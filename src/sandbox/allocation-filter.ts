import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '#core/starter/starter.ts';
import {
  ALLOW,
  argumentAt,
  CallFilter,
  EOPNOTSUPP,
  EPERM,
  EQUALS,
  type Line,
  LOAD,
  onBoth,
  since2019,
} from './filter-lines.ts';
import { SYSTEM_PATH } from './system.ts';

/**
 * A filter of system calls for those who work in a site: no room of the disk is had for the asking. `fallocate` takes gigabytes within a millisecond,
 * which nobody can watch. What is refused it writes the zeros itself instead (the C library does), as fast as the disk takes them, and somebody looks.
 */
const FALLOCATE = onBoth(285, 47);
const IOCTL = onBoth(16, 29);
/** FS_IOC_RESVSP, FS_IOC_RESVSP64 and FS_IOC_ZERO_RANGE: the same under other names. */
const ALLOCATES = [0x40305828, 0x4030582a, 0x40305839];
/** It can do the same, and no filter sees what it is asked for. */
const IO_URING_SETUP = since2019(425);

const PERL = '/usr/bin/perl';
/** Loads a filter and becomes the program that it is told. */
export const LAUNCHER = join(import.meta.dirname, 'launch.pl');
const PROBE_LIMIT_MS = 10_000;

/** Undefined on a machine that it was not written for. */
export function allocationFilter(machine: string = process.arch): Buffer | undefined {
  return CallFilter.for(machine)
    ?.only(FALLOCATE, [EOPNOTSUPP])
    .only(IO_URING_SETUP, [EPERM])
    .only(IOCTL, [
      [LOAD, 0, 0, argumentAt(1)],
      ...ALLOCATES.map((request, at): Line => [EQUALS, ALLOCATES.length - at, 0, request]),
      ALLOW,
      EOPNOTSUPP,
    ]).bytes;
}

/** The arguments of a program that has the filter. Where both files are is for whoever starts it to say. */
export function filtered(launcher: string, filter: string, args: readonly string[]): string[] {
  return [PERL, launcher, filter, '-', ...args];
}

/** Whether this machine has perl, and lets programs have filters. */
export async function canFilter(filter: string): Promise<boolean> {
  if (!existsSync(PERL)) return false;
  const [file = '', ...args] = filtered(LAUNCHER, filter, ['/bin/true']);
  const options = { cwd: '/', env: { PATH: SYSTEM_PATH }, timeoutMs: PROBE_LIMIT_MS };
  return runProgram(file, args, options).then(
    () => true,
    () => false,
  );
}
