import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { programFile } from '#core/program.ts';
import type { Spawn } from './sandbox.ts';
import { StartedProgram } from './started-program.ts';
import { type FromStarter, HEAD_BYTES, INPUT, OUTPUTS, readHead, type ToStarter } from './starter-messages.ts';

export interface StartOptions extends Spawn {
  /** Whether it is given something to read. */
  hasInput: boolean;
  /** So much of each output is wanted, at most. */
  keptBytes?: number;
}

interface Starting {
  streams: Map<number, Socket>;
  wanted: readonly number[];
  program: StartedProgram | undefined;
  pid: number | undefined;
  end: Pick<Extract<FromStarter, { type: 'ended' }>, 'code' | 'signal'> | undefined;
  resolve(program: StartedProgram): void;
  reject(error: Error): void;
}

const PROGRAM = programFile(join(import.meta.dirname, 'starter-program.ts'));
/** It does nothing but start others. */
const HEAP_MB = 32;

/** Starts programs without this process being copied (starter-program.ts). All of them end with us. */
export class Starter {
  readonly #path: string;
  readonly #server: Server;
  readonly #programs = new Map<string, Starting>();
  #child: ChildProcess;
  #isClosed = false;

  private constructor(path: string, server: Server) {
    this.#path = path;
    this.#server = server;
    this.#child = this.#begin();
  }

  /** The socket is for us and our starter alone: its folder must be nobody else's. */
  static async open(path: string): Promise<Starter> {
    rmSync(path, { force: true });
    const server = createServer((socket) => starter.#take(socket));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(path, resolve);
    });
    server.unref();
    const starter = new Starter(path, server);
    return starter;
  }

  /** Whose children the programs are. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  start({ hasInput, ...wish }: StartOptions): Promise<StartedProgram> {
    const id = randomBytes(6).toString('hex');
    const streams = hasInput ? [INPUT, ...OUTPUTS] : OUTPUTS;
    return new Promise((resolve, reject) => {
      const starting = { streams: new Map(), wanted: streams, program: undefined, pid: undefined, end: undefined };
      this.#programs.set(id, { ...starting, resolve, reject });
      this.#say({ type: 'start', id, ...wish, streams });
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#server.close();
    this.#child.kill('SIGKILL');
  }

  #begin(): ChildProcess {
    const child = fork(PROGRAM, [], {
      execArgv: [`--max-old-space-size=${HEAP_MB}`, '--disable-warning=ExperimentalWarning'],
      env: {},
      cwd: '/',
      // What is typed at the operator's terminal is not for it.
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child.on('message', (message: FromStarter) => this.#hear(message));
    child.once('exit', () => this.#lost()).on('error', () => {});
    child.unref();
    child.channel?.unref();
    this.#child = child;
    this.#say({ type: 'listen', socket: this.#path });
    return child;
  }

  /** All that it started has ended with it. */
  #lost(): void {
    for (const [id, { program, reject }] of this.#programs) {
      this.#programs.delete(id);
      program?.ended(null, 'SIGKILL');
      reject(new Error('the program could not be started'));
    }
    if (!this.#isClosed) this.#child = this.#begin();
  }

  #say(message: ToStarter): void {
    // Where it is gone we hear of that too.
    this.#child.send(message, () => {});
  }

  #take(socket: Socket): void {
    socket.once('error', () => {});
    const read = () => {
      const head: Buffer | null = socket.read(HEAD_BYTES);
      if (!head) return;
      socket.off('readable', read);
      const { id, stream } = readHead(head.toString('latin1'));
      const starting = this.#programs.get(id);
      if (!starting) return void socket.destroy();
      starting.streams.set(stream, socket);
      this.#complete(id, starting);
    };
    socket.on('readable', read);
  }

  #hear(message: FromStarter): void {
    const starting = this.#programs.get(message.id);
    if (!starting) return;
    if (message.type === 'failed') {
      this.#programs.delete(message.id);
      for (const socket of starting.streams.values()) socket.destroy();
      starting.reject(new Error(message.message));
    } else if (message.type === 'flooded') starting.program?.emit('flooded');
    else if (message.type === 'started') {
      starting.pid = message.pid;
      this.#complete(message.id, starting);
    } else {
      starting.end = message;
      this.#complete(message.id, starting);
    }
  }

  /** What it is, and its streams, come by different ways and in any order. */
  #complete(id: string, starting: Starting): void {
    const { streams, wanted, pid } = starting;
    if (!starting.program && pid !== undefined && streams.size === wanted.length) {
      starting.program = new StartedProgram(pid, streams);
      starting.resolve(starting.program);
    }
    const { program, end } = starting;
    if (!program || !end) return;
    this.#programs.delete(id);
    // Not before whoever started it listens.
    setImmediate(() => program.ended(end.code, end.signal));
  }
}
