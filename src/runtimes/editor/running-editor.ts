import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { get } from 'node:http';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ShellEntry } from '#runtimes/shell/site-shells.ts';

export interface EditorLimits {
  /** Nobody is connected for so long. */
  idleMs: number;
  startMs: number;
}

interface Hooks {
  /** Somebody works in it. */
  active(): void;
  /** Tells where it takes more room than it may. Returns how to stop watching. */
  watchDisk(pid: number | undefined, tell: () => void): () => void;
}

const TICK_MS = 1_000;
const LOOK_AGAIN_MS = 50;
const ANSWER_LIMIT_MS = 2_000;
/** What an open window sends by itself, to see whether we are there. */
const QUIET_BYTES = 64;
const KEPT_WORDS = 2_000;

/** The editor of one site while it runs: a process that has the socket which we bound, and the connections to it. */
export class RunningEditor {
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  isReady = false;
  readonly #socketPath: string;
  readonly #limits: EditorLimits;
  readonly #hooks: Hooks;
  readonly #entry: ShellEntry;
  readonly #connections = new Set<Socket>();
  #child: ChildProcess | undefined;
  #lastUse = performance.now();
  #movedBytes = 0;
  #seenBytes = 0;
  #words = '';
  #ending: Promise<void> | undefined;

  constructor(entry: ShellEntry, socketPath: string, limits: EditorLimits, hooks: Hooks) {
    this.#entry = entry;
    this.#socketPath = socketPath;
    this.#limits = limits;
    this.#hooks = hooks;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.ready = this.#start(resolve);
    // Whoever waits for it hears of it; nobody may.
    this.ready.catch(() => {});
  }

  connect(): Socket {
    const socket = connect(this.#socketPath);
    this.#connections.add(socket);
    socket.once('close', () => {
      this.#connections.delete(socket);
      this.#movedBytes += socket.bytesRead + socket.bytesWritten;
      this.#lastUse = performance.now();
    });
    return socket;
  }

  /** Resolves when nothing of it is left. */
  end(): Promise<void> {
    this.#ending ??= (async () => {
      for (const socket of this.#connections) socket.destroy();
      await this.#entry.leave();
      rmSync(this.#socketPath, { force: true });
    })();
    return this.#ending;
  }

  async #start(ended: () => void): Promise<void> {
    try {
      const listener = await bind(this.#socketPath);
      if (this.#ending) throw new Error('The site is being worked on.');
      this.#child = this.#spawn(listener, ended);
      await this.#untilItAnswers();
      this.isReady = true;
      this.#lastUse = performance.now();
    } catch (error) {
      await this.end();
      // What was never spawned can not end.
      if (!this.#child) ended();
      throw error;
    }
  }

  #spawn(listener: Server, ended: () => void): ChildProcess {
    const { file, args, env } = this.#entry.spawn;
    const handle = handleOf(listener);
    const child = spawn(file, args, { cwd: '/', env, detached: true, stdio: ['ignore', 'pipe', 'pipe', handle.fd] });
    // Our copy alone.
    handle.close();
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#words = (this.#words + text).slice(-KEPT_WORDS);
      });
    // What does not end in time is told to whoever wants the site to themselves.
    const clock = setInterval(() => void this.#tick().catch(() => {}), TICK_MS).unref();
    const stopDisk = this.#hooks.watchDisk(child.pid, () => void this.end().catch(() => {}));
    const close = () => {
      clearInterval(clock);
      stopDisk();
      const over = () => {
        this.#hooks.active();
        ended();
      };
      void this.end().then(over, over);
    };
    child.once('error', close).once('close', close);
    return child;
  }

  async #untilItAnswers(): Promise<void> {
    const deadline = performance.now() + this.#limits.startMs;
    while (!(await answers(this.#socketPath))) {
      const isOver = this.#ending !== undefined || this.#child?.exitCode !== null;
      if (isOver || performance.now() > deadline)
        throw new Error(`The editor did not start. ${this.#words.trim().slice(-300)}`.trim());
      await sleep(LOOK_AGAIN_MS);
    }
  }

  async #tick(): Promise<void> {
    if (this.#ending) return;
    let bytes = this.#movedBytes;
    for (const { bytesRead, bytesWritten } of this.#connections) bytes += bytesRead + bytesWritten;
    if (bytes - this.#seenBytes > QUIET_BYTES) this.#hooks.active();
    this.#seenBytes = bytes;
    const isIdle = this.#connections.size === 0 && performance.now() - this.#lastUse > this.#limits.idleMs;
    if ((this.isReady && isIdle) || this.#entry.usesTooMuch(this.#child?.pid ?? 0)) await this.end();
  }
}

/** Bound by us: a path that the site could touch might be made to lead to somebody else's socket. */
async function bind(path: string): Promise<Server> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const listener = await new Promise<Server>((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(`${path}.new`, () => resolve(server));
  });
  // Node removes the path that it made when it closes.
  await rename(`${path}.new`, path);
  return listener;
}

/** Node hands a listener over to processes of Node alone; ours is behind a few others. */
function handleOf(server: Server): { fd: number; close(): void } {
  return (server as unknown as { _handle: { fd: number; close(): void } })._handle;
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asking = get({ socketPath, path: '/healthz', signal: AbortSignal.timeout(ANSWER_LIMIT_MS) }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    asking.on('error', () => resolve(false));
  });
}
