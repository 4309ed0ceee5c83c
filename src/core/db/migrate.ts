import { readdir, readFile } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { StartupError } from '../startup-error.ts';
import type { DB } from './schema.generated.ts';

const FOLDER = new URL('../../../migrations/', import.meta.url);

/**
 * Applies the SQL files that are new, in order, each once. Instances that start together wait for one another. All of them run in one
 * transaction, so a failed one leaves the database as it was.
 */
export async function migrate(db: Kysely<DB>, folder = FOLDER): Promise<string[]> {
  await rejectNewerDatabase(db, await listMigrations(folder));
  const migrator = new Migrator({ db, provider: { getMigrations: () => readMigrations(folder) } });
  const { error, results = [] } = await migrator.migrateToLatest();
  const failed = results.find(({ status }) => status === 'Error');
  if (failed)
    throw new StartupError(
      `The migration migrations/${failed.migrationName}.sql failed: ${(error as Error).message}. The database is as it was before. ` +
        'Start the previous version again until the cause is fixed.',
      { cause: error },
    );
  if (error) throw error;
  return results.map((result) => result.migrationName);
}

/** All migrations, in their order. */
export async function listMigrations(folder = FOLDER): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
}

/** The tables of a newer version may mean something else, so an older one must not touch them. */
async function rejectNewerDatabase(db: Kysely<DB>, files: string[]): Promise<void> {
  const { rows } = await sql<{ exists: boolean }>`select to_regclass('kysely_migration') is not null as exists`.execute(
    db,
  );
  if (!rows[0]?.exists) return;
  const applied = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  const unknown = applied.rows.map(({ name }) => `${name}.sql`).filter((name) => !files.includes(name));
  if (unknown.length === 0) return;
  throw new StartupError(
    `The database belongs to a newer version of the service: it has ${unknown.join(', ')}, which this version lacks. Nothing was changed. ` +
      'Start the newer version, or restore a backup of the platform that this version made (`restore-platform`, docs/guides/production.md).',
  );
}

async function readMigrations(folder: URL): Promise<Record<string, Migration>> {
  const files = await listMigrations(folder);
  const migrations = await Promise.all(
    files.map(async (name): Promise<[string, Migration]> => {
      const text = await readFile(new URL(name, folder), 'utf8');
      return [name.replace(/\.sql$/, ''), { up: async (tx) => void (await sql.raw(text).execute(tx)) }];
    }),
  );
  return Object.fromEntries(migrations);
}
