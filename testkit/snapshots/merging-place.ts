import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Random } from '../random.ts';
import { RandomSite } from './random-site.ts';
import { readTreeOf, type Tree } from './three-way-model.ts';

/** A folder that somebody changes at random. */
export class Place {
  readonly folder: string;
  readonly #files: RandomSite;

  constructor(path: string, random: Random) {
    this.folder = join(path, 'site');
    this.#files = new RandomSite(this.folder, join(path, 'unused.sqlite'), random);
  }

  static make(path: string, random: Random): Place {
    execFileSync('mkdir', ['-p', path]);
    return new Place(path, random);
  }

  copyTo(path: string, random: Random): Place {
    execFileSync('cp', ['-a', join(this.folder, '..'), path]);
    return new Place(path, random);
  }

  live(minutes: number): void {
    for (let count = 2 * minutes; count > 0; count--) this.#files.editFile();
  }

  truth(): Tree {
    return readTreeOf(this.folder);
  }
}
