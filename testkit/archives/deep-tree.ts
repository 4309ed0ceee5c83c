import { closeSync, constants, mkdirSync, openSync, writeFileSync } from 'node:fs';

/** Makes folders in one another, as somebody does who goes down step by step: the last ones have no path that any call takes. */
export function makeDeepTree(root: string, levels: number, name = 'd'.repeat(200)): void {
  mkdirSync(root, { recursive: true });
  let folder = openSync(root, constants.O_RDONLY | constants.O_DIRECTORY);
  for (let level = 0; level < levels; level++) {
    mkdirSync(`/proc/self/fd/${folder}/${name}`);
    writeFileSync(`/proc/self/fd/${folder}/${name}/note.txt`, `${level}`);
    const next = openSync(`/proc/self/fd/${folder}/${name}`, constants.O_RDONLY | constants.O_DIRECTORY);
    closeSync(folder);
    folder = next;
  }
  closeSync(folder);
}
