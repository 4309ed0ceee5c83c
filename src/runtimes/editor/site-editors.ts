import { randomBytes } from 'node:crypto';
import { chownSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { Log } from '#core/log.ts';
import { removeFolder } from '#core/remove-folder.ts';
import { isRunning, shortFolder } from '#runtimes/folders/run-folder.ts';
import { folderBytes } from '#runtimes/folders/site-folder.ts';
import type { EditorState, SiteSpec } from '#runtimes/runtime.ts';
import { SiteFailure } from '#runtimes/runtime.ts';
import type { DiskSeat, DiskWatch } from '#runtimes/shell/disk-watch.ts';
import { PATHS } from '#runtimes/shell/paths.ts';
import type { ShellEntry, SiteShells } from '#runtimes/shell/site-shells.ts';
import { promptOf } from '#runtimes/shell/site-terminals.ts';
import { NODE } from '#sandbox/room.ts';
import { CodeServer, EXTENSION } from './code-server.ts';
import { RunningEditor } from './running-editor.ts';

export interface SiteEditorsOptions {
  log: Log;
  dataDir: string;
  cacheDir: string;
  /** Where the people of sites work, or why they can not. Asked with the first editor: most machines never have one. */
  shells(): Promise<SiteShells | { missing: string }>;
  /** Watches what is written there. */
  disk: DiskWatch;
  /** Throws while some work has the site to itself. */
  requireOpen(siteId: string): void;
  /** Somebody works in the editor of the site, and may have changed it. */
  active(siteId: string): void;
  idleMs?: number;
}

const INSIDE = join(import.meta.dirname, 'inside');
const PROGRAM = '/opt/siteyard-editor';
const SERVER = '/opt/code-server';
const HOME = '/home/site';
const IDLE_MS = 5 * 60_000;
const START_LIMIT_MS = 60_000;
/** Settings, and what was open. */
const HOME_BYTES = 256 * 1024 * 1024;
/** Of what it keeps for itself. */
const LEAST_FILE_BYTES = 4 * 1024 * 1024;
const NO_ROOM = 'There is no room left on the disk: delete files first, in the files of the site or in its shell.';
const LIMITS = { memoryBytes: 1536 * 1024 * 1024, processes: 512 };
const ARGS = [
  ...['--socket-fd', '3', '--auth', 'none', '--app-name', 'Siteyard', '--reconnection-grace-time', '60'],
  ...['--user-data-dir', `${HOME}/data`, '--extensions-dir', `${HOME}/extensions`],
  ...['--disable-telemetry', '--disable-update-check', '--disable-workspace-trust', '--disable-proxy'],
  '--disable-getting-started-override',
];
/** An empty gallery is no marketplace. */
const ENVIRONMENT = { EXTENSIONS_GALLERY: '{}', XDG_CONFIG_HOME: `${HOME}/config`, VSCODE_PROXY_URI: '' };

/**
 * VS Code for the people of a site, in the site's sandbox. What is installed is shared by all sites and can be written by none; what an editor
 * keeps for itself is in a folder of the platform's, which is no part of the site.
 */
export class SiteEditors {
  readonly #options: SiteEditorsOptions;
  readonly #codeServer: CodeServer;
  readonly #homes: string;
  readonly #sockets: string;
  readonly #log: Log;
  readonly #running = new Map<string, RunningEditor>();
  readonly #starting = new Map<string, Promise<RunningEditor>>();
  readonly #failures = new Map<string, string>();
  #shells: Promise<SiteShells | { missing: string }> | undefined;
  /** Those that are wanted: what is about to start when it is called off does not. */
  readonly #called = new Set<string>();

  constructor(options: SiteEditorsOptions) {
    this.#options = options;
    this.#log = options.log;
    this.#codeServer = new CodeServer(options.cacheDir, options.log);
    this.#homes = join(options.dataDir, 'editors');
    this.#sockets = shortFolder(join(options.dataDir, 'editor-sockets'));
  }

  /** Has VS Code on this machine, or says why not. */
  async prepare(): Promise<void> {
    const here = await this.#here();
    if (!('missing' in here)) await this.#codeServer.install();
  }

  async state(siteId: string): Promise<EditorState> {
    const here = await this.#here();
    if ('missing' in here) return { state: 'failed', reason: `This machine has no sandbox: ${here.missing}.` };
    const installed = this.#codeServer.state;
    if (installed.state === 'installing' || installed.state === 'failed') return installed;
    if (this.#running.get(siteId)?.isReady) return { state: 'running' };
    const reason = this.#failures.get(siteId);
    return reason === undefined || this.#starting.has(siteId) ? { state: 'asleep' } : { state: 'failed', reason };
  }

  /** The sites whose editor runs or is about to. */
  get running(): string[] {
    return [...this.#starting.keys()];
  }

  /** Resolves when the site's editor runs, or can not: it is being installed, or something is wrong. */
  async wake(site: SiteSpec, maxDiskBytes?: number): Promise<EditorState> {
    this.#options.requireOpen(site.id);
    const here = await this.#here();
    if ('missing' in here) return this.state(site.id);
    if (this.#codeServer.state.state !== 'installed') {
      void this.#codeServer.install();
      return this.state(site.id);
    }
    try {
      const starting = this.#starting.get(site.id) ?? this.#begin(site, here, maxDiskBytes);
      await (await starting).ready;
      this.#failures.delete(site.id);
    } catch (error) {
      if (error instanceof SiteFailure) throw error;
      this.#failures.set(site.id, (error as Error).message);
      this.#log.warn({ err: error, siteId: site.id }, 'an editor could not start');
    }
    return this.state(site.id);
  }

  /** A connection to the editor that runs, for HTTP. */
  connect(siteId: string): Socket {
    const editor = this.#running.get(siteId);
    if (!editor?.isReady) throw new SiteFailure('stopped', 'The editor is asleep.');
    return editor.connect();
  }

  /** Ends the site's editor; resolves when nothing of it is left. */
  async end(siteId: string): Promise<void> {
    const starting = this.#starting.get(siteId);
    if (!starting) return;
    this.#called.delete(siteId);
    await (await starting.catch(() => undefined))?.end();
  }

  /** What the editor kept of a site that is gone. */
  async forget(siteId: string): Promise<void> {
    await this.end(siteId);
    this.#failures.delete(siteId);
    await removeFolder(this.#homeOf(siteId));
  }

  async close(): Promise<void> {
    await Promise.all(this.running.map((siteId) => this.end(siteId)));
  }

  #begin(site: SiteSpec, here: SiteShells, maxDiskBytes: number | undefined): Promise<RunningEditor> {
    this.#called.add(site.id);
    const starting = this.#start(site, here, maxDiskBytes);
    this.#starting.set(site.id, starting);
    const forget = () => {
      if (this.#starting.get(site.id) === starting) this.#starting.delete(site.id);
    };
    starting.then((editor) => editor.ended.then(forget), forget);
    return starting;
  }

  async #start(site: SiteSpec, shells: SiteShells, maxDiskBytes: number | undefined): Promise<RunningEditor> {
    const seat = await this.#options.disk.seat(site.id, maxDiskBytes);
    // It can not even start without writing.
    if (seat.room.fileBytes < LEAST_FILE_BYTES) throw new Error(NO_ROOM);
    const home = await this.#makeHome(site.id, shells);
    const entry = await shells.enter(site, {
      args: [NODE, '--max-old-space-size=512', `${PROGRAM}/launch.cjs`, ...ARGS, PATHS.content],
      env: { ...ENVIRONMENT, ...promptOf(site), SITE_NAME: new URL(site.url).hostname },
      shown: [
        { from: this.#codeServer.folder, at: SERVER },
        { from: INSIDE, at: PROGRAM },
        { from: join(INSIDE, 'extension'), at: EXTENSION },
        { from: home, at: HOME, isWritable: true },
      ],
      limits: { ...LIMITS, fileBytes: seat.room.fileBytes },
    });
    try {
      // Some work may have taken the site meanwhile.
      this.#options.requireOpen(site.id);
      if (!this.#called.has(site.id)) throw new SiteFailure('stopped', 'The editor was stopped.');
    } catch (error) {
      await entry.leave();
      throw error;
    }
    return this.#run(site.id, entry, home, seat);
  }

  #run(siteId: string, entry: ShellEntry, home: string, seat: DiskSeat): RunningEditor {
    const socket = join(this.#sockets, `${process.pid}-${randomBytes(6).toString('hex')}`);
    const limits = { idleMs: this.#options.idleMs ?? IDLE_MS, startMs: START_LIMIT_MS };
    const editor = new RunningEditor(entry, socket, limits, {
      active: () => this.#options.active(siteId),
      watchDisk: (pid, tell) => seat.watch({ pid: () => pid, tell, isTooLarge: () => isTooLarge(home) }),
    });
    this.#running.set(siteId, editor);
    void editor.ended.then(() => {
      if (this.#running.get(siteId) === editor) this.#running.delete(siteId);
    });
    return editor;
  }

  /** Nothing of it runs now, so nobody can swap a folder for a link while it is looked at. */
  async #makeHome(siteId: string, shells: SiteShells): Promise<string> {
    const home = this.#homeOf(siteId);
    if (await isTooLarge(home)) await removeFolder(home);
    await mkdir(home, { recursive: true, mode: 0o700 });
    const uid = shells.uidOf(siteId);
    if (process.getuid?.() === 0) chownSync(home, uid, uid);
    return home;
  }

  #homeOf(siteId: string): string {
    return join(this.#homes, siteId);
  }

  #here(): Promise<SiteShells | { missing: string }> {
    this.#shells ??= this.#open().catch((error) => {
      this.#shells = undefined;
      throw error;
    });
    return this.#shells;
  }

  async #open(): Promise<SiteShells | { missing: string }> {
    for (const name of await readdir(this.#sockets).catch(() => []))
      if (isLeft(Number(name.split('-')[0]))) await rm(join(this.#sockets, name), { force: true });
    return this.#options.shells();
  }
}

async function isTooLarge(home: string): Promise<boolean> {
  return (await folderBytes([home]).catch(() => 0)) > HOME_BYTES;
}

/** In a container the service has the same number in every life, and none of this one's is there yet. */
function isLeft(pid: number): boolean {
  return pid === process.pid || !isRunning(pid);
}
