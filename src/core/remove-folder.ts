import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Removes a folder with everything below it, which somebody else may have made. What is not there is fine. */
export async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch (error) {
    // A path can be longer than any call takes. This program goes down step by step.
    if ((error as NodeJS.ErrnoException).code !== 'ENAMETOOLONG') throw error;
    await promisify(execFile)('rm', ['-rf', '--', folder]);
  }
}
