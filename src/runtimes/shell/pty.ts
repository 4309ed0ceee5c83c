import { createRequire } from 'node:module';
import type { Writable } from 'node:stream';
import type { IPty } from '@lydell/node-pty';
import { SiteFailure, type Terminal, type TerminalSize } from '#runtimes/runtime.ts';
import { endTree } from '#sandbox/ending.ts';
import type { Spawn } from '#sandbox/sandbox.ts';

type NodePty = Pick<typeof import('@lydell/node-pty'), 'spawn'>;
let loaded: NodePty | undefined;

/** What is typed ahead of a program that does not read is lost beyond this, as at every terminal. */
const TYPED_AHEAD_BYTES = 1024 * 1024;

/** Loaded with the first terminal: where its build does not run, everything else of the platform does. */
function nodePty(): NodePty {
  try {
    loaded ??= createRequire(import.meta.url)('@lydell/node-pty') as NodePty;
    return loaded;
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new SiteFailure('start', `This machine has no terminals: ${reason}`);
  }
}

export interface Pty extends Terminal {
  readonly pid: number;
  /** Shows something that no program wrote. */
  say(text: string): void;
}

/** A program at a terminal of its own. It ends with us, and with it all that it started (sandbox.ts). */
export function openPty({ file, args, env }: Spawn, { columns, rows }: TerminalSize): Pty {
  const pty = nodePty().spawn(file, args, {
    cols: columns,
    rows,
    cwd: '/',
    env,
    name: 'xterm-256color',
    // As bytes: characters may be cut anywhere, and whoever draws them puts them together.
    encoding: null,
  });
  const exit = Promise.withResolvers<number>();
  let isOver = false;
  let ending: Promise<void> | undefined;
  const listeners: ((bytes: Buffer) => void)[] = [];
  const show = (bytes: Buffer) => {
    for (const take of listeners) take(bytes);
  };
  pty.onData((bytes) => show(bytes as unknown as Buffer));
  pty.onExit(({ exitCode, signal }) => {
    isOver = true;
    exit.resolve(signal ? 128 + signal : exitCode);
  });
  const end = () => {
    // Who does not read would keep what is left, and with that the end, from being heard of.
    pty.resume();
    ending ??= endTree(pty.pid).catch(() => {});
  };
  const whileOpen = (act: () => void) => {
    if (!isOver) act();
  };
  return {
    pid: pty.pid,
    say: (text) => show(Buffer.from(text)),
    onOutput: (take) => void listeners.push(take),
    write: (bytes) =>
      whileOpen(() => {
        if (waitingBytes(pty) < TYPED_AHEAD_BYTES) pty.write(bytes as unknown as string);
      }),
    resize: (size) => whileOpen(() => resize(pty, size)),
    pause: () => pty.pause(),
    resume: () => pty.resume(),
    end: () => whileOpen(end),
    // Not before all that ran in it is gone.
    ended: exit.promise.then(async (code) => {
      await ending;
      return code;
    }),
  };
}

function resize(pty: IPty, { columns, rows }: TerminalSize): void {
  try {
    pty.resize(columns, rows);
  } catch {
    // Its program has just ended, and what is closed has no size; we hear of the end a moment later.
  }
}

/** The package tells nobody; a stream is all that it can be. */
function waitingBytes(pty: IPty): number {
  return (pty as IPty & { _socket?: Writable })._socket?.writableLength ?? 0;
}
