import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { programFile } from '#core/program.ts';
import { CHANNEL_FD, Channel } from './channel.ts';
import { endGroup } from './end-group.ts';
import { CLAIM_LENGTH, type Told, type Wish } from './messages.ts';

/**
 * Starts programs from a small process beside the service. Node forks, which copies the tables of all the memory that a process has: 22 ms in which a
 * service of 400 MB answers nobody, and more to come with each page that it writes to afterwards (docs/decisions/0044). The streams of
 * a program are sockets between it and the service; only what has a limit passes through the starter.
 */
export interface StartedProgram {
  /** It leads a group and a session of its own. */
  readonly pid: number;
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** When it has ended and all that it said was read. Both are null where the starter itself ended, and took it along. */
  readonly closed: Promise<Exit>;
  /** True from the moment that its end is known: its number may be somebody else's then. */
  readonly isOver: boolean;
  /** When it goes on writing long after nobody wants more (`keptBytes`). */
  readonly flooded: Promise<void>;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface StartOptions {
  cwd: string;
  env: Record<string, string>;
  /** Whether it reads anything; otherwise its standard input is empty. */
  hasInput?: boolean;
  /** So much of each output is wanted, at most: what comes after that is read slowly by the starter, and dropped. */
  keptBytes?: number;
}

/** A program of ours that is spoken to. It ends when its channel does. */
export interface Peer {
  readonly pid: number;
  readonly channel: Channel;
  readonly closed: Promise<Exit>;
  /** True from the moment that its end is known: its number may be somebody else's then. */
  readonly isOver: boolean;
}

export interface PeerOptions {
  cwd: string;
  env: Record<string, string>;
  /** What it says in its distress goes where the service's own goes. */
  isHeard?: boolean;
}

const PROGRAM = programFile(join(import.meta.dirname, 'starter-program.ts'));
const IDLE_MS = 60_000;
const START_LIMIT_MS = 30_000;
const KEPT_BYTES = 1024 * 1024;
const UNKNOWN: Exit = { code: null, signal: null };

/** Rejects where the program could not be started, with a `code` as the system says it. */
export async function startProgram(
  file: string,
  args: readonly string[],
  options: StartOptions,
): Promise<StartedProgram> {
  const { hasInput = false } = options;
  const started = await (await starter()).start(file, args, options, [hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe']);
  const [stdin, stdout, stderr] = started.streams as [Socket | undefined, Socket, Socket];
  void started.exit.then(() => stdin?.destroy());
  const { pid, closed, flooded } = started;
  return {
    pid,
    stdin,
    stdout,
    stderr,
    closed,
    flooded,
    get isOver() {
      return started.isOver();
    },
  };
}

export async function startPeer(file: string, args: readonly string[], options: PeerOptions): Promise<Peer> {
  const stderr = options.isHeard ? 'inherit' : 'ignore';
  const started = await (await starter()).start(file, args, options, ['ignore', 'ignore', stderr, 'pipe']);
  const channel = new Channel(started.streams[CHANNEL_FD] as Socket);
  return {
    pid: started.pid,
    channel,
    closed: started.closed,
    get isOver() {
      return started.isOver();
    },
  };
}

/** Runs a program to its end; rejects where that is not a success, with what it said: the first MiB of each stream. */
export async function runProgram(
  file: string,
  args: readonly string[],
  { timeoutMs, ...options }: StartOptions & { timeoutMs?: number },
): Promise<{ stdout: string; stderr: string }> {
  const program = await startProgram(file, args, { keptBytes: KEPT_BYTES, ...options });
  // Complaints may be without end: of a million folders, say, that nobody can read.
  const end = () => void (program.isOver || endGroup(program.pid));
  void program.flooded.then(end);
  const timer = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs);
  try {
    const [out, err, { code }] = await Promise.all([buffer(program.stdout), buffer(program.stderr), program.closed]);
    const said = { stdout: out.toString(), stderr: err.toString() };
    if (code !== 0) throw Object.assign(new Error(`${file} failed: ${said.stderr || said.stdout}`), { code, ...said });
    return said;
  } finally {
    clearTimeout(timer);
  }
}

let current: Promise<Starter> | undefined;

/** One for the whole process, made when it is first needed, and anew where it ended. */
async function starter(): Promise<Starter> {
  current ??= Starter.open().catch((error) => {
    current = undefined;
    throw error;
  });
  return current;
}

interface Running {
  /** While it is known to run: afterwards the number may be somebody else's. */
  pid?: number | undefined;
  started(pid: number): void;
  failed(error: Error): void;
  exited(exit: Exit): void;
  flooded(): void;
}

interface Claimed {
  claim: string;
  socket: Promise<Socket>;
  drop(): void;
}

class Starter {
  readonly #child: ChildProcess;
  readonly #server: Server;
  readonly #claims = new Map<string, PromiseWithResolvers<Socket>>();
  readonly #running = new Map<number, Running>();
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;
  #isCurrent = true;

  static async open(): Promise<Starter> {
    const folder = mkdtempSync(join(tmpdir(), 'siteyard-starter-'));
    const path = join(folder, 'streams');
    const server = createServer({ allowHalfOpen: true });
    await once(server.listen(path), 'listening');
    return new Starter(server, folder, path);
  }

  private constructor(server: Server, folder: string, path: string) {
    this.#server = server.on('connection', (socket) => this.#take(socket)).unref();
    this.#child = fork(PROGRAM, [path], {
      execArgv: ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=1'],
      env: { TMPDIR: tmpdir() },
      // Ctrl-C is the service's; this one ends with it.
      detached: true,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child.on('message', (told: Told) => this.#hear(told));
    this.#child.once('error', () => this.#end(folder)).once('exit', () => this.#end(folder));
    this.#child.unref();
    this.#child.channel?.unref();
  }

  async start(
    file: string,
    args: readonly string[],
    { cwd, env, keptBytes }: Pick<StartOptions, 'cwd' | 'env' | 'keptBytes'>,
    stdio: readonly ('pipe' | 'ignore' | 'inherit')[],
  ): Promise<
    Pick<StartedProgram, 'pid' | 'closed' | 'flooded'> & {
      streams: (Socket | undefined)[];
      exit: Promise<Exit>;
      isOver(): boolean;
    }
  > {
    const id = ++this.#lastId;
    const wanted = stdio.map((each) => (each === 'pipe' ? this.#claim() : each));
    const claimed = wanted.map((each) => (typeof each === 'string' ? undefined : each));
    const exit = Promise.withResolvers<Exit>();
    const flood = Promise.withResolvers<void>();
    const started = new Promise<number>((resolve, reject) => {
      this.#running.set(id, { started: resolve, failed: reject, exited: exit.resolve, flooded: flood.resolve });
    });
    this.#hold();
    const streams = wanted.map((each) => (typeof each === 'string' ? each : { claim: each.claim }));
    const endsItself = stdio.length > CHANNEL_FD;
    this.#child.send({ id, file, args, cwd, env, streams, keptBytes, endsItself } satisfies Wish, (error) => {
      if (error) this.#running.get(id)?.failed(error);
    });
    const late = setTimeout(() => this.#giveUp(id, claimed), START_LIMIT_MS);
    try {
      const pid = await started;
      const sockets = await Promise.all(claimed.map((each) => each?.socket));
      // The program's input is the caller's to end.
      const closed = Promise.all([exit.promise, ...sockets.slice(1).map(ended)]).then(([how]) => how);
      void closed.then(() => this.#forget(id));
      const running = this.#running.get(id);
      const isOver = () => running?.pid === undefined;
      return { pid, streams: sockets, exit: exit.promise, closed, flooded: flood.promise, isOver };
    } catch (error) {
      this.#forget(id);
      for (const each of claimed) each?.drop();
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  /** A machine without descriptors loses streams on their way, and a starter may be stopped. */
  #giveUp(id: number, claimed: readonly (Claimed | undefined)[]): void {
    const error = new Error('The program did not start in time.');
    const running = this.#running.get(id);
    if (running?.pid !== undefined) endGroup(running.pid);
    running?.failed(error);
    for (const each of claimed) if (each) this.#claims.get(each.claim)?.reject(error);
  }

  /** A stream that is on its way, and what it will say it is. */
  #claim(): Claimed {
    const claim = randomBytes(CLAIM_LENGTH / 2).toString('hex');
    const stream = Promise.withResolvers<Socket>();
    this.#claims.set(claim, stream);
    const drop = () => {
      this.#claims.delete(claim);
      stream.promise.then(
        (socket) => socket.destroy(),
        () => {},
      );
    };
    return { claim, socket: stream.promise, drop };
  }

  #take(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    const read = () => {
      const claim = socket.read(CLAIM_LENGTH) as Buffer | null;
      if (!claim) return;
      socket.off('readable', read);
      const name = claim.toString('latin1');
      const stream = this.#claims.get(name);
      this.#claims.delete(name);
      if (!stream) return void socket.destroy();
      socket.once('end', () => socket.end());
      stream.resolve(socket);
    };
    socket.on('readable', read);
  }

  #hear(told: Told): void {
    const running = this.#running.get(told.id);
    if (!running) {
      // It was given up before it was there, and nobody would end it.
      if ('pid' in told) endGroup(told.pid);
      return;
    }
    if ('pid' in told) {
      running.pid = told.pid;
      running.started(told.pid);
    } else if ('flooded' in told) running.flooded();
    else if ('exit' in told) {
      running.pid = undefined;
      running.exited(told.exit);
    } else running.failed(Object.assign(new Error(told.failure.message), { code: told.failure.code }));
  }

  /** While something runs, the service waits for it; without that, the starter goes after a while. */
  #hold(): void {
    clearTimeout(this.#idle);
    this.#child.channel?.ref();
  }

  #forget(id: number): void {
    this.#running.delete(id);
    if (this.#running.size > 0) return;
    this.#child.channel?.unref();
    this.#idle = setTimeout(() => {
      this.#leave();
      this.#child.disconnect();
    }, IDLE_MS).unref();
  }

  /** Whoever comes next makes another. */
  #leave(): void {
    if (this.#isCurrent) current = undefined;
    this.#isCurrent = false;
  }

  #end(folder: string): void {
    this.#leave();
    clearTimeout(this.#idle);
    this.#server.close();
    rmSync(folder, { recursive: true, force: true });
    const error = new Error('The process that starts programs ended.');
    for (const stream of this.#claims.values()) stream.reject(error);
    for (const running of [...this.#running.values()]) {
      // Sandboxes are gone by then; nobody else would end the rest, and it counts as ended.
      if (running.pid !== undefined) endGroup(running.pid);
      running.pid = undefined;
      running.failed(error);
      running.exited(UNKNOWN);
    }
  }
}

function ended(stream: Readable | undefined): Promise<void> {
  return new Promise((resolve) => void (!stream || stream.closed ? resolve() : stream.once('close', resolve)));
}
