import { createHook } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { fileEnds, workerEnds } from './hooks.ts';
import { END_OF_FILE, type RunnerMessage, type WorkerMessage } from './messages.ts';

/**
 * A worker process of the test runner. It runs test files one after another, so that the service is loaded and compiled once per worker
 * and not once per file. Each file is a suite, so its hooks are its own.
 */
const root = join(import.meta.dirname, '../..');
const FILE_LIMIT_MS = Number(process.env.SITEYARD_TEST_FILE_LIMIT_MS);
/** How long open handles may keep the process running after the last file. */
const LEFT_OPEN_MS = 60_000;
const isFiltered = process.execArgv.some((flag) => flag.startsWith('--test-name-pattern'));

let current: string | undefined;
let hook: ReturnType<typeof tameRunnerHook> | undefined;

for (const event of ['uncaughtException', 'unhandledRejection'])
  process.on(event, (error: unknown) => send({ type: 'stray', file: current, error: inspect(error) }));
process.once('disconnect', () => process.exit(1));

// Both are opened at first use, and must not count as left open by a test.
void [process.stdout, process.stderr];
const handlesAtStart = openHandles();
const afterFiles: { file: string; handles: Map<string, number> }[] = [];
for (let file = await nextFile(); file !== undefined; file = await nextFile()) {
  const startedAt = cpuSeconds();
  current = file;
  await runFile(file);
  current = undefined;
  afterFiles.push({ file, handles: openHandles() });
  send({ type: 'fileCost', file, cpuSeconds: cpuSeconds() - startedAt });
}
for (const end of workerEnds.reverse())
  try {
    await end();
  } catch (error) {
    send({ type: 'stray', file: undefined, error: inspect(error) });
  }
setTimeout(reportLeftOpen, LEFT_OPEN_MS).unref();
// The reporter still has results to send; the channel alone must not keep the process running.
process.channel?.unref();

function send(message: WorkerMessage): void {
  process.send?.(message);
}

async function nextFile(): Promise<string | undefined> {
  const reply = new Promise<string | undefined>((resolve) => {
    const take = (message: RunnerMessage) => {
      if (message.type !== 'file') return;
      process.off('message', take);
      resolve(message.file);
    };
    process.on('message', take);
  });
  send({ type: 'next' });
  return reply;
}

/**
 * node:test hooks into every promise of the process, to know which test an error belongs to. It needs that while a file is loaded; while its
 * tests run, it costs a seventh of all processor time, so the hook is off then. A stray error then fails the file and not one of its tests.
 */
function tameRunnerHook(): { enable(): void; disable(): void } {
  const prototype = Object.getPrototypeOf(createHook({})) as ReturnType<typeof createHook>;
  const { enable } = prototype;
  let runnerHook: ReturnType<typeof createHook> | undefined;
  prototype.enable = function (this: ReturnType<typeof createHook>) {
    runnerHook ??= this;
    return enable.call(this);
  };
  return { enable: () => void runnerHook?.enable(), disable: () => void runnerHook?.disable() };
}

function runFile(file: string): Promise<void> {
  hook ??= tameRunnerHook();
  const { enable, disable } = hook;
  return new Promise((resolve) => {
    enable();
    describe(file, { timeout: FILE_LIMIT_MS }, async () => {
      try {
        before(disable);
        await import(join(root, file));
        if (isFiltered) test(END_OF_FILE, () => {});
        // Hooks run in the order of their declaration: these two after the file has cleaned up.
        after(async () => {
          for (const end of fileEnds) await end();
        });
        after(() => resolve());
      } catch (error) {
        resolve();
        throw error;
      }
    });
  });
}

/** What keeps this process running, by kind. */
function openHandles(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** A process that cannot end has open handles; the culprits are the files since which there were never fewer. */
function reportLeftOpen(): void {
  for (const [kind, count] of openHandles()) {
    const own = handlesAtStart.get(kind) ?? 0;
    if (count <= own) continue;
    const lastWith = (most: number) => afterFiles.findLastIndex(({ handles }) => (handles.get(kind) ?? 0) <= most);
    const files = Array.from({ length: count - own }, (_, index) => afterFiles[lastWith(own + index) + 1]?.file);
    const known = [...new Set(files)].filter((file) => file !== undefined);
    send({ type: 'leftOpen', files: known, what: `${count - own} ${kind}` });
  }
  setImmediate(() => process.exit(1));
}

/** Processor time of this process and of its children that have ended. */
function cpuSeconds(): number {
  try {
    // Fields 14 to 17 in ticks of 10 ms. They follow the name in parentheses, which may hold spaces.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
  } catch {
    return process.cpuUsage().user / 1e6;
  }
}
