import { mkdir, rm } from 'node:fs/promises';
import { openReader, storeTables } from '../../archive/table-cut.ts';
import { TimeMachineFailure } from '../../failure.ts';
import { ProgressReport } from '../../progress.ts';
import type { SiteRepository } from '../../repository.ts';
import type { Skipped, Snapshot } from '../../snapshot.ts';
import type { Database } from '../database.ts';
import { kindOf, type TranslatedTable, translateTables } from './translate-tables.ts';

type WithTables = Pick<Snapshot, 'tables'>;

/** Whether the tables are of another kind than the database, and have to be told in its words before they come in. */
export async function isForeign(
  repository: SiteRepository,
  { tables }: WithTables,
  database: Database,
): Promise<boolean> {
  const kind = await kindOf(repository, tables);
  return kind !== undefined && kind !== database.kind;
}

/** Fills a new database with tables of the other kind. */
export async function convertInto(
  repository: SiteRepository,
  { tables }: WithTables,
  database: Database,
): Promise<Skipped[]> {
  await repository.refresh();
  const translated = await translateTables(repository, tables, database.kind);
  const target = await database.openTarget({ isForeign: true });
  try {
    // With what one that was killed has left there.
    await target.discardStaged();
    for (const { table, rows } of translated.tables) await fitting(table.name, () => target.stage(table, rows()));
    await target.transaction(async (changes) => {
      for (const { table } of translated.tables) await fitting(table.name, () => changes.replace(table));
      await changes.finish(translated.tables.map(tableOf));
    });
    return translated.skipped;
  } finally {
    await target.close();
  }
}

/** Puts everything that a database has into one of the other kind, also what no snapshot keeps; where that can not be, nothing is moved. */
export async function moveTables(repository: SiteRepository, from: Database, into: Database): Promise<void> {
  const { tables, skipped } = await storeAll(repository, from);
  await into.remove();
  const left = [...skipped, ...(await convertInto(repository, { tables }, into))];
  if (left.length > 0)
    throw new TimeMachineFailure(
      'unusable_point',
      `These can not be moved: ${left.map(({ name, reason }) => `${name} (${reason})`).join(', ')}`.slice(0, 1_000),
    );
}

/** What a database has, as objects that are in no snapshot. */
async function storeAll(repository: SiteRepository, database: Database): Promise<WithTables & { skipped: Skipped[] }> {
  const source = database.source(() => true);
  const reader = await openReader(source);
  try {
    const writer = repository.writer();
    const stored = await storeTables(reader, undefined, undefined, writer, new ProgressReport());
    await writer.flush();
    const tables = Object.fromEntries([...stored.states].map(([name, { ref }]) => [name, ref]));
    return { tables, skipped: stored.skipped };
  } finally {
    await reader.close();
    await source.close();
  }
}

/**
 * The same snapshot, with its tables as this kind of database has them: made in a database that is thrown away, and stored as they are there. What was stored for
 * this is in no snapshot, and goes with the next prune; until then a restore can be planned, verified and finished after a kill as any other.
 */
export async function inWordsOf<T extends WithTables & Partial<Pick<Snapshot, 'tablesSkipped'>>>(
  database: Database,
  repository: SiteRepository,
  snapshot: T,
  folder: string,
): Promise<T> {
  if (!(await isForeign(repository, snapshot, database))) return snapshot;
  const scratch = database.scratch(folder);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    await scratch.remove();
    const skipped = await convertInto(repository, snapshot, scratch);
    const { tables, skipped: unread } = await storeAll(repository, scratch);
    return { ...snapshot, tables, tablesSkipped: [...(snapshot.tablesSkipped ?? []), ...skipped, ...unread] };
  } finally {
    await scratch.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

function tableOf({ table }: TranslatedTable) {
  return table;
}

/** What one database takes the other may not: a text that is too long for its column, two names that differ in an accent. */
async function fitting(table: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    throw isRefusal(error) ? refusal(error, table) : error;
  }
}

/** By what the databases say: 19 of SQLite is a constraint, 22 of a server a value that is none and 23 one that is not allowed. */
function isRefusal(error: unknown): error is Error {
  const { errcode = 0, sqlState = '' } = error as { errcode?: number; sqlState?: string };
  return errcode % 256 === 19 || /^2[23]/.test(sqlState);
}

function refusal(error: Error, table: string): TimeMachineFailure {
  const said = error.message
    .replace(/^\(conn[^)]*\) /, '')
    .split('\n')[0]
    ?.slice(0, 300);
  return new TimeMachineFailure(
    'unusable_point',
    `The table ${table} does not fit into the other kind of database: ${said}`,
    {
      cause: error,
    },
  );
}
