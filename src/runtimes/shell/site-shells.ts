import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '#core/log.ts';
import { endIn, endOrphans, makeRunFolder, shortFolder } from '#runtimes/folders/run-folder.ts';
import type { Command, CommandResult, SiteSpec } from '#runtimes/runtime.ts';
import { ControlGroups } from '#sandbox/control-groups.ts';
import { endAllNaming } from '#sandbox/ending.ts';
import type { Room, Shown } from '#sandbox/room.ts';
import { outsideGroups, type Sandbox, type Spawn } from '#sandbox/sandbox.ts';
import { SYSTEM_PATH } from '#sandbox/system.ts';
import { Door } from './door.ts';
import { PATHS } from './paths.ts';
import { WatchedMemory } from './watched-memory.ts';

export interface SiteShellsOptions {
  sandbox: Sandbox;
  /** A folder of the platform's own. */
  runFolder: string;
  /** Where a site's content and its WordPress are on this machine. */
  foldersOf(site: SiteSpec): { content: string; core: string };
  /** Makes the site's files those of its own user. Called before anything of it runs in here. */
  giveToOwner(siteId: string): void;
  /** Runs `wp` and `php` of a site. */
  exec(site: SiteSpec, command: Command): Promise<CommandResult>;
  log: Log;
}

export interface ShellWish {
  args: readonly string[];
  /** As the site sees it; its wp-content where it is not said. */
  cwd?: string;
  env?: Record<string, string>;
  /** What this program sees besides. */
  shown?: readonly Shown[];
  limits?: Partial<Record<keyof typeof SHELL_LIMITS, number>>;
}

/** A program that is about to be in a site's sandbox. */
export interface ShellEntry {
  /** To be started in a session of its own, with `/` as its folder. */
  spawn: Spawn;
  /** Where the kernel does not keep to the limits of memory, whoever spawned it has to ask now and then, and to end it. */
  usesTooMuch(pid: number): boolean;
  /** To be called when it has ended: nothing is left of it then. */
  leave(): Promise<void>;
}

const SHELL_LIMITS = {
  memoryBytes: 1024 * 1024 * 1024,
  processes: 128,
  processors: 2,
  fileBytes: 2 * 1024 * 1024 * 1024,
} as const;
/** What all terminals, commands and the editor of a site may have together. */
const SITE_LIMITS = { memoryBytes: 2048 * 1024 * 1024, processes: 768, processors: 2 } as const;
const TMP_BYTES = 256 * 1024 * 1024;
/** Where the kernel counts no memory, nobody counts what is written there either. */
const UNCOUNTED_TMP_BYTES = 16 * 1024 * 1024;
/** Where sites have numbers, the limit of processes counts all that runs of the site: its PHP too, and every terminal. */
const ALL_OF_A_SITE = 4;
const TOOLS = '/opt/siteyard';
const DOOR = '/run/siteyard';
const INSIDE = join(import.meta.dirname, 'inside');
const TOOL_FILES = {
  wp: 'tool.cjs',
  php: 'tool.cjs',
  'site-files': 'sftp-server.cjs',
  'sftp-packets.cjs': 'sftp-packets.cjs',
};

/** What programs in one site's sandbox share while there are any. */
interface Home {
  folder: string;
  room: Room;
  door: Door;
  /** As it was last told. */
  site: SiteSpec;
  lists: Set<string>;
}

interface OpenHome {
  opening: Promise<Home>;
  users: number;
}

/**
 * The sandboxes of sites in which their people work: a shell, a terminal, an editor. They see what the site's PHP sees but for its
 * database, in the same places, have no network, and reach PHP over a socket alone.
 */
export class SiteShells {
  readonly #options: SiteShellsOptions;
  #groups: ControlGroups | undefined;
  readonly #homes = new Map<string, OpenHome>();
  readonly #memory = new WatchedMemory(SITE_LIMITS.memoryBytes);
  #folder = '';

  constructor(options: SiteShellsOptions) {
    this.#options = options;
  }

  /** Whom a site's processes run as. */
  uidOf(siteId: string): number {
    return this.#options.sandbox.uidOf(siteId);
  }

