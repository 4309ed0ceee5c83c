import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '#core/log.ts';
import { SiteFailure, type SiteFailureReason } from '#runtimes/runtime.ts';
import { memoryBytesOf } from '#sandbox/processes.ts';
import type { WorkerHome } from './worker-home.ts';
import {
  type CommandEnd,
  type LogMessage,
  type RequestEnd,
  readMessage,
  type WorkerMessage,
} from './worker-message.ts';

/**
 * One operating-system process with one PHP in it (worker/, a program of its own). It sees the shared folders and its
 * slot, nothing else of this machine. It is given one site, once, and dies with it.
 */
export interface WorkerOptions {
  /** The slot's folder, which must not exist yet. */
  slot: string;
  home: WorkerHome;
  mode: 'serve' | 'run' | 'wp';
  phpVersion: string;
  ini: Record<string, string>;
  shared: readonly (readonly [path: string, folder: string])[];
  allowedNetworks: readonly string[];
  /** `baseline`: a quarter less processor and 80 MB less memory until the first pages are out, and a third more for each page after. */
  compiler: 'optimizing' | 'baseline';
  log: Log;
}

/** A site as the worker program wants it: its folder by name in the slot, and PHP that defines its settings. */
export interface WorkerSite {
  /** Whom it becomes for this site; undefined where it stays whoever it is. */
  owner?: number | undefined;
  folder: string;
  config: string;
  configName: string;
  isOffline: boolean;
  /** Where the site itself is, as its PHP would call it. */
  own: { host: string; port: number; isSecure: boolean } | null;
}

/** What PHP sends to its own site comes over such a connection. */
export type OwnCall = (connection: Socket) => void;

/** PHP may have so many connections to its own site at once. */
const OWN_CONNECTIONS = 64;
const START_LIMIT_MS = 30_000;
/** A process that was killed is gone within moments, unless the machine's own disk hangs. */
const KILL_LIMIT_MS = 15_000;
/** However busy the machine is, what takes so many times its limit has ended. */
const LONGEST_STRETCH = 10;
/** Beside the heap that JavaScript uses, PHP's memory is WebAssembly's, which this does not count. */
const JAVASCRIPT_HEAP_MB = 256;
const START_HEAP_MB = 64;
/** How far a process gives way to others: one that waits for a site has time, and what a site has besides its first comes after the first of others. */
const PRIORITIES = { normal: 0, extra: 5, background: 10 } as const;
/** Whoever is not root can lower a priority and never raise it again, so that a site would stay behind for good. */
const MAY_CHANGE_PRIORITY = process.getuid?.() === 0;

export class WorkerProcess {
  readonly socketPath: string;
  readonly slot: string;
  readonly #child: ChildProcess;
  readonly #home: WorkerHome;
  #pid: number | undefined;
  /** What it says, as far as it makes sense. */
  readonly #heard = new EventEmitter<{ message: [WorkerMessage] }>();
  readonly #log: Log;
  /** Resolves when the process is gone and all that it said has been heard. */
  readonly closed: Promise<void>;
  /** Resolves when nothing is left of it, its slot included. */
  readonly exited: Promise<void>;
  /** Why it was ended from outside, or why it ended by itself. */
  failure: SiteFailure | undefined;
  alive = true;
  /** As last seen: after each request, and once a second. */
  memoryBytes = 0;
  #booted: Promise<void> | undefined;
  #hasSite = false;
  /** With the method and path of the request; an offline site does not say. */
  onBegin: (request: string | null) => void = () => {};
  onLog: (messages: LogMessage[]) => void = () => {};
  onEnd: (end: RequestEnd) => void = () => {};
  /** PHP has added so much to the site. */
  onGrew: (bytes: number) => void = () => {};
  /** What a command reads, a part at a time; nothing is the end. */
  nextInput: () => Promise<Uint8Array> = async () => new Uint8Array();
  /** What was read of its output by now, of all commands. */
  readonly received = { stdout: 0, stderr: 0 };

