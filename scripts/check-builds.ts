import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  globSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { lackingBuilds, packageName } from './native-builds.mjs';

/**
 * Fails when the service would not start on the other kind of machine: when the lock lacks a build for it, or when an
 * install for it lacks a native file that the install here has (or the other way round). npm installs for any machine into
 * a folder, so nothing of the other machine has to run. What both have is kept with the sources: as long as the packages are
 * the same, an install here is compared with that, and nothing is installed.
 */
const MACHINES = ['x64', 'arm64'] as const;
type Machine = (typeof MACHINES)[number];
/** How each machine is called inside of names and paths. */
const WORDS: Record<Machine, RegExp> = { x64: /x86_64|x64|amd64/g, arm64: /aarch64|arm64/g };
/** `e_machine` of an ELF file, which is what Linux itself goes by. */
const ELF_MACHINE: Record<Machine, number> = { x64: 62, arm64: 183 };

const root = join(import.meta.dirname, '..');
const foundFile = join(root, 'scripts/native-files.txt');
const lockText = readFileSync(join(root, 'package-lock.json'), 'utf8');
const lock = JSON.parse(lockText) as { packages: Record<string, { dev?: boolean; version?: string }> };

const faults = lackingBuilds(lock, MACHINES).map(
  ({ name, version, machine }) => `the lock has no build of ${name} ${version} for linux-${machine} with glibc`,
);
const packagesHash = createHash('sha256').update(lockText).digest('hex');
if (faults.length === 0) faults.push(...compareInstalls());
if (faults.length > 0) {
  console.error(`The service would not start everywhere:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  process.exit(1);
}

function compareInstalls(): string[] {
  const here = process.arch as Machine;
  if (process.platform !== 'linux' || !MACHINES.includes(here)) return [];
  const there = here === 'x64' ? 'arm64' : 'x64';
  const own = nativeFiles(root, here);
  const known = readKnown();
  const other = known ?? filesFor(there);
  const lacks = (machine: Machine, files: Set<string>, wanted: Set<string>) =>
    [...wanted]
      .filter((file) => !files.has(file))
      .map((file) => `an install for linux-${machine} lacks ${file.replaceAll('*', machine)}`);
  const found = [...lacks(there, other, own), ...lacks(here, own, other)];
  if (found.length === 0 && !known) writeFileSync(foundFile, [packagesHash, ...[...own].sort(), ''].join('\n'));
  return found;
}

/** What both machines have of these very packages, where that was found before. */
function readKnown(): Set<string> | undefined {
  const [hash, ...files] = globSync(foundFile).flatMap((file) => readFileSync(file, 'utf8').split('\n'));
  return hash === packagesHash ? new Set(files.filter(Boolean)) : undefined;
}

function filesFor(machine: Machine): Set<string> {
  const scratch = join(root, `node_modules/.cache/siteyard-install-${machine}`);
  rmSync(scratch, { recursive: true, force: true });
  try {
    installFor(machine, scratch);
    return nativeFiles(scratch, machine);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function installFor(machine: Machine, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json', '.npmrc'])
    copyFileSync(join(root, name), join(folder, name));
  const kind = [`--cpu=${machine}`, '--os=linux', '--libc=glibc'];
  const args = ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--omit=dev', '--include=optional'];
  const { status, stderr } = spawnSync('npm', [...args, ...kind], { cwd: folder, encoding: 'utf8' });
  if (status === 0) return;
  console.error(stderr);
  throw new Error(`npm could not install the packages for linux-${machine} (${status})`);
}

/** The native files of what the service needs, by package, with * for the machine's name so that two machines can be compared. */
function nativeFiles(folder: string, machine: Machine): Set<string> {
  const files = globSync('node_modules/**', { cwd: folder, withFileTypes: true, exclude: ['node_modules/.*/**'] });
  const places = files
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
    .filter((file) => readElfMachine(file) === ELF_MACHINE[machine])
    .map((file) => file.slice(folder.length + 1));
  return new Set(
    places
      .filter((place) => !isForDevelopment(place))
      .map((place) => packageName(place).replaceAll(WORDS[machine], '*')),
  );
}

function isForDevelopment(place: string): boolean {
  const [, packagePlace = ''] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(place) ?? [];
  return lock.packages[packagePlace]?.dev === true;
}

function readElfMachine(file: string): number | undefined {
  const head = Buffer.alloc(20);
  const handle = openSync(file, 'r');
  try {
    if (readSync(handle, head, 0, head.length, 0) < head.length) return undefined;
  } finally {
    closeSync(handle);
  }
  return head.toString('latin1', 0, 4) === '\x7fELF' ? head.readUInt16LE(18) : undefined;
}
