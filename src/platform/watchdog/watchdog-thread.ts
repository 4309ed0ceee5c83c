import { readFileSync, writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { LoopMonitor, type ThreadTimes, TICK_MS } from './loop-monitor.ts';
import { BEATS, BLOCKS, type WatchdogData } from './watchdog-data.ts';

const { counters, logLevel } = workerData as WatchdogData;
const counted = new Int32Array(counters);
const monitor = new LoopMonitor(readMainThreadTimes);

setInterval(() => {
  const beats = Atomics.load(counted, BEATS);
  const verdict = monitor.look(beats);
  if (verdict?.t === 'blocked') void reportBlock(beats, verdict.ms);
  else if (verdict?.t === 'ended') log('warn', { blocked_ms: verdict.ms }, 'the event loop is no longer blocked');
  else if (verdict?.t === 'hung') void replaceProcess(beats, verdict.cpuMs);
}, TICK_MS);

const isBlockedAt = (beats: number) => () => Atomics.load(counted, BEATS) === beats;

async function reportBlock(beats: number, ms: number): Promise<void> {
  Atomics.add(counted, BLOCKS, 1);
  const at = await readMainStack(isBlockedAt(beats));
  log('error', { blocked_ms: ms, ...at }, 'the event loop is blocked');
}

/** The first process restarts one that shares its ports, systemd or the container engine restarts the first one. */
async function replaceProcess(beats: number, cpuMs: number): Promise<void> {
  const at = await readMainStack(isBlockedAt(beats));
  if (!isBlockedAt(beats)()) return;
  log('fatal', { cpu_ms: Math.round(cpuMs), ...at }, 'the process hangs and is killed for a restart');
  process.kill(process.pid, 'SIGKILL');
}

/** Loaded when there is something to report: the inspector takes memory. A report without a stack is better than none. */
async function readMainStack(isBlocked: () => boolean): Promise<object> {
  try {
    return await (await import('./main-stack.ts')).readMainStack(isBlocked);
  } catch (error) {
    return { stack: null, request: null, err: String(error) };
  }
}

/**
 * Writes a line in the format of core/log.ts, without the memory of the logger. It writes to stderr directly, because
 * console output of a thread goes through the main thread, which hangs.
 */
function log(level: 'warn' | 'error' | 'fatal', fields: object, msg: string): void {
  if (logLevel === 'silent') return;
  const line = { level, time: new Date().toISOString(), pid: process.pid, ...fields, msg };
  try {
    writeSync(2, `${JSON.stringify(line)}\n`);
  } catch {
    // Nothing reads the log, or it is full.
  }
}

/** The main thread has the id of the process. Where the kernel does not count these times, nothing ever hangs. */
function readMainThreadTimes(): ThreadTimes {
  try {
    const [cpu = 0, wait = 0] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ').map(Number);
    return { cpuMs: cpu / 1e6, waitMs: wait / 1e6 };
  } catch {
    return { cpuMs: 0, waitMs: 0 };
  }
}
