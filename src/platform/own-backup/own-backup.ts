import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Database, openDatabase } from '#core/db/database.ts';
import { findRunningPostgres, startEmbeddedPostgres } from '#core/db/embedded-postgres.ts';
import { listMigrations } from '#core/db/migrate.ts';
import { syncFolder } from '#core/durable-folder.ts';
import { Jobs } from '#core/jobs/jobs.ts';
import type { Log } from '#core/log.ts';
import type { Stop } from '#core/part.ts';
import { isKeyOf } from '#core/platform-key.ts';
import type { Config } from '../../config.ts';
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
export async function backUpPlatform(config: Config, file: string, passphrase: string): Promise<{ rows: number }> {
  const keys = [config.secretKey ?? (await readFile(keyFile(config), 'utf8')).trim(), ...config.previousSecretKeys];
  const stops: Stop[] = [];
  try {
    const database = openDatabase(await findDatabase(config, stops), 2, () => {}, { statementMs: 0 });
    stops.push(() => database.close());
    if (!(await isKeyOf(database.db, keys[0] as string)))
      throw new OwnBackupRefused(
        'The key is not the one of this database: with it nothing of the backup could be used',
      );
    const head: Head = { format: 1, at: new Date().toISOString(), migrations: await listMigrations(), keys };
    let rows = 0;
    const lines = async function* () {
      yield JSON.stringify(head);
      for await (const line of dumpTables(database)) {
        if (line.startsWith('{"row"')) rows++;
        yield line;
      }
    };
    await writeSealedLines(file, passphrase, lines());
    return { rows };
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
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
 * is in the file that is named.
 */
export async function restorePlatform(
  config: Config,
  file: string,
  passphrase: string,
  log: Log,
): Promise<{ rows: number; at: string; previousKeysFile: string | undefined }> {
  const lines = readSealedLines(file, passphrase);
  const first = await lines.next();
  const head = JSON.parse(first.done ? '{}' : first.value) as Head;
  const migrations = await listMigrations();
  if (JSON.stringify(head.migrations) !== JSON.stringify(migrations))
    throw new OwnBackupRefused(
      `The backup was made by another version (its last migration is ${head.migrations?.at(-1)}, ours ${migrations.at(-1)}): restore it with that one, then update`,
    );
  const [key, ...previous] = head.keys as [string, ...string[]];
  if (config.secretKey !== undefined && config.secretKey !== key)
    throw new OwnBackupRefused('SECRET_KEY is not the key of the backup: leave it out, and it is written to DATA_DIR');
  const isPreviousKnown = previous.every((each) => config.previousSecretKeys.includes(each));
  const previousKeysFile = isPreviousKnown ? undefined : `${keyFile(config)}.previous`;
  if (config.secretKey === undefined) await refuseOther(keyFile(config), key);
  if (previousKeysFile !== undefined) await refuseOther(previousKeysFile, previous.join());
  if (config.databaseUrl === undefined && existsSync(join(config.dataDir, 'postgres/cluster')))
    throw new OwnBackupRefused(`${config.dataDir} has a database already: restore into an empty folder`);
  const stops: Stop[] = [];
  try {
    const ground = await layGround(config, log, stops);
    await refuseUsed(ground);
    const { db, pool, listener } = ground;
    const jobs = new Jobs({ db, pool, listener, log, worker: false });
    await jobs.open();
    await jobs.close();
    const rows = await loadTables(ground, lines, async () => {
      if (config.secretKey === undefined) await writeKey(keyFile(config), key);
      if (previousKeysFile !== undefined) await writeKey(previousKeysFile, previous.join());
    });
    return { rows, at: head.at, previousKeysFile };
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/** A platform writes its key down at its first start. */
async function refuseUsed({ db }: Database): Promise<void> {
  const used = await db.selectFrom('platform').select('key_check').executeTakeFirst();
  if (used) throw new OwnBackupRefused('The database belongs to a platform already: restore into an empty one');
}

/** Whatever was sealed with the key that is there could never be read again. */
async function refuseOther(file: string, content: string): Promise<void> {
  if (existsSync(file) && (await readFile(file, 'utf8')).trim() !== content)
    throw new OwnBackupRefused(`${file} holds something else than the backup: restore into an empty folder`);
}

async function writeKey(file: string, content: string): Promise<void> {
  try {
    await writeFile(file, `${content}\n`, { mode: 0o600, flush: true, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    await refuseOther(file, content);
  }
  await syncFolder(dirname(file));
}

const keyFile = ({ dataDir }: Config) => join(dataDir, 'secret.key');
