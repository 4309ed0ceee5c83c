import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Log } from '#core/log.ts';
import { SiteFailure, type SiteFailureReason } from '#runtimes/runtime.ts';
import { ownMemoryBytesOf } from '#sandbox/processes.ts';
import { type TimeLimit, whenTimeIsUp } from './time-limit.ts';
import type { WorkerHome } from './worker-home.ts';
import {
  type CommandEnd,
  type LogMessage,
  type RequestEnd,
  readMessage,
  type WorkerMessage,
} from './worker-message.ts';
import { type Priority, WorkerPriority } from './worker-priority.ts';
import { notePid } from './worker-slots.ts';
import { type WorkerOptions, workerStart } from './worker-start.ts';

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
/** A start takes some seconds; one that is not over by now is on a machine that is busy for longer. */
const BACKGROUND_START_MS = 20_000;
/** A process that was killed is gone within moments, unless the machine's own disk hangs. */
const KILL_LIMIT_MS = 15_000;

/**
 * One operating-system process with one PHP in it (worker/, a program of its own). It sees the shared folders and its
 * slot, nothing else of this machine. It is given one site, once, and dies with it.
 */
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
  /** As last seen: after each request, and every now and then. */
  memoryBytes = 0;
  /** Who has it; undefined while it is nobody's. */
  team: string | undefined;
  /** Undefined until it has. */
  bootedAt: number | undefined;
  /** It was started in a hurry, with another compiler than it should have. */
  isLean = false;
  readonly #priority = new WorkerPriority();
  #promotion: NodeJS.Timeout | undefined;
  #booted: Promise<void> | undefined;
  #hasSite = false;
  /** With the method and path of the request; an offline site does not say. */
  onBegin: (request: string | null) => void = () => {};
  onLog: (messages: LogMessage[]) => void = () => {};
  onEnd: (end: RequestEnd) => void = () => {};
  /** PHP has added so much to the site; less than nothing where it deleted. */
  onGrew: (bytes: number) => void = () => {};
  /** What a command reads, a part at a time; nothing is the end. */
  nextInput: () => Promise<Uint8Array> = async () => new Uint8Array();
  /** What was read of its output by now, of all commands. */
  readonly received = { stdout: 0, stderr: 0 };

  constructor(options: WorkerOptions) {
    const { slot, home, mode, log } = options;
    this.slot = slot;
    this.#home = home;
    this.#log = log;
    this.socketPath = join(slot, 'http.sock');
    // Its folder is ours alone; the worker, whoever it becomes, has to pass.
    mkdirSync(slot, { recursive: true, mode: 0o711 });
    const { file, args, env } = workerStart(options);
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
      if (message.type === 'booted') {
        this.#pid = this.#home.workerOf(this.#child);
        this.bootedAt = performance.now();
        this.#priority.set(this.pid);
      }
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

  setPriority(priority: Priority): void {
    clearTimeout(this.#promotion);
    this.#priority.set(this.#pid ?? this.#child.pid, priority);
  }

  /** Lets the start yield to everything else for a while. Without an end to that it would never be over on a machine that stays busy. */
  startInBackground(): void {
    this.setPriority('background');
    this.#promotion = setTimeout(() => this.alive && this.setPriority('normal'), BACKGROUND_START_MS);
    this.#promotion.unref();
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

  /** So much the site may still grow, and its database beyond that; PHP learns of it between two requests. */
  setRoom(bytes: number, beyondBytes: number): void {
    if (this.alive && this.#child.connected) this.#child.send({ type: 'room', bytes, beyondBytes });
  }

  /** Ends the process when it has had so much time without being told that all is well. */
  watch(limitMs: number, reason: SiteFailureReason, message: string): TimeLimit {
    return whenTimeIsUp(this, limitMs, reason === 'start' ? 'all' : 'main', () => {
      this.#log.info({ worker: this.pid, reason }, message);
      this.kill(reason, message);
    });
  }

  /** From outside: in there, nobody sees anything of the machine's processes. */
  measureMemory(): void {
    this.memoryBytes = ownMemoryBytesOf(this.pid);
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
      const limit = this.watch(START_LIMIT_MS, 'start', 'PHP did not start in time.');
      const listen = (message: WorkerMessage) => message.type === type && finish();
      const finish = (failure?: SiteFailure) => {
        if (isOver) return;
        isOver = true;
        limit.stop();
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

async function within<T>(work: Promise<T>, limitMs: number, message: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(message)), limitMs);
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
