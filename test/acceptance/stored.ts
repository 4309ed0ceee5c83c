import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#core/db/database.ts';

/** Tables and columns that change although every call was rejected, as `schema.table` or `schema.table.column`. */
const CHANGING = [
  // The host records changes of a site some time after the request that created it.
  'public.backup_clocks',
  // Heartbeats and metrics of processes.
  'public.platform_processes',
  'public.platform_readings',
  // Time of the last queue maintenance.
  'jobs.version',
  // A refused call uses its token all the same.
  'public.credentials.last_used_at',
  'public.credentials.ip',
];

/** A digest of each table of the database, whatever its schema. A table that is added later is part of it without being named here. */
export async function everythingStored(db: Db): Promise<Map<string, string>> {
  const steady = (await tables(db)).filter(({ table }) => !CHANGING.includes(table));
  const digests = steady.map(({ table, columns }) => {
    const compared = columns.filter((column) => !CHANGING.includes(`${table}.${column}`));
    const row: RawBuilder<unknown> = sql`row(${sql.join(compared.map((column) => sql.ref(`t.${column}`)))})`;
    return sql`select ${sql.lit(table)} as name, concat(count(*), ' ', sum(hashtextextended(${row}::text, 0))) as digest
      from ${sql.table(table)} t`;
  });
  // One query for all of them: it is sent twice for each row of the walk.
  const { rows } = await sql<{ name: string; digest: string }>`${sql.join(digests, sql` union all `)}`.execute(db);
  return new Map(rows.map(({ name, digest }) => [name, digest]));
}

/** The tables that have another content than before. */
export function changedTables(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...after].filter(([table, digest]) => before.get(table) !== digest).map(([table]) => table);
}

async function tables(db: Db): Promise<{ table: string; columns: string[] }[]> {
  const { rows } = await sql<{ table: string; columns: string[] }>`
    select table_schema || '.' || table_name as table, array_agg(column_name::text order by ordinal_position) as columns
    from information_schema.tables join information_schema.columns using (table_schema, table_name)
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')
    group by table_schema, table_name`.execute(db);
  return rows;
}
