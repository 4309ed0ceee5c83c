import type { Log } from '#core/log.ts';
import type { Spawn } from '#sandbox/sandbox.ts';
import type { WorkerHome } from './worker-home.ts';

/** What a worker is started with, and how Node is told. */
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

/** Beside the heap that JavaScript uses, PHP's memory is WebAssembly's, which this does not count. */
const JAVASCRIPT_HEAP_MB = 256;
const START_HEAP_MB = 64;

export function workerStart(options: WorkerOptions): Spawn {
  const { slot, home, mode, phpVersion, ini, shared, allowedNetworks, compiler } = options;
  const folders = shared.map(([, folder]) => folder);
  const inside = home.inside(slot, folders);
  return home.start(slot, folders, [
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
}
