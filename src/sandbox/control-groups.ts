import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  endProcessesIn,
  groupsIn,
  makeGroup,
  makeGroupLater,
  removeGroupLater,
  removeGroups,
  writeValue,
} from './group-files.ts';
import { giveOn, makeDelegated, OWN_GROUP, startedIn } from './unified-groups.ts';

/** What all processes of a group may have together, where the machine lets us say so. */
export interface GroupLimits {
  memoryBytes: number;
  processes: number;
  /** How many processors' time. */
  processors: number;
  /** How much may be read from a disk and written to it, each. */
  io?: { device: string; bytesPerSecond: number } | undefined;
}

export interface ControlGroup {
  /** To be joined (Entry.groups); none where the machine has none for us. */
  folders: string[];
  /** Whether the kernel keeps to the limit of memory: where not, somebody has to look. */
  hasMemory: boolean;
  /** Ends all that is in it. False where the kernel knows of no end: some of it may be left. */
  end(): Promise<boolean>;
  /** When all that was in it is gone. */
  remove(): Promise<void>;
}

const ROOT = '/sys/fs/cgroup';
const CONTROLLERS = ['memory', 'pids', 'cpu'] as const;
/** What goes without where the machine has no such thing. In version 1 it holds for reading, and for what is written past the kernel's cache. */
const IO = { classic: 'blkio', unified: 'io' } as const;
const PERIOD_US = 100_000;
/**
 * What all sandboxes of a kind together count for where others want a processor too, beside one process of the service, which has 1024 shares or a
 * weight of 100. Without the service no visitor gets anything, so that PHP comes after it; what people do in shells takes a quarter.
 */
const SHARES = { people: '256', php: '768' } as const;
const WEIGHTS = { people: '25', php: '75' } as const;
/** The same where the service has stepped aside, and has one weight as a whole (SERVICE_WEIGHT). */
const WEIGHTS_BESIDE_SERVICE = { people: '25', php: '800' } as const;
type GroupKind = keyof typeof SHARES;
const REMOVE_TRIES = 50;
const REMOVE_AGAIN_MS = 20;

/** Those of one owner, with limits that they have together. */
interface Shared {
  opening: Promise<string[]>;
  /** Who uses it, each with groups in it; of those that are being made there are none yet. */
  users: Set<{ folders: string[] }>;
  /** What was last told of all that is in it. */
  told?: GroupLimits;
}

/** Limits for all processes of a sandbox together, by the kernel. Where we may not make groups there are none, and others have to watch. */
export class ControlGroups {
  readonly #parents: string[];
  readonly #isUnified: boolean;
  readonly #shared = new Map<string, Shared>();

  private constructor(parents: string[], isUnified: boolean) {
    this.#parents = parents;
    this.#isUnified = isUnified;
  }

  /** Below the groups that this process is in. What a killed service left there goes. `memoryBytes`: of all groups together. */
  static find(kind: GroupKind = 'people', memoryBytes?: number): ControlGroups {
    const isUnified = existsSync(join(ROOT, 'cgroup.controllers'));
    const classic = kind === 'php' ? [...CONTROLLERS, IO.classic] : CONTROLLERS;
    const found = isUnified ? [unifiedParent(kind)] : classic.map((each) => classicParent(each, kind));
    const parents = found.filter((parent) => parent !== undefined);
    for (const parent of parents) clear(parent);
    if (memoryBytes !== undefined) limitMemory(parents, memoryBytes);
    return new ControlGroups(parents, isUnified);
  }

  /** Whether the kernel counts memory: where not, somebody has to. */
  get hasMemory(): boolean {
    return this.#countMemory(this.#parents);
  }

  /** When no group is left in it. The one that we are in ourselves is for whoever comes after us. */
  async close(): Promise<void> {
    await removeAll(this.#parents.filter((parent) => !existsSync(join(parent, OWN_GROUP))));
  }

  /** Beside limits of its own it is below those of all that its owner has. */
  async make(owner: string, total: GroupLimits, limits: GroupLimits): Promise<ControlGroup> {
    const shared: Shared = this.#shared.get(owner) ?? { opening: this.#makeShared(total), users: new Set() };
    this.#shared.set(owner, shared);
    const user = { folders: [] as string[] };
    shared.users.add(user);
    const { told } = shared;
    const folders = await this.#makeIn(await shared.opening, limits);
    user.folders = folders;
    // Whoever changed the limits meanwhile could not see it.
    if (shared.told && shared.told !== told) this.#write(folders, shared.told);
    // Half a sandbox is of no use; of the owner's others the kernel ends no more than it must.
    for (const folder of folders) writeValue(folder, 'memory.oom.group', '1');
    let isGone = false;
    const end = async () => {
      for (const folder of folders) endProcessesIn(folder);
      isGone = await removeAll(folders);
      return isGone && folders.length > 0;
    };
    const remove = async () => {
      if (!isGone) await removeAll(folders);
      shared.users.delete(user);
      if (shared.users.size > 0) return;
      this.#shared.delete(owner);
      await removeAll(await shared.opening);
    };
    return { folders, hasMemory: this.#countMemory(folders), end, remove };
  }

  /** Other limits for all that an owner has now, and for each of it; where it has nothing, there is nothing to be limited. */
  async limit(owner: string, limits: GroupLimits): Promise<void> {
    const shared = this.#shared.get(owner);
    if (!shared) return;
    shared.told = limits;
    const above = await shared.opening;
    const inside = [...shared.users].flatMap(({ folders }) => folders);
    // Version 1 lets no group have more than the one that it is in, whichever way they change.
    for (const folders of [inside, above, inside]) this.#write(folders, limits);
  }

  #countMemory(folders: readonly string[]): boolean {
    return folders.some((folder) => this.#isUnified || folder.startsWith(`${ROOT}/memory/`));
  }

  async #makeShared(total: GroupLimits): Promise<string[]> {
    const folders = await this.#makeIn(this.#parents, total);
    if (this.#isUnified)
      for (const folder of folders) {
        giveOn(folder, CONTROLLERS);
        giveOn(folder, [IO.unified]);
      }
    return folders;
  }

  async #makeIn(parents: readonly string[], limits: GroupLimits): Promise<string[]> {
    const name = randomBytes(6).toString('hex');
    const made = await Promise.all(parents.map((parent) => makeGroupLater(parent, name)));
    const folders = made.filter((each) => each !== undefined);
    this.#write(folders, limits);
    return folders;
  }

  #write(folders: readonly string[], limits: GroupLimits): void {
    const values = this.#isUnified ? unifiedValues(limits) : classicValues(limits);
    for (const folder of folders) for (const [file, value] of values) writeValue(folder, file, value);
  }
}

