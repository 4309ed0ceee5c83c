import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe } from 'node:test';

/**
 * One of the processes that the test files run in, one after the other, so that the service is loaded and compiled once a lane and not once a file.
 * A lane takes the next file that no other has taken (scripts/test.ts); each file is a suite, so its hooks are its own.
 */
export interface LaneWork {
  files: string[];
  /** A file in here for each that is taken. */
  taken: string;
  fileLimitMs: number;
}

const LEAVING_MS = 60_000;
const root = join(import.meta.dirname, '..');

export async function runLane({ files, taken, fileLimitMs }: LaneWork): Promise<void> {
  for (const [number, file] of files.entries()) if (take(join(taken, String(number)))) await runFile(file, fileLimitMs);
  // A lane ends by itself unless a test left something open, which would keep it for ever.
  setTimeout(() => {
    console.error('A test left open:', process.getActiveResourcesInfo());
    process.exit(1);
  }, LEAVING_MS).unref();
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

const runFile = (file: string, timeout: number) =>
  new Promise<void>((resolve) => {
    describe(file, { timeout }, async () => {
      try {
        await import(join(root, file));
        // Hooks run in the order they were made: this one when the file has tidied up.
        after(() => resolve());
      } catch (error) {
        resolve();
        throw error;
      }
    });
  });
