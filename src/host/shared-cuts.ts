import { randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { cp, lstat, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolderDurably, placeDurably } from '#core/durable-folder.ts';
import { runProgram } from '#core/starter/starter.ts';
import { holeBytesOf } from '#timemachine/holes.ts';
import type { CopyPlace, SnapshotName } from '#timemachine/process/protocol.ts';

/** A cut that many sites are made from. */
export interface SharedCut {
  space: string;
  site: string;
  moment: SnapshotName;
}

/** Cuts are kept in files, so they are for sites whose database is one. */
type FilePlace = CopyPlace & { database: { kind: 'sqlite' } };

export function isFilePlace<Place extends Pick<CopyPlace, 'database'>>(
  place: Place,
): place is Place & { database: { kind: 'sqlite' } } {
  return place.database.kind === 'sqlite';
}

type CopyCut = (cut: SharedCut, into: FilePlace) => Promise<void>;

/**
 * Cuts that many sites are made from, unpacked: what a site is made from is then files to copy, or to share where the file system can, and
 * no process has to be started to read them. Whatever is here can be unpacked again, and goes when its cut is forgotten.
 */
export class SharedCuts {
  readonly #folder: string;
  readonly #copy: CopyCut;
  readonly #unpacking = new Map<string, Promise<string>>();

  constructor(folder: string, copy: CopyCut) {
    this.#folder = folder;
    this.#copy = copy;
  }

  /** Puts the cut where it is told. */
  async fill(cut: SharedCut, into: Omit<FilePlace, 'state'>): Promise<void> {
    const from = await this.unpack(cut);
    await rm(into.content, { recursive: true, force: true });
    const mode = constants.COPYFILE_FICLONE;
    // Links are not looked at: they are whatever the site made them.
    const options = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true, mode } as const;
    const hasHoles = existsSync(join(from, HOLES));
    await Promise.all([
      hasHoles ? copyWithHoles(join(from, 'content'), into.content) : cp(join(from, 'content'), into.content, options),
      cp(join(from, DATABASE), into.database.file, { mode }),
    ]);
  }

  /** The folder of the cut, unpacked now where it is not there. */
  unpack(cut: SharedCut): Promise<string> {
    const folder = join(this.#folder, `${cut.site}-${cut.moment.hash.slice(0, 16)}`);
    if (existsSync(folder)) return Promise.resolve(folder);
    const unpacking = this.#unpacking.get(folder) ?? this.#unpackNow(cut, folder);
    this.#unpacking.set(folder, unpacking);
    return unpacking.finally(() => this.#unpacking.delete(folder));
  }

  /** Removes what is here of a site's cuts. */
  async drop(site: string): Promise<void> {
    const isOf = (name: string) => name.startsWith(`${site}-`);
    for (const [folder, unpacking] of this.#unpacking) if (isOf(basename(folder))) await unpacking.catch(() => {});
    const names = await readdir(this.#folder).catch(() => []);
    // At once: whoever copies it just now fails, and has no half of it.
    for (const name of names.filter(isOf))
      await rename(join(this.#folder, name), join(this.#folder, `${GONE}${name}-${randomUUID()}`));
    // With those of whoever was killed here.
    for (const name of await readdir(this.#folder).catch(() => []))
      if (name.startsWith(GONE)) await rm(join(this.#folder, name), { recursive: true, force: true });
  }

  async #unpackNow(cut: SharedCut, folder: string): Promise<string> {
    const draft = `${folder}.draft`;
    await rm(draft, { recursive: true, force: true });
    await makeFolderDurably(this.#folder, 0o700);
    const file = join(draft, DATABASE);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const state = join(draft, 'archive-state');
    await this.#copy(cut, { content: join(draft, 'content'), database: { kind: 'sqlite', file }, state });
    if (await findsHoles(join(draft, 'content'))) await writeFile(join(draft, HOLES), '');
    await placeDurably(draft, folder);
    return folder;
  }
}

const DATABASE = 'database/database.sqlite';
const GONE = 'gone-';
/** A mark beside a content with holes: Node's own way to copy would fill them. */
const HOLES = 'holes';
const LEAST_HOLE_BYTES = 64 * 1024;

async function findsHoles(folder: string): Promise<boolean> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile() && holeBytesOf(await lstat(join(entry.parentPath, entry.name))) >= LEAST_HOLE_BYTES) return true;
  }
  return false;
}

async function copyWithHoles(from: string, to: string): Promise<void> {
  const options = ['-R', '--no-dereference', '--preserve=mode,timestamps', '--reflink=auto', '--sparse=always'];
  await runProgram('cp', [...options, '--', from, to], { cwd: '/', env: { PATH: '/usr/local/bin:/usr/bin:/bin' } });
}
