import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, open, rm, rmdir, statfs } from 'node:fs/promises';
import { availableParallelism, release, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { rejectStaleBuild } from '#core/build-stamp.ts';
import type { Config } from '../../config.ts';
import { advise, type Finding, fault, fine } from './finding.ts';

const GB = 1024 ** 3;
const OLDEST_KERNEL = [5, 10] as const;
const OLDEST_NODE = 22;
const [LEAST_MEMORY, GOOD_MEMORY] = [1 * GB, 3.5 * GB];
const [LEAST_DISK, GOOD_DISK] = [0.25 * GB, 10 * GB];
const SLOW_FSYNC_MS = 20;
const FSYNCS = 15;

/** What the machine is, whatever is installed on it. */
export async function examineMachine(config: Config): Promise<Finding[]> {
  return [
    examineNode(),
    examineBuild(),
    examineKernel(),
    await examineNamespaces(config),
    examineGroups(),
    examineMemory(config),
    ...(await examineDisk(config.dataDir)),
    await examineClock(),
  ];
}

function examineNode(): Finding {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= OLDEST_NODE) return fine('node', `${node} on ${process.platform}-${process.arch}`);
  return fault('node', node, 'Start with `npm start`: it brings the Node that the platform is made for.');
}

function examineBuild(): Finding {
  const name = 'build';
  try {
    rejectStaleBuild();
    return fine(name, 'built from this version');
  } catch (error) {
    return fault(name, (error as Error).message, 'Build this version with `node scripts/setup.mjs`.');
  }
}

function examineKernel(): Finding {
  if (process.platform !== 'linux') return fault('kernel', process.platform, 'The platform runs on Linux.');
  const [major = 0, minor = 0] = release()
    .split('.')
    .map((part) => Number.parseInt(part, 10));
  const isNew = major > OLDEST_KERNEL[0] || (major === OLDEST_KERNEL[0] && minor >= OLDEST_KERNEL[1]);
  if (isNew) return fine('kernel', release());
  return advise('kernel', release(), `Use Linux ${OLDEST_KERNEL.join('.')} or newer: the sandbox is tried with those.`);
}

/** A site gets mount, pid and user namespaces of its own. */
async function examineNamespaces({ sandbox }: Config): Promise<Finding> {
  const name = 'namespaces';
  const weak = 'sites run under Node’s permission model, with a limited shell';
  if (sandbox === 'none')
    return advise(name, `SANDBOX=none: ${weak}`, 'Leave SANDBOX out where tenants do not trust each other.');
  const makes = (...how: string[]) =>
    promisify(execFile)('unshare', [...how, '--mount', '--pid', '--fork', 'true'], { timeout: 10_000 }).then(
      () => true,
      () => false,
    );
  if (await makes()) return fine(name, 'made as root');
  if (await makes('--user', '--map-root-user')) return fine(name, 'made in a user namespace');
  const wanted = sandbox === 'auto' ? advise : fault;
  return wanted(
    name,
    `none can be made here; ${weak}`,
    'Install util-linux; run the service as root, or allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0); in a container add CAP_SYS_ADMIN and take seccomp’s limits away.',
  );
}

function examineGroups(): Finding {
  const name = 'cgroups';
  const advice =
    'Give the service a delegated group (systemd: Delegate=yes), so that memory and processes of each site are bounded.';
  const unified = '/sys/fs/cgroup/cgroup.controllers';
  if (existsSync(unified)) {
    const controllers = readFileSync(unified, 'utf8').trim().split(' ');
    const missing = ['cpu', 'memory', 'pids'].filter((each) => !controllers.includes(each));
    return missing.length === 0
      ? fine(name, `v2 with ${controllers.join(', ')}`)
      : advise(name, `v2 without ${missing.join(', ')}`, advice);
  }
  const missing = ['memory', 'pids'].filter((each) => !existsSync(join('/sys/fs/cgroup', each)));
  return missing.length === 0
    ? fine(name, 'v1 with memory and pids')
    : advise(name, `no ${missing.join(', no ')}`, advice);
}

