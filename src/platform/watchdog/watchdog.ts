import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describeCurrentRequest } from '#core/http/current-request.ts';
import { programFile } from '#core/program.ts';
import { TICK_MS } from './loop-monitor.ts';
import { REQUEST_KEY } from './main-stack.ts';
import { BEATS, BLOCKS, type WatchdogData } from './watchdog-data.ts';

const PROGRAM = programFile(join(import.meta.dirname, 'watchdog-thread.ts'));

const counters = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));

/**
 * Watches the event loop of this process from a thread of its own: a block is logged with its stack and its request, and a process that hangs is
 * killed, so that it is started again. It ends with the process.
 */
export function startWatchdog(logLevel: string): void {
  Object.assign(globalThis, { [Symbol.for(REQUEST_KEY)]: describeCurrentRequest });
  setInterval(() => Atomics.add(counters, BEATS, 1), TICK_MS).unref();
  const workerData: WatchdogData = { counters: counters.buffer as SharedArrayBuffer, logLevel };
  const thread = new Worker(PROGRAM, {
    name: 'watchdog',
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 },
  });
  thread.on('error', (error) => console.error('The watchdog of the event loop ended.', error));
  thread.unref();
}

/** How often the event loop of this process was blocked. */
export const countBlocks = (): number => Atomics.load(counters, BLOCKS);
