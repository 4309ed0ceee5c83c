import type pg from 'pg';

const DEADLOCK = '40P01';
const FAR_HOURS = 10_000_000;

/**
 * A clock that is set back, as the database sees it: all that is written down lies later than it did. The time of a backup is
 * also that of its snapshot on disk, so it stays.
 */
export async function shiftStoredTimes(client: Pick<pg.Client, 'query'>, seconds: number): Promise<void> {
  for (;;) {
    await client.query('begin');
    try {
      await shift(client, seconds);
      await client.query('commit');
      return;
    } catch (error) {
      await client.query('rollback');
      // Whoever writes at the same time takes rows in another order.
      if ((error as { code?: string }).code !== DEADLOCK) throw error;
    }
  }
}

async function shift(client: Pick<pg.Client, 'query'>, seconds: number): Promise<void> {
  const { rows } = await client.query(`
    select c.table_schema || '.' || quote_ident(c.table_name) as "table", c.column_name as "column"
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where t.table_type = 'BASE TABLE' and c.table_schema in ('public', 'jobs') and c.data_type like 'timestamp%'
      -- A row of a partition is one of the whole table too.
      and not (select relispartition from pg_class where oid = (c.table_schema || '.' || quote_ident(c.table_name))::regclass)
      and c.is_generated = 'NEVER' and not (c.table_name = 'backups' and c.column_name = 'created_at')`);
  const columns = new Map<string, string[]>();
  for (const { table, column } of rows) columns.set(table, [...(columns.get(table) ?? []), column]);
  for (const [table, names] of columns) {
    // By way of a time that is nobody's: where times are unique (one job an hour), each row would come to where the next one still is.
    for (const by of [`${seconds} seconds ${FAR_HOURS} hours`, `-${FAR_HOURS} hours`]) {
      const sets = names.map((name) => `"${name}" = "${name}" + interval '${by}'`);
      await client.query(`update ${table} set ${sets.join(', ')}`);
    }
  }
}