function examineMemory({ phpMemoryMb }: Config): Finding {
  const total = totalmem();
  const found = `${(total / GB).toFixed(1)} GB, ${availableParallelism()} processors; PHP may use ${phpMemoryMb} MB`;
  if (total < LEAST_MEMORY)
    return fault('memory', found, 'The platform needs 1 GB, and each site that is awake some more.');
  if (phpMemoryMb * 1024 ** 2 > 0.85 * total)
    return advise('memory', found, 'Set PHP_MEMORY_MB lower: the platform and Postgres need some too.');
  return total < GOOD_MEMORY
    ? advise('memory', found, 'With 4 GB more sites can be awake at a time.')
    : fine('memory', found);
}

async function examineDisk(dataDir: string): Promise<Finding[]> {
  let folder = dataDir;
  while (!existsSync(folder)) folder = dirname(folder);
  const { bavail, bsize, ffree, files } = await statfs(folder);
  const free = bavail * bsize;
  const found = `${(free / GB).toFixed(1)} GB free in ${dataDir}`;
  const disk =
    free < LEAST_DISK
      ? fault('disk', found, 'Make room, or set DATA_DIR to a larger disk.')
      : files > 0 && ffree < 10_000
        ? fault('disk', `${found}, but only ${ffree} more files`, 'Make a file system with more inodes.')
        : free < GOOD_DISK
          ? advise('disk', found, 'Sites and their backups grow: have 10 GB at least.')
          : fine('disk', found);
  return [disk, await examineSpeed(dataDir)];
}

/** Every change of a site waits for the disk, so what counts is how long that takes. */
async function examineSpeed(dataDir: string): Promise<Finding> {
  const name = 'disk speed';
  const file = join(dataDir, `.doctor-${process.pid}`);
  const times: number[] = [];
  let made: string | undefined;
  try {
    made = await mkdir(dataDir, { recursive: true, mode: 0o711 });
    const handle = await open(file, 'w', 0o600);
    try {
      for (let n = 0; n < FSYNCS; n++) {
        const begunAt = performance.now();
        await handle.write(Buffer.alloc(8192, n));
        await handle.datasync();
        times.push(performance.now() - begunAt);
      }
    } finally {
      await handle.close();
      await rm(file, { force: true });
    }
  } catch (error) {
    return fault(
      name,
      `DATA_DIR can not be written: ${(error as Error).message}`,
      'Let the user of the service own DATA_DIR.',
    );
  } finally {
    if (made !== undefined) await removeEmpty(made, dataDir);
  }
  const median = times.sort((a, b) => a - b)[Math.floor(FSYNCS / 2)] as number;
  const found = `a durable write of 8 KB takes ${median.toFixed(1)} ms`;
  return median > SLOW_FSYNC_MS
    ? advise(name, found, 'Use a local SSD: every order and every post waits for that.')
    : fine(name, found);
}

/** From the innermost out. A service that started meanwhile keeps what it has put there. */
async function removeEmpty(outermost: string, innermost: string): Promise<void> {
  for (let folder = innermost; folder.length >= outermost.length; folder = dirname(folder)) {
    try {
      await rmdir(folder);
    } catch {
      return;
    }
  }
}

async function examineClock(): Promise<Finding> {
  const name = 'clock';
  try {
    const { stdout } = await promisify(execFile)('timedatectl', ['show', '-p', 'NTPSynchronized'], { timeout: 5_000 });
    if (stdout.includes('=yes')) return fine(name, 'set by NTP');
    return advise(
      name,
      'not set by NTP',
      'Start systemd-timesyncd or chrony: restore points and certificates go by the clock.',
    );
  } catch {
    return advise(
      name,
      `${new Date().toISOString()}; nobody here can say whether it is set by NTP`,
      'See to it that the machine, or the one around this container, has its clock set by NTP.',
    );
  }
}
