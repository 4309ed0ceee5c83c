import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import type { Log } from '#core/log.ts';
import { SiteFailure, type SiteFailureReason } from '#runtimes/runtime.ts';

/**
 * One operating-system process with one PHP in it (worker/, a program of its own). It sees the shared folders and its
 * slot, nothing else of this machine. It is given one site, once, and dies with it.
 */
export interface WorkerOptions {
  /** The slot's folder, which must not exist yet. */
  slot: string;
  mode: 'serve' | 'run';
  phpVersion: string;
  ini: Record<string, string>;
  shared: readonly (readonly [path: string, folder: string])[];
  allowedNetworks: readonly string[];
  log: Log;
}

/** A site as the worker program wants it: its folder by name in the slot, and PHP that defines its settings. */
export interface WorkerSite {
  folder: string;
  config: string;
  configName: string;
  isOffline: boolean;
}

/** How PHP came out of a request. */
export interface RequestEnd {
  memoryBytes: number;
  outbox: string[];
  ranOutOfMemory: boolean;
  /** Pages may look different now. */
  changed: boolean;
}

type Message =
  | { type: 'booted' | 'warmed' | 'serving' | 'begin' }
  | ({ type: 'end' } & RequestEnd)
  | { type: 'exit'; code: number };

const WORKER_FOLDER = join(import.meta.dirname, 'worker');
const PACKAGES_FOLDER = join(import.meta.dirname, '../../../node_modules');
const START_LIMIT_MS = 30_000;
/** Beside the heap that JavaScript uses, PHP's memory is WebAssembly's, which this does not count. */
const JAVASCRIPT_HEAP_MB = 256;
const BACKGROUND_PRIORITY = 10;

export class WorkerProcess {
  readonly socketPath: string;
  readonly slot: string;
  readonly #child: ChildProcess;
  readonly #log: Log;
  readonly exited: Promise<void>;
  /** Why it was ended from outside, or why it ended by itself. */
  failure: SiteFailure | undefined;
  alive = true;
  /** As last seen: after each request, and once a second. */
  memoryBytes = 0;
  #booted: Promise<void> | undefined;
  onBegin: () => void = () => {};
  onEnd: (end: RequestEnd) => void = () => {};

