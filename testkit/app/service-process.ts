import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { WORDPRESS_CACHE } from '../drivers/wordpress-cache.ts';

/** A service of a test needs no WordPress of its own, and most need no PHP. */
const WORDPRESS_ENV = {
  CACHE_DIR: WORDPRESS_CACHE,
  WORDPRESS_SOURCE: 'npm',
  STANDBY_WORKERS: '0',
  SHIPPED_TEMPLATES: 'off',
  // Whatever the machine has.
  EDGE_PROCESSES: '1',
};
const MAIN = join(import.meta.dirname, '../../dist/main.js');
/** The product cannot run sites in memory, so the same service is built with that driver too (service.vite.ts). */
const MAIN_WITH_MEMORY = join(import.meta.dirname, '../../dist-test/service.js');
const KEPT_OUTPUT = 20_000;

/** The service as an operator runs it: its own process, known by its pid, its output and its address alone. */
export interface ServiceProcess {
  pid: number;
  /** The address, once it serves; fails with what it said when it ends before. */
  ready: Promise<string>;
  /** Its exit code or the signal that ended it. */
  exited: Promise<number | NodeJS.Signals>;
  kill(signal: NodeJS.Signals): void;
  /** The end of what it wrote to stdout and stderr. */
  output(): string;
}

export function spawnService(
  env: Record<string, string>,
  nodeArgs: string[] = [],
  keptOutput = KEPT_OUTPUT,
  /** What it is started by, such as something that makes it another user's. */
  by: readonly string[] = [],
): ServiceProcess {
  const main = env.RUNTIME === 'memory' ? MAIN_WITH_MEMORY : MAIN;
  const [file, ...args] = [...by, process.execPath, '--disable-warning=ExperimentalWarning', ...nodeArgs, main];
  const child = spawn(file as string, args, {
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, ...WORDPRESS_ENV, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<number | NodeJS.Signals>((resolve) =>
    child.once('exit', (code, signal) => resolve(signal ?? code ?? 1)),
  );
  const output = keepOutput(child, keptOutput);
  const ready = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      if (line.startsWith('ready: ')) resolve(line.slice('ready: '.length));
    });
    child.once('error', reject);
    exited.then((end) => reject(new Error(`the service ended (${end}) before it was ready:\n${output()}`)));
  });
  // Whoever kills it before it is ready need not wait for that.
  ready.catch(() => {});
  return { pid: child.pid as number, ready, exited, kill: (signal) => void child.kill(signal), output };
}

function keepOutput(child: ChildProcess, length: number): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text = (text + part).slice(-length);
    });
  return () => text;
}
