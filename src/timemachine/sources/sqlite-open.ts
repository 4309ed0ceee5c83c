import { closeSync, fstatSync, openSync, readdirSync, readlinkSync, readSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { TimeMachineFailure } from '../failure.ts';

/**
 * A site's database is whatever the site made of it. SQLite runs what its schema holds, follows links to it, and believes
 * the journal beside it; here it is opened so that none of this reaches anything but the database itself. How long reading
 * takes is in the site's hands as well, so whoever opens one does it in a process that can be ended.
 */
export function openDatabase(path: string, options: { timeoutMs: number; create: boolean }): DatabaseSync {
  const url = pathToFileURL(path);
  url.searchParams.set('mode', options.create ? 'rwc' : 'rw');
  return translated(() => {
    assertPlainJournal(path);
    // References between rows hold only when all of them are there, so nothing is to be enforced or cascaded.
    const db = new DatabaseSync(url, {
      timeout: options.timeoutMs,
      enableForeignKeyConstraints: false,
      allowExtension: false,
      defensive: true,
    });
    try {
      // SQLite resolves links before it opens the file and refuses one that appears after that.
      if (db.location() !== realPathOf(path)) throw unreadableDatabase('it is a link');
      db.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON');
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

/**
 * The descriptor by which SQLite itself reads a file that it has open. It is for reading only: whoever opened and closed the
 * file by another one would drop the locks that SQLite holds for this process, and a write would be lost.
 */
export function descriptorOf(path: string): number | undefined {
  const real = realPathOf(path);
  return readdirSync('/proc/self/fd')
    .map(Number)
    .find((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`) === real;
      } catch {
        // It was the one by which the list was read.
        return false;
      }
    });
}

/** The folder may be reached by links, the file itself may not. */
function realPathOf(path: string): string {
  return join(realpathSync(dirname(path)), basename(path));
}

export function unreadableDatabase(reason: string, options?: ErrorOptions): TimeMachineFailure {
  return new TimeMachineFailure('unreadable_database', `The database can not be read: ${reason}`, options);
}

const CORRUPT = 11;
const CAN_NOT_OPEN = 14;
const NOT_A_DATABASE = 26;

/** The kind of a failure of SQLite, without its finer parts; undefined for other failures. */
export function codeOf(error: unknown): number | undefined {
  const code = (error as { errcode?: number }).errcode;
  return code === undefined ? undefined : code & 0xff;
}

export function translated<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translation(error);
  }
}

/** What a failure of SQLite means to us; any other one is what it is. */
export function translation(error: unknown): unknown {
  if (![CORRUPT, CAN_NOT_OPEN, NOT_A_DATABASE].includes(codeOf(error) ?? 0)) return error;
  return unreadableDatabase((error as Error).message, { cause: error });
}

const SUPER_JOURNAL = Buffer.from('d9d505f920a163d7', 'hex');

/**
 * A journal may name a journal of several databases, which SQLite deletes when it rolls back: a file of the site's choice
 * with our rights. Nobody writes such a one who has one database.
 */
export function assertPlainJournal(path: string): void {
  let file: number;
  try {
    file = openSync(`${path}-journal`, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  try {
    const end = Buffer.alloc(SUPER_JOURNAL.length);
    readSync(file, end, 0, end.length, Math.max(0, fstatSync(file).size - end.length));
    if (end.equals(SUPER_JOURNAL)) throw unreadableDatabase('its journal names other files');
  } finally {
    closeSync(file);
  }
}
