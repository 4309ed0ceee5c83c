import { LINUX_BUILD } from './native-builds.mjs';

export interface PackageLock {
  packages: Record<string, LockedPackage>;
}

interface LockedPackage {
  version?: string;
  resolved?: string;
  dev?: boolean;
  optional?: boolean;
  cpu?: string[];
  os?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const OS = /(?<=[-/])(?:android|darwin|win32|freebsd|openharmony|linux)/;
const CPU = /(?<=[-/])(?:arm64|x64|ia32|ppc64|s390x|riscv64|wasm32|arm)/;
const MUSL = /-musl(?:eabihf)?$/;

/**
 * Adds the optional builds for other platforms that the lock names but does not list. npm leaves out what the registry lacked when the lock
 * was written, and `npm ci` refuses such a lock on every machine. The entries have no checksum: npm never installs them here, since their
 * `os` and `cpu` exclude the platforms that the service supports. A missing build for one of those stays missing, for check-builds.ts to report.
 */
export function completeLock(lock: PackageLock): { lock: PackageLock; added: string[] } {
  const packages = { ...lock.packages };
  const added: string[] = [];
  for (const [location, { optionalDependencies = {}, dev }] of Object.entries(lock.packages))
    for (const [name, range] of Object.entries(optionalDependencies)) {
      if (LINUX_BUILD.test(name) || isListed(packages, location, name)) continue;
      const [os, cpu] = [OS.exec(name)?.[0], CPU.exec(name)?.[0]];
      packages[`node_modules/${name}`] = {
        version: range.replace(/^[\^~]/, ''),
        ...(cpu && { cpu: [cpu] }),
        ...(dev && { dev: true }),
        ...(MUSL.test(name) && { libc: ['musl'] }),
        optional: true,
        ...(os && { os: [os] }),
      };
      added.push(name);
    }
  const sorted = Object.entries(packages).sort(([one], [other]) => (one < other ? -1 : 1));
  return { lock: { ...lock, packages: Object.fromEntries(sorted) }, added };
}

/** Node looks in the package's own node_modules, then in every one above it. */
function isListed(packages: PackageLock['packages'], location: string, name: string): boolean {
  const parts = location.split('/node_modules/');
  const folders = parts.map((_, index) => parts.slice(0, parts.length - index).join('/node_modules/'));
  return [...folders, ''].some((folder) => packages[`${folder && `${folder}/`}node_modules/${name}`] !== undefined);
}
