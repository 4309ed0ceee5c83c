import type { ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Log } from '#core/log.ts';
import { programFile } from '#core/program.ts';
import { SITE_FOLDERS } from '#runtimes/folders/site-folder.ts';
import { mainProcessOf } from '#sandbox/processes.ts';
import { NODE, type Room, type Shown } from '#sandbox/room.ts';
import { Sandbox, type SandboxWish, type Spawn, uidOfSite } from '#sandbox/sandbox.ts';
import { areForAll, canBePassed, mayUseAnyUid } from '#sandbox/system.ts';

/** What the worker calls its slot, our programs, and the folders that it shares with others. */
interface Inside {
  slot: string;
  programs: string[];
  program: string;
  preload: string;
  shared: string[];
}

/** Where PHP's processes run: how they are started there, what things are called inside, and how a site comes in. */
export interface WorkerHome {
  /** Whom sites' files have to belong to, where PHP is not whoever we are. */
  ownerOf(siteId: string): number | undefined;
  inside(slot: string, shared: readonly string[]): Inside;
  /** What to spawn for Node with these arguments. */
  start(slot: string, shared: readonly string[], args: readonly string[]): Spawn;
  /** The process that is the worker itself. */
  workerOf(child: ChildProcess): number;
  kill(child: ChildProcess): void;
  /** Brings a site's folders into the slot of a worker that runs. */
  bring(child: ChildProcess, slot: string, siteFolder: string, name: string, owner: number | undefined): Promise<void>;
}

const PROJECT = join(import.meta.dirname, '../../..');
const WORKER_FOLDER = join(import.meta.dirname, 'worker');
/** What holds for every PHP. */
const SHARED_FOLDER = join(import.meta.dirname, '../php');
const PROGRAM = programFile(join(WORKER_FOLDER, 'main.ts'));
const PRELOAD = join(WORKER_FOLDER, 'preload.cjs');
const PROGRAMS = [WORKER_FOLDER, SHARED_FOLDER, dirname(PROGRAM), join(PROJECT, 'node_modules')];
const ENVIRONMENT = { TZ: 'UTC' };

/** One for PHP and for shells: no site has a real shell whose PHP is not in a sandbox too. */
export async function findSandbox(wanted: SandboxWish, cacheDir: string, log: Log): Promise<Sandbox | undefined> {
  const found = await Sandbox.find(wanted, [...PROGRAMS, cacheDir]);
  if (found instanceof Sandbox) {
    if (!found.hasFilter)
      log.warn('sandboxes run without a seccomp filter: their programs can preallocate disk space and open any socket');
    return found;
  }
  log.warn({ why: found.missing }, 'sites run without a sandbox of their own, and their shell is a limited one');
  return undefined;
}

/** Beside us, where the machine has no sandbox: what a process may open is then Node's permission model's alone. */
export const openHome: WorkerHome = {
  ownerOf: () => undefined,
  inside: (slot, shared) => ({ slot, programs: PROGRAMS, program: PROGRAM, preload: PRELOAD, shared: [...shared] }),
  start: (_slot, _shared, args) => ({ file: process.execPath, args: [...args], env: ENVIRONMENT }),
  workerOf: ({ pid = 0 }) => pid,
  kill: (child) => void child.kill('SIGKILL'),
  async bring(_child, slot, siteFolder, name) {
    symlinkSync(siteFolder, join(slot, name));
  },
};

/** The same as root: a process becomes its site's user when it gets a site. */
const ownedHome: WorkerHome = {
  ...openHome,
  ownerOf: uidOfSite,
  async bring(child, slot, siteFolder, name, owner) {
    await openHome.bring(child, slot, siteFolder, name, owner);
    if (owner !== undefined) chownSync(join(slot, 'own-tls.sock'), owner, owner);
  },
};

/**
 * Nothing is mounted for a site's user there: it has to pass through the folders down to its own, `passed` among them, in which every name is
 * still for root or for another site's user alone.
 */