  constructor(options: WorkerOptions) {
    const { slot, mode, phpVersion, ini, shared, allowedNetworks, log } = options;
    this.slot = slot;
    this.#log = log;
    this.socketPath = join(slot, 'http.sock');
    mkdirSync(slot, { recursive: true, mode: 0o700 });
    const readable = [WORKER_FOLDER, PACKAGES_FOLDER, slot, ...shared.map(([, folder]) => folder)];
    this.#child = spawn(
      process.execPath,
      [
        '--permission',
        '--allow-addons',
        // php-wasm would evaluate JavaScript that a PHP extension brings along.
        '--disallow-code-generation-from-strings',
        ...readable.map((folder) => `--allow-fs-read=${folder}`),
        `--allow-fs-write=${slot}`,
        // PHP waits for sockets and timers inside of WebAssembly; this is the faster of the two ways to do so.
        '--experimental-wasm-jspi',
        `--max-old-space-size=${JAVASCRIPT_HEAP_MB}`,
        '--disable-warning=ExperimentalWarning',
        '--disable-warning=SecurityWarning',
        `--require=${join(WORKER_FOLDER, 'process-binding.cjs')}`,
        join(WORKER_FOLDER, 'main.ts'),
        JSON.stringify({ mode, phpVersion, ini, shared, slot, allowedNetworks }),
      ],
      { cwd: slot, env: { TZ: 'UTC' }, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
    );
    if (this.#child.pid) writeFileSync(join(slot, 'pid'), String(this.#child.pid));
    if (mode === 'serve') this.#logOutput();
    this.#child.on('message', (message: Message) => {
      if (message.type === 'begin') this.onBegin();
      else if (message.type === 'end') {
        this.memoryBytes = message.memoryBytes;
        this.onEnd(message);
      }
    });
    this.#child.on('error', (error) => this.#ended(error.message));
    this.exited = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        this.#ended(`it ended with ${signal ?? code}`);
        rm(slot, { recursive: true, force: true }).then(resolve, resolve);
      });
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get output(): { stdout: NonNullable<ChildProcess['stdout']>; stderr: NonNullable<ChildProcess['stderr']> } {
    return this.#child as never;
  }

  booted(): Promise<void> {
    this.#booted ??= this.#reply('booted');
    return this.#booted;
  }

  /** Lets visitors' processes go first; a worker that waits for its site has time. */
  setBackground(isBackground: boolean): void {
    try {
      setPriority(this.pid, isBackground ? BACKGROUND_PRIORITY : 0);
    } catch {
      // Raising the priority again is for root alone on some machines; the site is then served a little slower.
    }
  }

  async warm(site: WorkerSite): Promise<void> {
    const reply = this.#reply('warmed');
    this.#child.send({ type: 'warm', site });
    await reply;
  }

  async assign(siteFolder: string, site: WorkerSite): Promise<void> {
    symlinkSync(siteFolder, join(this.slot, site.folder));
    const reply = this.#reply('serving');
    this.#child.send({ type: 'assign', site });
    await reply;
  }

  /** Runs a PHP program on a site; resolves with its exit code. */
  async run(
    siteFolder: string,
    site: WorkerSite,
    command: { args: string[]; env: Record<string, string> },
  ): Promise<number> {
    symlinkSync(siteFolder, join(this.slot, site.folder));
    this.#child.send({ type: 'run', site, ...command });
    const [code] = (await once(this.#child, 'close')) as [number | null];
    if (code === null) throw this.failure ?? new SiteFailure('crash', 'The command was ended.');
    return code;
  }

  /** For how long it could have run and had no processor. Time that others took is not the site's. */
  async starvedMs(): Promise<number> {
    const [, waitedNs] = (await readFile(`/proc/${this.pid}/schedstat`, 'utf8').catch(() => '')).split(' ');
    return Number(waitedNs ?? 0) / 1e6;
  }

  async measureMemory(): Promise<void> {
    const status = await readFile(`/proc/${this.pid}/status`, 'utf8').catch(() => '');
    this.memoryBytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  }

  /** Takes no more requests, and ends when the answers that are on their way have been read. */
  retire(graceMs: number): void {
    this.alive = false;
    if (this.#child.connected) this.#child.send({ type: 'retire' });
    setTimeout(() => this.kill('stopped', 'The site was stopped.'), graceMs).unref();
  }

  kill(reason: SiteFailureReason, message: string): void {
    this.failure ??= new SiteFailure(reason, message);
    this.alive = false;
    this.#child.kill('SIGKILL');
  }

  #reply(type: Message['type']): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = () => finish(this.failure ?? new SiteFailure('start', 'PHP could not be started.'));
      const timer = setTimeout(() => {
        this.kill('start', 'PHP did not start in time.');
      }, START_LIMIT_MS);
      const listen = (message: Message) => message.type === type && finish();
      const finish = (failure?: SiteFailure) => {
        clearTimeout(timer);
        this.#child.off('message', listen).off('close', fail);
        if (failure) reject(failure);
        else resolve();
      };
      if (!this.alive) return fail();
      this.#child.on('message', listen).once('close', fail);
    });
  }

  #ended(how: string): void {
    this.alive = false;
    this.failure ??= new SiteFailure('crash', `The site's PHP broke: ${how}.`);
  }

  /** What PHP complains of is the site owner's business, so it is kept at a level that does not fill the log. */
  #logOutput(): void {
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#log.debug({ worker: this.pid, output: text.trim().slice(0, 2_000) }, 'a site wrote to its error log');
      });
    }
  }
}

/** Ends what a killed service left running in its slots, which would go on for ever, and removes them. */
export async function clearSlots(folder: string): Promise<void> {
  for (const slot of await readdir(folder).catch(() => [])) {
    const pid = Number(await readFile(join(folder, slot, 'pid'), 'utf8').catch(() => ''));
    const command = pid ? await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') : '';
    // A pid may belong to anything by now, so its arguments have to name the slot.
    if (command.includes(join(folder, slot))) endIfAlive(pid);
  }
  await rm(folder, { recursive: true, force: true });
}

function endIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended in this very moment.
  }
}
