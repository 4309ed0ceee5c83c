import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  ALLOW,
  CallFilter,
  EAFNOSUPPORT,
  EOPNOTSUPP,
  EPERM,
  onBoth,
  SOCKET,
  since2019,
  unlessOneOf,
} from './filter-lines.ts';

/**
 * The seccomp filter of every process in a sandbox. It blocks what the namespaces do not isolate:
 *
 * - Socket families that belong to no namespace. AF_VSOCK reaches the hypervisor and is one address space for all
 *   tenants of the machine.
 * - Preallocation of disk space. `fallocate` reserves gigabytes within a millisecond, before the disk watcher notices.
 *   The C library then writes the zeros itself, as fast as the disk takes them.
 */
const FALLOCATE = onBoth(285, 47);
const IOCTL = onBoth(16, 29);
/** FS_IOC_RESVSP, FS_IOC_RESVSP64 and FS_IOC_ZERO_RANGE: `fallocate` under other names. */
const ALLOCATES = [0x40305828, 0x4030582a, 0x40305839];
/** io_uring can do all of this, and seccomp does not see its requests. */
const IO_URING_SETUP = since2019(425);
/** AF_UNIX, AF_INET, AF_INET6, and AF_NETLINK, with which the C library lists interfaces. */
const FAMILIES = [1, 2, 10, 16];

export const PERL = '/usr/bin/perl';
/** Loads a filter and then executes the given program. */
export const LAUNCHER = join(import.meta.dirname, 'launch.pl');

/** Returns undefined if the system call numbers of the architecture are unknown or perl is missing. */
export function sandboxFilter(machine: string = process.arch, hasPerl = existsSync(PERL)): Buffer | undefined {
  if (!hasPerl) return undefined;
  return CallFilter.for(machine)
    ?.only(FALLOCATE, [EOPNOTSUPP])
    .only(IO_URING_SETUP, [EPERM])
    .only(IOCTL, [...unlessOneOf(1, ALLOCATES, ALLOW), EOPNOTSUPP])
    .only(SOCKET, [...unlessOneOf(0, FAMILIES, EAFNOSUPPORT), ALLOW]).bytes;
}
