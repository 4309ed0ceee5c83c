import { chmodSync, constants, existsSync, lchownSync, readdirSync } from 'node:fs';
import { chmod, lstat, mkdir, open, opendir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '#core/durable-folder.ts';
import { giveFolder } from '#core/file-owner.ts';
import { removeFolder } from '#core/remove-folder.ts';
import { runProgram } from '#core/starter/starter.ts';
import type { SiteStorage } from '#runtimes/runtime.ts';
import { SYSTEM_PATH } from '#sandbox/system.ts';

/**
 * What a site is on disk: `content` is WordPress' wp-content, `outbox` is what the site leaves for the platform. PHP sees
 * these folders and nothing beside them, where the time machine keeps what is its own.
 */
export const SITE_FOLDERS = ['content', 'database', 'outbox'];
export const DATABASE_FILE = '.ht.sqlite';

export function databaseFile(siteFolder: string): string {
  return join(siteFolder, 'database', DATABASE_FILE);
}

/** A mark beside what PHP sees: the site's database is on the server of databases. It is there with the folder or, for a site that moves, in one step. */
const ON_SERVER = 'on-mariadb';

export function isOnServer(siteFolder: string): boolean {
  return existsSync(join(siteFolder, ON_SERVER));
}

export async function markOnServer(siteFolder: string, isThere: boolean): Promise<void> {
  const mark = join(siteFolder, ON_SERVER);
  if (isThere) await (await open(mark, 'w', 0o600)).close();
  else await rm(mark, { force: true });
  await syncFolder(siteFolder);
}

/** Of a site whose database is a file. */
export function storageIn(siteFolder: string): SiteStorage & { database: { kind: 'sqlite' } } {
  return {
    content: join(siteFolder, 'content'),
    database: { kind: 'sqlite', file: databaseFile(siteFolder) },
    staging: join(siteFolder, 'restoring'),
    state: join(siteFolder, 'archive-state'),
  };
}

/**
 * Returns the file of a site whose database is one.
 * @internal Tests alone ask for it.
 */
export function sqliteFileOf({ database }: Pick<SiteStorage, 'database'>): string {
  if (database.kind !== 'sqlite') throw new Error("the site's database is no file");
  return database.file;
}

export async function makeSiteFolder(folder: string): Promise<void> {
  await removeFolder(folder);
  for (const name of SITE_FOLDERS) await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
}

/** Makes what the site's own processes see of it theirs, who may have to pass through the site's folder to it. */
export function giveSiteFolder(folder: string, uid: number): void {
  // One that is gone is restored later, and given then.
  if (!existsSync(folder)) return;
  chmodSync(folder, 0o711);
  for (const name of SITE_FOLDERS) if (existsSync(join(folder, name))) giveFolder(join(folder, name), uid);
}

/** Makes the database theirs alone, before the rest of the site is whole; also where its folder is theirs already. */
export function giveDatabase(folder: string, uid: number): void {
  const database = join(folder, 'database');
  for (const path of [...readdirSync(database).map((name) => join(database, name)), database])
    lchownSync(path, uid, uid);
}

/** So much each name takes, whatever is in it: a disk has only so many. */
const LEAST_BYTES = 4096;

/** Bytes on disk, as the operating system counts them, and something for every name. Links are not followed. */
export async function folderBytes(folders: readonly string[]): Promise<number> {
  try {
    return await sumOf(folders);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENAMETOOLONG') throw error;
    // Paths can be longer than any call takes, for whoever goes down step by step, as this program does.
    const [kilobytes, names] = await Promise.all([countedBy('-k', folders), countedBy('--inodes', folders)]);
    if (kilobytes === undefined) throw error;
    return Math.max(kilobytes * 1024, (names ?? 0) * LEAST_BYTES);
  }
}

export function diskUsageBytes(siteFolder: string): Promise<number> {
  return folderBytes(SITE_FOLDERS.map((name) => join(siteFolder, name)));
}

/** It complains of what vanishes meanwhile, and counts the rest. */
async function countedBy(flag: string, folders: readonly string[]): Promise<number | undefined> {
  const { stdout } = await runProgram('du', ['-s', flag, '--', ...folders], {
    cwd: '/',
    env: { PATH: SYSTEM_PATH },
  }).catch((failure: { stdout?: string }) => ({ stdout: failure.stdout ?? '' }));
  if (!stdout) return undefined;
  return stdout.split('\n').reduce((sum, line) => sum + Number.parseInt(line || '0', 10), 0);
}

const LOOKS_AT_ONCE = 32;

async function sumOf(roots: readonly string[]): Promise<number> {
  let bytes = 0;
  const folders = [...roots];
  for (let current = folders.pop(); current !== undefined; current = folders.pop()) {
    const folder = current;
    // A folder may be huge, and may vanish while it is being read.
    const entries = await asReadable(folder, () => opendir(folder));
    for await (const part of inParts(entries ?? [])) {
      for (const { name } of part.filter((entry) => entry.isDirectory())) folders.push(join(folder, name));
      // Side by side, since to wait for one costs more than to look at it.
      const sizes = part.map(async ({ name }) => {
        const found = await asReadable(folder, () => lstat(join(folder, name)));
        return found ? Math.max(found.blocks * 512, LEAST_BYTES) : 0;
      });
      for (const size of await Promise.all(sizes)) bytes += size;
    }
  }
  return bytes;
}

async function* inParts<T>(items: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T[]> {
  let part: T[] = [];
  for await (const item of items) {
    if (part.push(item) < LOOKS_AT_ONCE) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

/** What vanishes while it is looked at is nothing. What is too deep down for a path is not, nor what its owner hides even from themselves. */
async function asReadable<T>(folder: string, look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look().catch(async (error) => {
      if (error.code !== 'EACCES') throw error;
      await makeReadable(folder);
      return look();
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENAMETOOLONG' || code === 'EACCES') throw error;
    return undefined;
  }
}

const { O_DIRECTORY, O_NOFOLLOW } = constants;
/** Opens what can not be read (Linux, the same number everywhere). */
const O_PATH = 0o10000000;

/**
 * Gives its owner, who we are, back what they took from themselves; nobody else gets anything. Were the folder itself a link, it would not be
 * followed; those on the way to it are.
 */
async function makeReadable(folder: string): Promise<void> {
  const handle = await open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  try {
    const { mode } = await handle.stat();
    await chmod(`/proc/self/fd/${handle.fd}`, (mode & 0o7777) | 0o500);
  } finally {
    await handle.close();
  }
}
