import { createHook } from 'node:async_hooks';
import { appendFileSync, closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { inspect } from 'node:util';
import { laneEnds } from './lane-ends.ts';

/**
 * One of the processes that the test files run in, one after the other, so that the service is loaded and compiled once a lane and not once a file.
 * A lane takes the next file that no other has taken (scripts/test.ts); each file is a suite, so its hooks are its own.
 */
export interface LaneWork {
  files: string[];
  /** A file in here for each that is taken. */
  taken: string;
  /** What goes wrong beside any test is written here: the runner only says that a lane failed, and not why. */
  faults: string;
  /** Files that left something open, as far as can be told. */
  leavers: string;
  /** What each file took of a processor: seconds, a tab, the file. */
  costs: string;
  fileLimitMs: number;
}

const LEAVING_MS = 60_000;
const root = join(import.meta.dirname, '..');

export async function runLane({ files, taken, faults, leavers, costs, fileLimitMs }: LaneWork): Promise<void> {
  const note = (line: string) => appendFileSync(faults, `${line}\n`);
  for (const event of ['uncaughtException', 'unhandledRejection'])
    process.on(event, (error: unknown) => note(`${event} in ${running}: ${inspect(error)}`));
  // Both are opened when they are first used, and are not the tests'.
  void [process.stdout, process.stderr];
  const ours = openNow();
  const open: OpenAfter[] = [];
  for (const [number, file] of files.entries()) {
    if (!take(join(taken, String(number)))) continue;
    const before = processorSeconds();
    await runFile(file, fileLimitMs);
    open.push({ file, counts: openNow() });
    appendFileSync(costs, `${(processorSeconds() - before).toFixed(1)}\t${file}\n`);
  }
  for (const end of laneEnds) await end();
  // A lane ends by itself unless a test left something open, which would keep it for ever.
  setTimeout(() => {
    for (const [kind, count] of openNow()) {
      const own = ours.get(kind) ?? 0;
      if (count <= own) continue;
      const files = whoLeft(open, kind, own, count);
      note(`Left open, ${count - own} ${kind}, most likely by ${files.join(', ')}`);
      for (const file of files) appendFileSync(leavers, `${file}\n`);
    }
    process.exit(1);
  }, LEAVING_MS).unref();
}

interface OpenAfter {
  file: string;
  counts: Map<string, number>;
}

/** What keeps this process running, by kind. */
function openNow(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** The files since which there were never fewer. */
function whoLeft(open: OpenAfter[], kind: string, own: number, count: number): string[] {
  const lastWith = (most: number) => open.findLastIndex(({ counts }) => (counts.get(kind) ?? 0) <= most);
  const since = Array.from({ length: count - own }, (_, index) => open[lastWith(own + index) + 1]?.file);
  return [...new Set(since.map((file) => file ?? 'what ends a lane'))];
}

/** Of this process and of those of its children that have ended. */
function processorSeconds(): number {
  try {
    // After the name in parentheses, which may hold spaces: the processor's ticks are fields 14 to 17, a hundred to the second.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
  } catch {
    return process.cpuUsage().user / 1e6;
  }
}

function take(mark: string): boolean {
  try {
    closeSync(openSync(mark, 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * The runner is told of every promise that is made or forgotten in the whole process, to know which file a test belongs to that is being
 * declared. Being told is a seventh of what tests cost, so it is told while a file is read and not while its tests run. An error
 * that nobody waits for then fails the run under the name of its file and not of its test.
 */
const hooks: ReturnType<typeof createHook> = Object.getPrototypeOf(createHook({}));
const { enable } = hooks;
let runnersHook: typeof hooks | undefined;
hooks.enable = function (this: typeof hooks) {
  runnersHook ??= this;
  return enable.call(this);
};

let running: string | undefined;

const runFile = (file: string, timeout: number) =>
  new Promise<void>((resolve) => {
    runnersHook?.enable();
    running = file;
    describe(file, { timeout }, async () => {
      try {
        before(() => void runnersHook?.disable());
        await import(join(root, file));
        // Hooks run in the order they were made: this one when the file has tidied up.
        after(() => resolve());
      } catch (error) {
        resolve();
        throw error;
      }
    });
  });