function unifiedValues({ memoryBytes, processes, processors, io }: GroupLimits): [string, string][] {
  return [
    ['memory.max', String(memoryBytes)],
    ['memory.swap.max', '0'],
    ['pids.max', String(processes)],
    ['cpu.max', `${processors * PERIOD_US} ${PERIOD_US}`],
    ...(io ? [ioMax(io)] : []),
  ];
}

function ioMax({ device, bytesPerSecond }: NonNullable<GroupLimits['io']>): [string, string] {
  return ['io.max', `${device} rbps=${bytesPerSecond} wbps=${bytesPerSecond}`];
}

function classicValues({ memoryBytes, processes, processors, io }: GroupLimits): [string, string][] {
  const throttles = ['blkio.throttle.read_bps_device', 'blkio.throttle.write_bps_device'];
  return [
    // Older kernels count what is in groups below only where it is asked for.
    ['memory.use_hierarchy', '1'],
    ['memory.limit_in_bytes', String(memoryBytes)],
    ['memory.memsw.limit_in_bytes', String(memoryBytes)],
    // Again, since the one may at no time be more than the other, whichever way they change.
    ['memory.limit_in_bytes', String(memoryBytes)],
    ['pids.max', String(processes)],
    ['cpu.cfs_period_us', String(PERIOD_US)],
    ['cpu.cfs_quota_us', String(processors * PERIOD_US)],
    ...(io ? throttles.map((file): [string, string] => [file, `${io.device} ${io.bytesPerSecond}`]) : []),
  ];
}

/** Never of one in which the service itself is. */
function limitMemory(parents: readonly string[], memoryBytes: number): void {
  for (const parent of parents.filter((each) => !existsSync(join(each, OWN_GROUP)))) {
    writeValue(parent, 'memory.max', String(memoryBytes));
    writeValue(parent, 'memory.use_hierarchy', '1');
    // The one may at no time be more than the other, whichever way they change.
    for (const file of ['memory.memsw.limit_in_bytes', 'memory.limit_in_bytes', 'memory.memsw.limit_in_bytes'])
      writeValue(parent, file, String(memoryBytes));
  }
}

const SERVICE = `siteyard-${process.pid}`;

const nameOf = (kind: GroupKind) => (kind === 'people' ? SERVICE : `${SERVICE}-${kind}`);

function classicParent(controller: string, kind: GroupKind): string | undefined {
  const own = new RegExp(`^\\d+:(?:[^:]*,)?${controller}(?:,[^:]*)?:(.*)$`, 'm').exec(ownGroups())?.[1];
  // A container may see the groups of the machine and be at the root of its own.
  for (const base of own === undefined ? [] : [join(ROOT, controller, own), join(ROOT, controller)]) {
    const made = makeGroup(base, nameOf(kind));
    if (made && controller === 'cpu') writeValue(made, 'cpu.shares', SHARES[kind]);
    if (made) return made;
  }
  return undefined;
}

function unifiedParent(kind: GroupKind): string | undefined {
  const own = /^0::(.*)$/m.exec(ownGroups())?.[1] ?? '/';
  const base = startedIn(own, SERVICE);
  const weights = base === own ? WEIGHTS : WEIGHTS_BESIDE_SERVICE;
  const parent = makeDelegated(join(ROOT, base), nameOf(kind), CONTROLLERS, weights[kind]);
  if (parent && kind === 'php') for (const folder of [join(ROOT, base), parent]) giveOn(folder, [IO.unified]);
  return parent;
}

/** Groups of services that are gone, beside ours, with whatever outlived its service. */
function clear(parent: string): void {
  const base = join(parent, '..');
  for (const name of groupsIn(base)) {
    const pid = Number(/^siteyard-(\d+)(?:-php)?$/.exec(name)?.[1]);
    if (!pid || pid === process.pid || existsSync(`/proc/${pid}`)) continue;
    const left = join(base, name);
    // What outlived its service; but for what that started beside its sandboxes, such as a database.
    for (const group of groupsIn(left)) if (group !== OWN_GROUP) endProcessesIn(join(left, group));
    removeGroups(left);
  }
}

/** Whether none is left. */
async function removeAll(folders: string[]): Promise<boolean> {
  let left = folders;
  for (let tries = 0; tries < REMOVE_TRIES; tries++) {
    const isRemoved = await Promise.all(left.map(removeGroupLater));
    left = left.filter((_folder, at) => !isRemoved[at]);
    if (left.length === 0) return true;
    await sleep(REMOVE_AGAIN_MS);
  }
  return false;
}

function ownGroups(): string {
  try {
    return readFileSync('/proc/self/cgroup', 'utf8');
  } catch {
    return '';
  }
}