  constructor(options: WorkerOptions) {
    const { slot, home, mode, phpVersion, ini, shared, allowedNetworks, compiler, log } = options;
    this.slot = slot;
    this.#home = home;
    this.#log = log;
    this.socketPath = join(slot, 'http.sock');
    // Its folder is ours alone; the worker, whoever it becomes, has to pass.
    mkdirSync(slot, { recursive: true, mode: 0o711 });
    const folders = shared.map(([, folder]) => folder);
    const inside = home.inside(slot, folders);
    const { file, args, env } = home.start(slot, folders, [
      '--permission',
      '--allow-addons',
      // php-wasm would evaluate JavaScript that a PHP extension brings along.
      '--disallow-code-generation-from-strings',
      ...[...inside.programs, ...inside.shared, inside.slot].map((folder) => `--allow-fs-read=${folder}`),
      `--allow-fs-write=${inside.slot}`,
      // PHP waits for sockets and timers inside of WebAssembly; this is the faster of the two ways to do so.
      '--experimental-wasm-jspi',
      // A function is checked when it is first compiled, which most of PHP's never are, and not all of them at every start.
      '--wasm-lazy-validation',
      // The heap is small: dividing its collection among threads costs more than it saves.
      '--single-threaded-gc',
      // Without optimizing there is nothing left to do beside the program.
      ...(compiler === 'baseline' ? ['--liftoff-only', '--single-threaded'] : []),
      // A command lives for a second: only what is very hot is worth optimizing, which takes 1.1 s of the first one then instead of 1.7.
      ...(compiler === 'optimizing' && mode === 'wp' ? ['--wasm-tiering-budget=100000000'] : []),
      // What a start needs of it, so that it is not collected at every step on the way there.
      `--initial-old-space-size=${START_HEAP_MB}`,
      `--max-old-space-size=${JAVASCRIPT_HEAP_MB}`,
      '--disable-warning=ExperimentalWarning',
      '--disable-warning=SecurityWarning',
      `--require=${inside.preload}`,
      inside.program,
      JSON.stringify({
        mode,
        phpVersion,
        ini,
        shared: shared.map(([path], number) => [path, inside.shared[number]]),
        slot: inside.slot,
        allowedNetworks,
      }),
    ]);
    // In a session of its own: the operator's terminal, and what is typed there, is not for what sites bring along.
    const stdin = mode === 'serve' ? 'ignore' : 'pipe';
    this.#child = spawn(file, args, { cwd: slot, env, detached: true, stdio: [stdin, 'pipe', 'pipe', 'ipc'] });
    notePid(slot, this.#child);
    // Whoever is gone reads no more.
    this.#child.stdin?.on('error', () => {});
    if (mode === 'serve') this.#logOutput();
    this.#child.on('message', (said: unknown) => {
      const message = readMessage(said);
      // Whoever got to speak there is not our program any more.
      if (!message) return this.kill('crash', 'The site’s PHP process said what makes no sense.');
      // Until then, what was started is busy becoming it.
      if (message.type === 'booted') this.#pid = this.#home.workerOf(this.#child);
      this.#heard.emit('message', message);
      if (message.type === 'begin') this.onBegin(message.request);
      else if (message.type === 'log') this.onLog(message.messages);
      else if (message.type === 'grew') this.onGrew(message.bytes);
      else if (message.type === 'input') void this.#giveInput();
      else if (message.type === 'exit') this.measureMemory();
      else if (message.type === 'end') {
        this.measureMemory();
        this.onEnd(message);
      }
    });
    this.closed = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        this.#ended(`it ended with ${signal ?? code}`);
        resolve();
      });
      this.#child.on('error', (error) => {
        this.#ended(error.message);
        // What was never started does not end either.
        if (this.#child.pid === undefined) resolve();
      });
    });
    this.exited = this.closed.then(() => rm(slot, { recursive: true, force: true }).catch(() => {}));
  }

  /** The worker itself, and not what was started around it. */
  get pid(): number {
    return this.#pid ?? this.#child.pid ?? 0;
  }

  get output(): { stdout: NonNullable<ChildProcess['stdout']>; stderr: NonNullable<ChildProcess['stderr']> } {
    return this.#child as never;
  }

  booted(): Promise<void> {
    this.#booted ??= this.#reply('booted');
    return this.#booted;
  }

  setPriority(priority: keyof typeof PRIORITIES): void {
    if (!MAY_CHANGE_PRIORITY) return;
    try {
      setPriority(this.pid, PRIORITIES[priority]);
    } catch {
      // It ended in this very moment.
    }
  }

  async warm(site: WorkerSite): Promise<void> {
    const reply = this.#reply('warmed');
    this.#child.send({ type: 'warm', site });
    await reply;
  }

  async assign(siteFolder: string, site: WorkerSite, ownCall: OwnCall): Promise<void> {
    await this.#bring(siteFolder, site, ownCall);
    const reply = this.#reply('serving');
    this.#child.send({ type: 'assign', site });
    await reply;
  }

  /** Runs a PHP program on a site, always the same one. What it wrote may still be on its way when it has ended. */
  async run(
    siteFolder: string,
    site: WorkerSite,
    command: { args: string[]; cwd: string; env: Record<string, string> },
    ownCall: OwnCall,
  ): Promise<CommandEnd> {
    if (!this.#hasSite) {
      this.#hasSite = true;
      await this.#bring(siteFolder, site, ownCall);
    }
    const { promise: ended, resolve } = Promise.withResolvers<CommandEnd>();
    const listen = (message: WorkerMessage) => message.type === 'exit' && resolve(message);
    this.#heard.on('message', listen);
    this.#child.send({ type: 'run', site, ...command });
    const end = await Promise.race([ended, this.closed]).finally(() => this.#heard.off('message', listen));
    if (end) return end;
    throw this.failure ?? new SiteFailure('crash', 'The command was ended.');
  }

  async #giveInput(): Promise<void> {
    const bytes = await this.nextInput().catch(() => new Uint8Array());
    const head = Buffer.alloc(4);
    head.writeUInt32BE(bytes.length);
    this.#child.stdin?.write(Buffer.concat([head, bytes]));
  }

  /** So much the site may still grow; PHP learns of it between two requests. */
  setRoom(bytes: number): void {
    if (this.alive && this.#child.connected) this.#child.send({ type: 'room', bytes });
  }

  /** For how long it could have run and had no processor. Time that others took is not the site's. */
  async starvedMs(): Promise<number> {
    const [, waitedNs] = (await readFile(`/proc/${this.pid}/schedstat`, 'utf8').catch(() => '')).split(' ');
    return Number(waitedNs ?? 0) / 1e6;
  }

  /**
   * Ends the process when it has had so much time without being told that all is well. What it waits for a processor, on
   * a machine that is short of time, does not count. Returns how to tell.
   */
  watch(limitMs: number, reason: SiteFailureReason, message: string): () => void {
    const startedAt = performance.now();
    const starvedBefore = this.starvedMs();
    let isOver = false;
    const look = async () => {
      const starvedMs = (await this.starvedMs()) - (await starvedBefore);
      if (isOver || !this.alive) return;
      const passedMs = performance.now() - startedAt;
      const leftMs = Math.min(limitMs - passedMs + starvedMs, limitMs * LONGEST_STRETCH - passedMs);
      if (leftMs > 0) timer = setTimeout(look, leftMs);
      else {
        this.#log.info({ worker: this.pid, reason }, message);
        this.kill(reason, message);
      }
    };
    let timer = setTimeout(look, limitMs);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }

  /** From outside: in there, nobody sees anything of the machine's processes. */
  measureMemory(): void {
    this.memoryBytes = memoryBytesOf(this.pid);
  }

  /** Takes no more requests, and ends when the answers that are on their way have been read. */
  retire(graceMs: number): void {
    // Told twice, it would take the second for a reason to end at once.
    if (this.alive && this.#child.connected) this.#child.send({ type: 'retire' });
    this.alive = false;
    setTimeout(() => this.kill('stopped', 'The site was stopped.'), graceMs).unref();
  }

  /** As `retire`; resolves when the process is gone, and fails where not even killing it helps. */
  async end(graceMs: number): Promise<void> {
    this.retire(graceMs);
    await within(this.closed, graceMs + KILL_LIMIT_MS, 'a PHP process could not be ended');
  }

  kill(reason: SiteFailureReason, message: string): void {
    this.failure ??= new SiteFailure(reason, message);
    this.alive = false;
    // From the inside out, so that whoever hears of the end hears of the end of all.
    // Until it has booted, what runs in there is still on the way to it.
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    if (this.#pid === undefined) this.#child.kill('SIGKILL');
    else this.#home.kill(this.#child);
  }

  #reply(type: WorkerMessage['type']): Promise<void> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      const fail = () => finish(this.failure ?? new SiteFailure('start', 'PHP could not be started.'));
      const unwatch = this.watch(START_LIMIT_MS, 'start', 'PHP did not start in time.');
      const listen = (message: WorkerMessage) => message.type === type && finish();
      const finish = (failure?: SiteFailure) => {
        if (isOver) return;
        isOver = true;
        unwatch();
        this.#heard.off('message', listen);
        if (failure) reject(failure);
        else resolve();
      };
      if (!this.alive) return fail();
      this.#heard.on('message', listen);
      this.closed.then(fail);
    });
  }

  async #bring(siteFolder: string, site: WorkerSite, ownCall: OwnCall): Promise<void> {
    await this.#home.bring(this.#child, this.slot, siteFolder, site.folder, site.owner);
    await this.#openOwnDoor(site, ownCall);
  }

  /** The way of PHP to its own site: a socket in the slot, which nobody but this one process knows. */
  async #openOwnDoor(site: WorkerSite, ownCall: OwnCall): Promise<void> {
    if (!site.own) return;
    const door = createServer(ownCall);
    door.maxConnections = OWN_CONNECTIONS;
    await new Promise<void>((resolve, reject) => {
      // Its folder is for this one worker; whoever that is by then may use it.
      door.once('error', reject).listen({ path: join(this.slot, 'own.sock'), writableAll: true }, resolve);
    });
    // A connection that could not be taken is PHP's loss alone.
    door.on('error', (error) => this.#log.warn({ err: error, worker: this.pid }, 'a site could not reach itself'));
    this.closed.then(() => door.close());
  }

  #ended(how: string): void {
    this.alive = false;
    this.failure ??= new SiteFailure('crash', `The site's PHP broke: ${how}.`);
  }

  /** What the program around PHP says. What PHP itself complains of is the site owner's business, and comes as messages. */
  #logOutput(): void {
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#log.debug({ worker: this.pid, output: text.trim().slice(0, 2_000) }, 'a PHP process said something');
      });
    }
  }
}

