import { randomBytes } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { PROGRAM_FOLDER } from '#core/program.ts';
import { NODE, type Room } from '#sandbox/room.ts';
import type { Sandbox, Spawn } from '#sandbox/sandbox.ts';
import { endIn, makeRunFolder } from './run-folder.ts';

const PROJECT = join(import.meta.dirname, '../../..');
const PACKAGES = join(PROJECT, 'node_modules');
const SERVICE = '/opt/siteyard';
const TMP_BYTES = 16 * 1024 * 1024;

/** What our own programs need to read. */
export const OWN_FILES = [PROGRAM_FOLDER, join(PROJECT, 'package.json'), ...['yauzl', 'pend'].map(inPackages)];

/** A program that is about to run in the room. */
export interface Entered {
  spawn: Spawn;
  /** What a path is called in there. */
  inside(path: string): string;
  /** To be called when it has ended. */
  leave(): void;
}

/** Where those programs of ours run that read what sites and strangers wrote: they see nothing but the folders that they are given. */
export class ProgramRoom {
  readonly #sandbox: Sandbox;
  readonly #folder: string;
  readonly #room: Room;

  private constructor(sandbox: Sandbox, folder: string) {
    this.#sandbox = sandbox;
    this.#folder = folder;
    const shown = OWN_FILES.map((from) => ({ from, at: inService(from) }));
    this.#room = sandbox.room({ folder: join(folder, 'room'), shown, tmpBytes: TMP_BYTES, hasNetwork: false });
  }

  static async open(sandbox: Sandbox, runFolder: string): Promise<ProgramRoom> {
    return new ProgramRoom(sandbox, await makeRunFolder(runFolder));
  }

  /** Starts Node with arguments that the folders' new names go into. It runs as whoever the first folder belongs to. */
  enter(folders: readonly string[], args: (inside: (path: string) => string) => string[]): Entered {
    const list = join(this.#folder, `${randomBytes(6).toString('hex')}.mounts`);
    const inside = (path: string) => {
      const number = folders.findIndex((folder) => path === folder || path.startsWith(folder + sep));
      return number < 0 ? inService(path) : join('/data', String(number), relative(folders[number] ?? '', path));
    };
    const spawn = this.#sandbox.enter({
      room: this.#room,
      list,
      shown: folders.map((from) => ({ from, at: inside(from), isWritable: true })),
      args: [NODE, ...args(inside)],
      cwd: '/',
      uid: statSync(folders[0] ?? '').uid,
    });
    return { spawn, inside, leave: () => rmSync(list, { force: true }) };
  }

  close(): Promise<void> {
    return endIn(this.#folder);
  }
}

export function inPackages(name: string): string {
  return join(PACKAGES, name);
}

function inService(path: string): string {
  return join(SERVICE, relative(PROJECT, path));
}
