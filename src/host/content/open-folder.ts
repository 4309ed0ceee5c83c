import { constants } from 'node:fs';
import { type FileHandle, lstat, open, opendir } from 'node:fs/promises';
import { type FileRefusal, FileRefused } from '../file-refused.ts';

/**
 * A site's wp-content as whoever edits it sees it. The site's own code may swap a folder for a link to anywhere at any instant, so nothing
 * here goes by a path: each folder is opened below the one that is open already, and no step follows a link. Linux only.
 */
const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 2_048;
const NAMES_AT_ONCE = 256;
/** Each level keeps a file open. */
export const MAX_DEPTH = 100;

const REFUSALS: Record<string, FileRefusal> = {
  ENOENT: 'missing',
  // A link, which leads nowhere here, or something that is no folder.
  ELOOP: 'missing',
  ENOTDIR: 'missing',
  EEXIST: 'exists',
  ENOTEMPTY: 'exists',
  ENAMETOOLONG: 'bad_path',
  EINVAL: 'into_itself',
  EACCES: 'denied',
  EPERM: 'denied',
};

/** What the file system says of it, in our words; whatever else goes wrong stays what it is. */
function refusalOf(error: unknown): unknown {
  const refusal = REFUSALS[(error as NodeJS.ErrnoException).code ?? ''];
  return refusal ? new FileRefused(refusal) : error;
}

/** The names on the way to something below wp-content, which is itself the path without any. */
export function namesOf(path: string): string[] {
  if (path === '') return [];
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) throw new FileRefused('bad_path', 'the path is too long');
  const names = path.split('/');
  if (names.length > MAX_DEPTH) throw new FileRefused('bad_path', 'the path has too many folders');
  for (const name of names) {
    if (name === '' || name === '.' || name === '..' || name.includes('\0') || !name.isWellFormed())
      throw new FileRefused('bad_path', 'names are separated by one slash each, and none is empty, . or ..');
    if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw new FileRefused('bad_path', 'a name is too long');
  }
  return names;
}

/** A name in a folder that is open. Names that are no text are bytes. */
export function within(folder: FileHandle, name: string): string;
export function within(folder: FileHandle, name: Buffer): Buffer;
export function within(folder: FileHandle, name: string | Buffer): string | Buffer {
  const path = `/proc/self/fd/${folder.fd}/`;
  return typeof name === 'string' ? path + name : Buffer.concat([Buffer.from(path), name]);
}

/** Some of the names in a folder, in no order: a site can put millions there. */
export async function namesIn(folder: FileHandle, most: number): Promise<Buffer[]> {
  const names: Buffer[] = [];
  // Its types do not know that it takes `buffer`, as readdir does.
  const encoding = 'buffer' as BufferEncoding;
  for await (const { name } of await opendir(`/proc/self/fd/${folder.fd}`, { encoding, bufferSize: NAMES_AT_ONCE })) {
    names.push(name as unknown as Buffer);
    if (names.length >= most) break;
  }
  return names;
}

export const openFolderIn = (folder: FileHandle, name: string | Buffer): Promise<FileHandle> =>
  open(within(folder, name as string), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);

/** O_NONBLOCK: a pipe that somebody left there must not hold a thread. */
export const openFileIn = (folder: FileHandle, name: string): Promise<FileHandle> =>
  open(within(folder, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);

/** Opens a folder below the root. Whoever can hand over what to do asks `inFolder`. */
export async function openFolder(root: string, names: readonly string[]): Promise<FileHandle> {
  let folder = await open(root, O_RDONLY | O_DIRECTORY);
  for (const name of names) {
    const next = openFolderIn(folder, name);
    await next.catch(() => {});
    await folder.close();
    folder = await next;
  }
  return folder;
}

/** Does something in a folder below the root, however the way to it changes meanwhile. */
export async function inFolder<T>(
  root: string,
  names: readonly string[],
  act: (folder: FileHandle) => Promise<T>,
): Promise<T> {
  try {
    const folder = await openFolder(root, names);
    try {
      return await act(folder);
    } finally {
      await folder.close();
    }
  } catch (error) {
    throw refusalOf(error);
  }
}

/** The same with the last name of a path, in the folder that it is in. */
export function inParent<T>(
  root: string,
  path: string,
  act: (folder: FileHandle, name: string) => Promise<T>,
): Promise<T> {
  const names = namesOf(path);
  const name = names.pop();
  if (name === undefined) throw new FileRefused('bad_path', 'this is the content itself');
  return inFolder(root, names, (folder) => act(folder, name));
}

/** What is there, be it a link; undefined where nothing is. */
export async function lookAt(folder: FileHandle, name: string | Buffer) {
  try {
    return await lstat(within(folder, name as string));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
