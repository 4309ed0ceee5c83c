import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { type Database, openDatabase } from '#core/db/database.ts';
import { lockDataDir } from '#core/db/embedded/data-dir-lock.ts';
import { endOrphan } from '#core/db/embedded/server.ts';
import { findRunningPostgres, startEmbeddedPostgres } from '#core/db/embedded-postgres.ts';
import { listMigrations } from '#core/db/migrate.ts';
import { makeFolderDurably, moveDurably, syncFolder } from '#core/durable-folder.ts';
import { Jobs } from '#core/jobs/jobs.ts';
import type { Log } from '#core/log.ts';
import type { Stop } from '#core/part.ts';
import { isKeyOf, isPlatform } from '#core/platform-key.ts';
import type { Config } from '../../config.ts';
import { findLackOfRoom } from '../disk-reserve.ts';
import { layGround } from '../ground.ts';
import { readSealedLines, writeSealedLines } from './sealed-file.ts';
import { dumpTables, loadTables } from './tables.ts';

interface Head {
  format: 1;
  at: string;
  migrations: string[];
  /** The platform's own, today's first: without it most of the database could not be read. */
  keys: string[];
}

export class OwnBackupRefused extends Error {}

/**
 * Everything that makes this platform this one and is on no site's disk: its database, as of one instant, and its key, in a file that a passphrase opens. The service may go on meanwhile.
 * What sites hold is in the store of backups.
 */
export async function backUpPlatform<T>(
  config: Config,
  passphrase: string,
  save: (write: (file: string) => Promise<void>) => Promise<T>,
): Promise<{ rows: number; saved: T }> {
  const keys = [config.secretKey ?? (await readFile(keyFile(config), 'utf8')).trim(), ...config.previousSecretKeys];
  const stops: Stop[] = [];
  try {
    const database = openDatabase(await findDatabase(config, stops), 2, () => {}, { statementMs: 0 });
    stops.push(() => database.close());
    if (!(await isKeyOf(database.db, keys[0] as string)))
      throw new OwnBackupRefused(
        'The key is not the one of this database: with it nothing of the backup could be used',
      );
    const migrations = await listMigrations();
    await rejectOtherVersion(database, migrations);
    const head: Head = { format: 1, at: new Date().toISOString(), migrations, keys };
    let rows = 0;
    const lines = async function* () {
      yield JSON.stringify(head);
      for await (const line of dumpTables(database)) {
        if (line.startsWith('{"row"')) rows++;
        yield line;
      }
    };
    const saved = await save((file) => writeSealedLines(file, passphrase, lines()));
    await recordBackup(database);
    return { rows, saved };
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/** A backup says by its migrations which version can restore it, so they must be those of the database. */
async function rejectOtherVersion({ db }: Database, migrations: readonly string[]): Promise<void> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  const applied = rows.map(({ name }) => `${name}.sql`);
  if (JSON.stringify(applied) === JSON.stringify(migrations)) return;
  throw new OwnBackupRefused(
    `The database is of another version (its last migration is ${applied.at(-1)}, ours ${migrations.at(-1)}). ` +
      'Run backup-platform with the version that the service runs.',
  );
}

/** Records the time for the metric and the overview. It is slightly later than the last row in the backup. */
async function recordBackup({ db }: Database): Promise<void> {
  await sql`update platform set backed_up_at = now()`.execute(db);
}

async function findDatabase({ databaseUrl, dataDir }: Config, stops: Stop[]): Promise<string> {
  const folder = join(dataDir, 'postgres');
  const known = databaseUrl ?? findRunningPostgres(folder);
  if (known !== undefined) return known;
  if (!existsSync(join(folder, 'cluster'))) throw new OwnBackupRefused(`There is no database in ${dataDir}`);
  const postgres = await startEmbeddedPostgres({ dataDir: folder });
  stops.push(() => postgres.stop());
  return postgres.url;
}

/**
 * Into a place where no platform was before. A start finds the platform as it was; where its key was being changed, with `SECRET_KEY_PREVIOUS` set to what
 * is in the file that is named. The whole backup is read and verified first, and an embedded database is built in a folder of its own that is moved into
 * place at the end: a restore that fails or is killed can be repeated.
 */
export async function restorePlatform(
  config: Config,
  file: string,
  passphrase: string,
  log: Log,
): Promise<{ rows: number; at: string; previousKeysFile: string | undefined }> {
  const head = await verifyBackup(file, passphrase);
  const [key, ...previous] = head.keys as [string, ...string[]];
  if (config.secretKey !== undefined && config.secretKey !== key)
    throw new OwnBackupRefused('SECRET_KEY is not the key of the backup: leave it out, and it is written to DATA_DIR');
  const isPreviousKnown = previous.every((each) => config.previousSecretKeys.includes(each));
  const previousKeysFile = isPreviousKnown ? undefined : `${keyFile(config)}.previous`;
  if (config.secretKey === undefined) await refuseOther(keyFile(config), key);
  if (previousKeysFile !== undefined) await refuseOther(previousKeysFile, previous.join());
  const written: string[] = [];
  const writeKeys = async () => {
    if (config.secretKey === undefined && (await writeKey(keyFile(config), key))) written.push(keyFile(config));
    if (previousKeysFile !== undefined && (await writeKey(previousKeysFile, previous.join())))
      written.push(previousKeysFile);
  };
  try {
    const rows = await buildDatabase(config, log, (ground) =>
      loadTables(ground, withoutHead(readSealedLines(file, passphrase)), writeKeys),
    );
    return { rows, at: head.at, previousKeysFile };
  } catch (error) {
    for (const each of written) await rm(each, { force: true });
    throw error;
  }
}

/** Reads a backup to its end, which verifies that it is complete and unchanged. */
async function verifyBackup(file: string, passphrase: string): Promise<Head> {
  let head: Head | undefined;
  for await (const line of readSealedLines(file, passphrase)) head ??= JSON.parse(line) as Head;
  const migrations = await listMigrations();
  if (head && JSON.stringify(head.migrations) === JSON.stringify(migrations)) return head;
  throw new OwnBackupRefused(
    `The backup was made by another version (its last migration is ${head?.migrations?.at(-1)}, this version has ${migrations.at(-1)}). Restore it with that version, then update.`,
  );
}

async function* withoutHead(lines: AsyncGenerator<string>): AsyncGenerator<string> {
  await lines.next();
  yield* lines;
}

/** Fills an empty database. The embedded one appears in DATA_DIR once it is complete. */
async function buildDatabase(config: Config, log: Log, load: (database: Database) => Promise<number>): Promise<number> {
  const folder = join(config.dataDir, 'postgres');
  const draft = `${folder}.restoring`;
  if (config.databaseUrl !== undefined) return fillDatabase(config, log, load);
  const rejectExisting = () => {
    if (existsSync(join(folder, 'cluster')))
      throw new OwnBackupRefused(
        `${config.dataDir} has a database already. Restore into an empty DATA_DIR, or move ${folder} away first.`,
      );
  };
  rejectExisting();
  await makeFolderDurably(config.dataDir, 0o711);
  const lack = await findLackOfRoom(config.dataDir);
  if (lack) throw lack;
  await removeDraft(draft);
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: draft, log: (line) => log.info(line) });
    const rows = await fillDatabase({ ...config, databaseUrl: postgres.url }, log, load).finally(() => postgres.stop());
    // A service may have created its database in the meantime.
    rejectExisting();
    // The existing folder has no cluster, only a log or an unused password.
    await rm(folder, { recursive: true, force: true });
    await moveDurably(draft, folder);
    return rows;
  } catch (error) {
    await removeDraft(draft);
    throw error;
  }
}