export function homeWithoutSandbox(passed: readonly string[], cacheDir: string, log: Log): WorkerHome {
  if (process.getuid?.() !== 0) return openHome;
  const shared = [...PROGRAMS, cacheDir];
  const isPossible = mayUseAnyUid() && areForAll(shared);
  if (isPossible) for (const folder of passed) chmodSync(folder, 0o711);
  if (isPossible && canBePassed([...passed, ...shared])) return ownedHome;
  log.warn('PHP runs as root: a user of its own for each site needs folders that every user of the machine may pass');
  return openHome;
}

const SLOT = '/slot';
const SERVICE = '/opt/siteyard';
const TMP_BYTES = 16 * 1024 * 1024;

/**
 * In a sandbox of its own, beside the permission model: that one follows links, and whoever has a shell can make some. A worker is warmed
 * before anybody knows for which site, so the site's folders are mounted when it comes, and the worker becomes the site's user then.
 */
export class SandboxedHome implements WorkerHome {
  readonly #sandbox: Sandbox;
  readonly #room: Room;
  readonly #sites: readonly string[];

  /** `sites`: the folders that sites come from. */
  constructor(sandbox: Sandbox, folder: string, sites: readonly string[]) {
    this.#sandbox = sandbox;
    this.#sites = sites;
    const shown = [...new Set(PROGRAMS)].map((from) => ({ from, at: inService(from) }));
    // Outer ones first.
    shown.sort((a, b) => a.at.length - b.at.length);
    const isInside = ({ at }: Shown) => shown.some((other) => at.startsWith(`${other.at}/`));
    const outer = shown.filter((each) => !isInside(each));
    this.#room = sandbox.room({
      folder,
      shown: outer,
      later: sites,
      tmpBytes: TMP_BYTES,
      hasNetwork: true,
      hasProc: false,
    });
  }

  ownerOf(siteId: string): number | undefined {
    return process.getuid?.() === 0 ? this.#sandbox.uidOf(siteId) : undefined;
  }

  inside(_slot: string, shared: readonly string[]) {
    return {
      slot: SLOT,
      programs: PROGRAMS.map(inService),
      program: inService(PROGRAM),
      preload: inService(PRELOAD),
      shared: shared.map((_folder, number) => `/shared/${number}`),
    };
  }

  start(slot: string, shared: readonly string[], args: readonly string[]): Spawn {
    const shown = shared.map((from, number) => ({ from, at: `/shared/${number}` }));
    // What is mounted has to be there. The platform starts without, where the disk is read-only or full.
    for (const each of this.#sites) mkdirSync(each, { recursive: true, mode: 0o700 });
    return this.#sandbox.enter({
      room: this.#room,
      list: join(slot, 'mounts'),
      shown: [...shown, { from: slot, at: SLOT, isWritable: true }],
      args: [NODE, ...args],
      cwd: SLOT,
      env: ENVIRONMENT,
    });
  }

  workerOf({ pid = 0 }: ChildProcess): number {
    return mainProcessOf(pid) ?? pid;
  }

  kill(child: ChildProcess): void {
    const worker = mainProcessOf(child.pid ?? 0);
    try {
      if (worker) return void process.kill(worker, 'SIGKILL');
    } catch {
      // It ended in this very moment.
    }
    child.kill('SIGKILL');
  }

  async bring(child: ChildProcess, slot: string, siteFolder: string, name: string, owner?: number): Promise<void> {
    const folders = SITE_FOLDERS.filter((each) => existsSync(join(siteFolder, each)));
    for (const each of folders) mkdirSync(join(slot, name, each), { recursive: true, mode: 0o755 });
    const shown = folders.map((each) => {
      return { from: join(siteFolder, each), at: `${SLOT}/${name}/${each}`, isWritable: true };
    });
    await this.#sandbox.show(child.pid ?? 0, this.#room, { file: join(slot, 'later'), at: `${SLOT}/later` }, shown);
    // It made this one before it was the site's. The slot itself stays ours: nobody counts what is written there.
    if (owner !== undefined) chownSync(join(slot, 'own-tls.sock'), owner, owner);
  }
}

function inService(path: string): string {
  return join(SERVICE, relative(PROJECT, path));
}