/** A later service finds the process by this note. Where the disk is too full for it, nobody would ever end the process. */
function notePid(slot: string, child: ChildProcess): void {
  try {
    if (child.pid) writeFileSync(join(slot, 'pid'), String(child.pid));
  } catch (error) {
    child.kill('SIGKILL');
    rmSync(slot, { recursive: true, force: true });
    throw error;
  }
}

async function within<T>(work: Promise<T>, limitMs: number, message: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(message)), limitMs);
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Ends what a killed service left running in its slots, which would go on for ever, and removes them when it is gone. */
export async function clearSlots(folder: string): Promise<void> {
  for (const slot of await readdir(folder).catch(() => [])) {
    const pid = Number(await readFile(join(folder, slot, 'pid'), 'utf8').catch(() => ''));
    if (pid) await endWorker(pid, join(folder, slot));
  }
  await rm(folder, { recursive: true, force: true });
}

const END_LIMIT_MS = 5_000;
const END_AGAIN_MS = 20;

async function endWorker(pid: number, slot: string): Promise<void> {
  const deadline = performance.now() + END_LIMIT_MS;
  // A pid may belong to anything by now, so its arguments have to name the slot; what has ended has no arguments any more.
  while ((await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes(slot)) {
    if (performance.now() > deadline) throw new Error(`PHP process ${pid} of a killed service does not end`);
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended in this very moment.
    }
    await sleep(END_AGAIN_MS);
  }
}