async function fillDatabase(config: Config, log: Log, load: (database: Database) => Promise<number>): Promise<number> {
  const stops: Stop[] = [];
  try {
    const ground = await layGround(config, log, stops);
    await refuseUsed(ground);
    const { db, pool, listener } = ground;
    const jobs = new Jobs({ db, pool, listener, log, worker: false });
    await jobs.open();
    await jobs.close();
    return await load(ground);
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/** Removes the leftovers of a killed restore, including its orphaned Postgres. */
async function removeDraft(draft: string): Promise<void> {
  if (!existsSync(draft)) return;
  const lock = lockDataDir(draft);
  await endOrphan(join(draft, 'cluster')).finally(() => lock.release());
  await rm(draft, { recursive: true, force: true });
}

/** A platform writes its key down at its first start. */
async function refuseUsed({ db }: Database): Promise<void> {
  if (await isPlatform(db))
    throw new OwnBackupRefused('The database belongs to a platform already. Restore into an empty database.');
}

/** Whatever was sealed with the key that is there could never be read again. */
async function refuseOther(file: string, content: string): Promise<void> {
  if (existsSync(file) && (await readFile(file, 'utf8')).trim() !== content)
    throw new OwnBackupRefused(`${file} holds something else than the backup: restore into an empty folder`);
}

/** Returns false if the file already has this content. */
async function writeKey(file: string, content: string): Promise<boolean> {
  try {
    await writeFile(file, `${content}\n`, { mode: 0o600, flush: true, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    await refuseOther(file, content);
    return false;
  }
  await syncFolder(dirname(file));
  return true;
}

const keyFile = ({ dataDir }: Config) => join(dataDir, 'secret.key');
