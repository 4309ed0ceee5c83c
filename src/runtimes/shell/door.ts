import { once } from 'node:events';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import type { Log } from '#core/log.ts';
import type { Command, CommandResult } from '#runtimes/runtime.ts';
import { FRAME, FrameReader, frame } from './frames.ts';

/** What somebody inside wants to be run outside: PHP is not in the sandbox with the shell. */
interface Wish {
  program: 'wp' | 'php';
  args: string[];
  cwd: string;
  env: Record<string, string>;
  isTerminal: boolean;
}

export type Answer = (command: Command) => Promise<CommandResult>;

const COMMANDS_AT_ONCE = 4;
const CONNECTIONS = 32;
/** Whoever has said nothing whole by then keeps one of the connections from others. */
const WISH_LIMIT_MS = 10_000;
const HARMLESS = new Set(['COLUMNS', 'LINES', 'TERM', 'NO_COLOR']);
const LONGEST_VALUE = 100;
/** Whoever waits in there has a limit of their own, after which the connection is gone; this is for a terminal that is left alone. */
const LIMIT_MS = 3600_000;
/** What waits to be read by whoever is inside. */
const UNREAD_BYTES = 256 * 1024;
const UNAVAILABLE = 69;
const BUSY = 75;

/**
 * The one way out of a site's sandbox: a socket over which `wp` and `php` inside ask for PHP. Whoever speaks there is the site
 * itself, so it can ask for nothing that its own PHP could not do.
 */
export class Door {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #answer: Answer;
  readonly #log: Log;
  #running = 0;

  private constructor(answer: Answer, log: Log) {
    this.#answer = answer;
    this.#log = log;
    this.#server = createServer((socket) => this.#take(socket));
    this.#server.maxConnections = CONNECTIONS;
  }

  /** The folder of the file must be nobody's but the platform's: whoever can write there could put a link in its place. */
  static async open(file: string, answer: Answer, log: Log): Promise<Door> {
    const door = new Door(answer, log);
    mkdirSync(dirname(file), { recursive: true });
    // Seen from inside as whoever the site is, through a mount; the folders above keep everybody else of the machine out.
    chmodSync(dirname(file), 0o755);
    rmSync(file, { force: true });
    await new Promise<void>((resolve, reject) => {
      door.#server.once('error', reject).listen(file, () => resolve());
    });
    chmodSync(file, 0o666);
    return door;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #take(socket: Socket): void {
    this.#sockets.add(socket);
    const gone = new AbortController();
    const patience = setTimeout(() => socket.destroy(), WISH_LIMIT_MS);
    socket.on('error', () => {});
    socket.once('close', () => {
      clearTimeout(patience);
      this.#sockets.delete(socket);
      gone.abort();
    });
    const reader = new FrameReader();
    const input = new AskedInput(socket);
    let isAsked = false;
    socket.on('data', (piece: Buffer) => {
      try {
        for (const { kind, bytes } of reader.read(piece)) {
          if (kind === FRAME.wish && !isAsked) {
            isAsked = true;
            clearTimeout(patience);
            void this.#perform(socket, readWish(bytes), input, gone.signal);
          } else if (kind === FRAME.input && isAsked) input.give(bytes);
          else if (kind === FRAME.inputEnd && isAsked) input.give(null);
          else throw new Error('a frame makes no sense');
        }
      } catch {
        socket.destroy();
      }
    });
  }

  async #perform(socket: Socket, { program, args, cwd, env, isTerminal }: Wish, stdin: Readable, signal: AbortSignal) {
    const end = (exitCode: number, complaint = '') => {
      if (complaint) socket.write(frame(FRAME.stderr, Buffer.from(`${complaint}\n`)));
      socket.end(frame(FRAME.exit, Buffer.from([exitCode])));
    };
    if (this.#running >= COMMANDS_AT_ONCE)
      return end(BUSY, `At most ${COMMANDS_AT_ONCE} PHP programs of a site run at a time.`);
    this.#running++;
    try {
      const { exitCode } = await this.#answer({
        args: [program, ...args],
        cwd,
        env,
        stdin,
        signal,
        isTerminal,
        timeoutMs: LIMIT_MS,
        maxOutputBytes: Number.POSITIVE_INFINITY,
        keepsOutput: false,
        onOutput: (stream, chunk) => writeTo(socket, frame(FRAME[stream], chunk), signal),
      });
      end(exitCode);
    } catch (error) {
      this.#log.info({ err: error }, 'a command from within a shell could not be run');
      end(UNAVAILABLE, error instanceof Error ? error.message : 'It could not be run.');
    } finally {
      this.#running--;
    }
  }
}

/** Waits for whoever is slow to read; who is gone reads no more. */
async function writeTo(socket: Socket, bytes: Buffer, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  socket.write(bytes);
  if (socket.writableLength < UNREAD_BYTES) return;
  // It leaves no listener behind, whichever comes first.
  await once(socket, 'drain', { signal }).catch(() => {});
}

/** Input that is asked for when somebody first reads it. */
class AskedInput extends Readable {
  readonly #socket: Socket;
  #isAsked = false;
  #isOver = false;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    socket.once('close', () => this.give(null));
  }

  override _read(): void {
    if (!this.#isAsked) this.#socket.write(frame(FRAME.wantInput));
    this.#isAsked = true;
    this.#socket.resume();
  }

  give(bytes: Buffer | null): void {
    if (this.#isOver || this.destroyed) return;
    this.#isOver = bytes === null;
    if (!this.push(bytes) && bytes) this.#socket.pause();
  }
}

function readWish(bytes: Buffer): Wish {
  const { program, args, cwd, env, isTerminal } = JSON.parse(bytes.toString()) as Record<keyof Wish, unknown>;
  const isText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0');
  if ((program !== 'wp' && program !== 'php') || !isText(cwd)) throw new Error('a wish makes no sense');
  if (!Array.isArray(args) || !args.every(isText)) throw new Error('a wish makes no sense');
  const known = Object.entries(env ?? {}).filter(
    ([name, value]) => HARMLESS.has(name) && isText(value) && value.length <= LONGEST_VALUE,
  );
  return {
    program,
    args,
    cwd,
    env: Object.fromEntries(known) as Record<string, string>,
    isTerminal: isTerminal === true,
  };
}
