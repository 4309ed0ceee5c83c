import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** What all processes of a sandbox may have together, where the machine lets us say so. */
export interface GroupLimits {
  memoryBytes: number;
  processes: number;
  /** How many processors' time. */
  processors: number;
}

export interface ControlGroup {
  /** To be joined (Entry.groups); none where the machine has none for us. */
  folders: string[];
  /** When all that was in it is gone. */
  remove(): Promise<void>;
}

const ROOT = '/sys/fs/cgroup';
const CONTROLLERS = ['memory', 'pids', 'cpu'] as const;
const PERIOD_US = 100_000;
const REMOVE_TRIES = 50;
const REMOVE_AGAIN_MS = 20;

/** Limits for all processes of a sandbox together, by the kernel. Where we may not make groups there are none, and others have to watch. */
export class ControlGroups {
  readonly #parents: string[];
  readonly #isUnified: boolean;

  private constructor(parents: string[], isUnified: boolean) {
    this.#parents = parents;
    this.#isUnified = isUnified;
  }

  /** Below the groups that this process is in. What a killed service left there goes. */
  static find(): ControlGroups {
    const isUnified = existsSync(join(ROOT, 'cgroup.controllers'));
    const parents = (isUnified ? [unifiedParent()] : CONTROLLERS.map(classicParent)).filter(
      (found) => found !== undefined,
    );
    for (const parent of parents) clear(parent);
    return new ControlGroups(parents, isUnified);
  }

  /** Whether the kernel counts memory: where not, somebody has to. */
  get hasMemory(): boolean {
    return this.#isUnified
      ? this.#parents.length > 0
      : this.#parents.some((parent) => parent.startsWith(`${ROOT}/memory/`));
  }

  /** When no group is left in it. */
  async close(): Promise<void> {
    await removeAll(this.#parents);
  }

  make(limits: GroupLimits): ControlGroup {
    const name = randomBytes(6).toString('hex');
    const folders: string[] = [];
    for (const parent of this.#parents) {
      const folder = join(parent, name);
      try {
        mkdirSync(folder);
      } catch {
        continue;
      }
      folders.push(folder);
      for (const [file, value] of this.#isUnified ? unifiedValues(limits) : classicValues(limits)) {
        if (existsSync(join(folder, file))) write(join(folder, file), value);
      }
    }
    return { folders, remove: () => removeAll(folders) };
  }
}

function unifiedValues({ memoryBytes, processes, processors }: GroupLimits): [string, string][] {
  return [
    ['memory.max', String(memoryBytes)],
    ['memory.swap.max', '0'],
    ['memory.oom.group', '1'],
    ['pids.max', String(processes)],
    ['cpu.max', `${processors * PERIOD_US} ${PERIOD_US}`],
  ];
}

function classicValues({ memoryBytes, processes, processors }: GroupLimits): [string, string][] {
  return [
    ['memory.limit_in_bytes', String(memoryBytes)],
    ['memory.memsw.limit_in_bytes', String(memoryBytes)],
    ['pids.max', String(processes)],
    ['cpu.cfs_period_us', String(PERIOD_US)],
    ['cpu.cfs_quota_us', String(processors * PERIOD_US)],
  ];
}

const SERVICE = `siteyard-${process.pid}`;

function classicParent(controller: string): string | undefined {
  const own = new RegExp(`^\\d+:(?:[^:]*,)?${controller}(?:,[^:]*)?:(.*)$`, 'm').exec(ownGroups())?.[1];
  // A container may see the groups of the machine and be at the root of its own.
  for (const base of own === undefined ? [] : [join(ROOT, controller, own), join(ROOT, controller)]) {
    const made = makeParent(base);
    if (made) return made;
  }
  return undefined;
}

/** Controllers are given on only by a group in which no process is, so this works where we are at the root of a container. */
function unifiedParent(): string | undefined {
  const own = /^0::(.*)$/m.exec(ownGroups())?.[1] ?? '/';
  const base = join(ROOT, own);
  const parent = makeParent(base);
  const wanted = CONTROLLERS.map((name) => `+${name}`).join(' ');
  if (
    parent &&
    write(join(base, 'cgroup.subtree_control'), wanted) &&
    write(join(parent, 'cgroup.subtree_control'), wanted)
  )
    return parent;
  if (parent) remove(parent);
  return undefined;
}

function makeParent(base: string): string | undefined {
  const folder = join(base, SERVICE);
  try {
    if (!existsSync(folder)) mkdirSync(folder);
    return folder;
  } catch {
    return undefined;
  }
}

/** Groups of services that are gone, beside ours; a group in which somebody still is can not be removed. */
function clear(parent: string): void {
  const base = join(parent, '..');
  for (const name of readdirSync(base)) {
    const pid = Number(/^siteyard-(\d+)$/.exec(name)?.[1]);
    if (!pid || pid === process.pid || existsSync(`/proc/${pid}`)) continue;
    for (const child of readdirSync(join(base, name), { withFileTypes: true }))
      if (child.isDirectory()) remove(join(base, name, child.name));
    remove(join(base, name));
  }
}

async function removeAll(folders: string[]): Promise<void> {
  let left = folders;
  for (let tries = 0; tries < REMOVE_TRIES; tries++) {
    left = left.filter((folder) => !remove(folder));
    if (left.length === 0) return;
    await sleep(REMOVE_AGAIN_MS);
  }
}

function remove(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return !existsSync(folder);
  }
}

function write(file: string, value: string): boolean {
  try {
    writeFileSync(file, value);
    return true;
  } catch {
    return false;
  }
}

function ownGroups(): string {
  try {
    return readFileSync('/proc/self/cgroup', 'utf8');
  } catch {
    return '';
  }
}
