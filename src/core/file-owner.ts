import { execFileSync } from 'node:child_process';
import { lchownSync, lstatSync, opendirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Gives a folder and everything in it to a user, the folder itself last: where that is its user's, all of it is, also after a kill.
 * Only for folders in which nobody else works meanwhile. Links themselves change hands, never what they lead to.
 */
export function giveFolder(folder: string, uid: number): void {
  if (lstatSync(folder).uid === uid) return;
  try {
    giveAll(folder, uid);
  } catch (error) {
    // A path can be longer than any call takes. This program goes down step by step.
    if ((error as NodeJS.ErrnoException).code !== 'ENAMETOOLONG') throw error;
    execFileSync('chown', ['-hR', `${uid}:${uid}`, '--', folder]);
  }
}

function giveAll(folder: string, uid: number): void {
  const entries = opendirSync(folder);
  try {
    for (let entry = entries.readSync(); entry; entry = entries.readSync()) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) giveAll(path, uid);
      else lchownSync(path, uid, uid);
    }
  } finally {
    entries.closeSync();
  }
  lchownSync(folder, uid, uid);
}