  async open(): Promise<void> {
    this.#folder = await makeRunFolder(shortFolder(this.#options.runFolder));
    this.#groups = ControlGroups.find();
    if (!this.#groups.hasMemory)
      this.#options.log.warn('no kernel limits for shells: this service may not make control groups with memory');
    const tools = join(this.#folder, 'tools/bin');
    await mkdir(tools, { recursive: true });
    for (const [name, file] of Object.entries(TOOL_FILES)) {
      copyFileSync(join(INSIDE, file), join(tools, name));
      chmodSync(join(tools, name), 0o755);
    }
  }

  endOrphans(): Promise<void> {
    return endOrphans(shortFolder(this.#options.runFolder));
  }

  async enter(site: SiteSpec, wish: ShellWish): Promise<ShellEntry> {
    const limits = { ...SHELL_LIMITS, ...wish.limits };
    const group = await this.#groups?.make(site.id, SITE_LIMITS, limits);
    const { home, release } = await this.#homeOf(site).catch(async (error) => {
      await group?.remove();
      throw error;
    });
    // From here on until it is written nothing is waited for: whoever ends all of the site finds it, or comes before it.
    const list = join(home.folder, `${randomBytes(6).toString('hex')}.mounts`);
    home.lists.add(list);
    let leaving: Promise<void> | undefined;
    const end = async () => {
      try {
        // A group can be removed when nobody is in it, and nobody leaves one: that spares a look at every process of the machine.
        const isApart = existsSync(outsideGroups(list));
        if (isApart || !(await group?.end())) await endAllNaming(list);
      } finally {
        await group?.remove();
        this.#memory.forget(site.id, list);
        for (const file of [list, outsideGroups(list)]) await rm(file, { force: true });
        home.lists.delete(list);
        await release();
      }
    };
    const leave = () => {
      leaving ??= end();
      return leaving;
    };
    const usesTooMuch = (pid: number) =>
      !group?.hasMemory && this.#memory.isTooMuch(site.id, list, pid, limits.memoryBytes);
    try {
      const spawn = this.#spawn(site, home.room, list, group?.folders ?? [], wish);
      return { spawn, usesTooMuch, leave };
    } catch (error) {
      await leave();
      throw error;
    }
  }

  #spawn(site: SiteSpec, room: Room, list: string, groups: string[], wish: ShellWish): Spawn {
    const { sandbox } = this.#options;
    const { args, cwd = PATHS.content, env = {}, shown = [] } = wish;
    const limits = { ...SHELL_LIMITS, ...wish.limits };
    return sandbox.enter({
      room,
      list,
      isModest: true,
      shown,
      // Inside and not before: what is said there must not change how it gets there.
      args: ['/usr/bin/env', ...environment(env), ...args],
      cwd,
      uid: sandbox.uidOf(site.id),
      groups,
      processes: limits.processes * (sandbox.mode === 'uids' ? ALL_OF_A_SITE : 1),
      fileBytes: limits.fileBytes,
    });
  }

  /** Ends all that runs of the site in here. What was about to enter does not. */
  async end(siteId: string): Promise<void> {
    for (const [key, { opening }] of this.#homes) {
      if (!key.startsWith(`${siteId} `)) continue;
      const home = await opening.catch(() => undefined);
      // Without its list nothing begins any more.
      for (const list of home?.lists ?? []) await rm(list, { force: true });
      for (const list of home?.lists ?? []) await endAllNaming(list);
    }
  }

  async close(): Promise<void> {
    for (const { opening } of this.#homes.values()) (await opening.catch(() => undefined))?.door.close();
    this.#homes.clear();
    if (this.#folder) await endIn(this.#folder);
    await this.#groups?.close();
  }

  /** Made for whoever comes first, and gone with the last. */
  async #homeOf(site: SiteSpec): Promise<{ home: Home; release(): Promise<void> }> {
    const key = keyOf(site);
    const open = this.#homes.get(key) ?? { opening: this.#open(site), users: 0 };
    this.#homes.set(key, open);
    open.users++;
    const release = async () => {
      open.users--;
      if (open.users > 0) return;
      if (this.#homes.get(key) === open) this.#homes.delete(key);
      const home = await open.opening.catch(() => undefined);
      home?.door.close();
      if (home) await rm(home.folder, { recursive: true, force: true });
    };
    try {
      const home = await open.opening;
      home.site = site;
      return { home, release };
    } catch (error) {
      await release();
      throw error;
    }
  }

  async #open(site: SiteSpec): Promise<Home> {
    const { sandbox, foldersOf, giveToOwner, exec, log } = this.#options;
    const folder = join(this.#folder, randomBytes(6).toString('hex'));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const doorFolder = join(folder, 'door');
    const { content, core } = foldersOf(site);
    if (!existsSync(content)) throw new Error('there is nothing left of this site');
    giveToOwner(site.id);
    const door = await Door.open(join(doorFolder, 'tools.sock'), (command) => exec(home.site, command), log);
    const shown: Shown[] = [
      { from: core, at: PATHS.core },
      { from: content, at: PATHS.content, isWritable: true },
      { from: join(core, 'wp-content', 'themes'), at: PATHS.themes },
      { from: join(this.#folder, 'tools'), at: TOOLS },
      { from: doorFolder, at: DOOR },
    ];
    const uid = sandbox.uidOf(site.id);
    const tmpBytes = this.#groups?.hasMemory ? TMP_BYTES : UNCOUNTED_TMP_BYTES;
    const room = sandbox.room({ folder: join(folder, 'room'), shown, uid, tmpBytes, hasNetwork: false });
    const home: Home = { folder, room, door, site, lists: new Set() };
    return home;
  }
}

/** A site that moves to another WordPress sees that one from then on. */
function keyOf({ id, coreVersion }: SiteSpec): string {
  return `${id} ${coreVersion}`;
}

function environment(env: Record<string, string>): string[] {
  const own = { PATH: `${TOOLS}/bin:${SYSTEM_PATH}`, SHELL: '/bin/bash', TERM: 'dumb', ...env };
  return Object.entries(own).map(([name, value]) => `${name}=${value}`);
}
