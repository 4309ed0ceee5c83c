import { sql } from 'kysely';
import type { Database } from '#core/db/database.ts';
import { type Db, inTransaction } from '#core/db/database.ts';

const ROWS_AT_ONCE = 500;

interface Table {
  name: string;
  columns: { name: string; type: string; isGenerated: boolean }[];
}

interface Sequence {
  name: string;
  value: string;
}

/** All tables with their columns in order; parts of a table come with the whole. */
async function listTables(db: Db): Promise<Table[]> {
  const { rows } = await sql<Table>`
    select format('%I.%I', nspname, relname) as name,
      jsonb_agg(jsonb_build_object('name', quote_ident(attname), 'type', format_type(atttypid, atttypmod),
        'isGenerated', attgenerated <> '') order by attnum) as columns
    from pg_class join pg_namespace n on n.oid = relnamespace join pg_attribute on attrelid = pg_class.oid
    where relkind in ('r', 'p') and not relispartition and attnum > 0 and not attisdropped
      and nspname not in ('pg_catalog', 'information_schema') and nspname not like 'pg\\_%'
    group by nspname, relname order by 1`.execute(db);
  return rows;
}

async function listSequences(db: Db): Promise<Sequence[]> {
  const { rows } = await sql<Sequence>`
    select format('%I.%I', schemaname, sequencename) as name, last_value::text as value from pg_sequences
    where last_value is not null order by 1`.execute(db);
  return rows;
}

/** Everything that is in a database, as of one instant: each row in Postgres' own text for it, which is exact for every type. */
export async function* dumpTables({ db }: Database): AsyncGenerator<string> {
  const transaction = await db.startTransaction().setIsolationLevel('repeatable read').execute();
  try {
    await sql`set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`.execute(transaction);
    const tables = await listTables(transaction);
    for (const { name, columns } of tables) {
      yield JSON.stringify({ table: name, columns: columns.map((column) => column.name) });
      await sql`declare rows_of_table cursor for select t::text as row from ${sql.raw(name)} t`.execute(transaction);
      for (;;) {
        const fetch = sql<{ row: string }>`fetch ${sql.raw(`${ROWS_AT_ONCE}`)} from rows_of_table`;
        const { rows } = await fetch.execute(transaction);
        for (const { row } of rows) yield JSON.stringify({ row });
        if (rows.length < ROWS_AT_ONCE) break;
      }
      await sql`close rows_of_table`.execute(transaction);
    }
    yield JSON.stringify({ sequences: await listSequences(transaction) });
  } finally {
    await transaction.rollback().execute();
  }
}

/** Puts all of it in place of what is there, or nothing, not even where `beforeCommit` fails. What a row sets off (triggers) has happened already; what it needs (foreign keys) is verified in the end. */
export async function loadTables(
  { db }: Database,
  lines: AsyncIterable<string>,
  beforeCommit: () => Promise<void>,
): Promise<number> {
  return inTransaction(db, async (tx) => {
    await sql`set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`.execute(tx);
    const tables = new Map((await listTables(tx)).map((table) => [table.name, table]));
    const run = (text: string) => sql.raw(text).execute(tx);
    const { rows: keys } = await sql<{ table: string; name: string; definition: string }>`
      select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
      from pg_constraint where contype = 'f' and conparentid = 0`.execute(tx);
    for (const { table, name } of keys) await run(`alter table ${table} drop constraint ${name}`);
    for (const name of tables.keys()) await run(`alter table ${name} disable trigger user`);
    await run(`truncate ${[...tables.keys()].join(', ')}`);
    let count = 0;
    let table: Table | undefined;
    let gathered: string[] = [];
    const flush = async () => {
      if (table && gathered.length > 0) await insertRows(tx, table, gathered);
      count += gathered.length;
      gathered = [];
    };
    for await (const line of lines) {
      const told = JSON.parse(line) as { row?: string; table?: string; columns?: string[]; sequences?: Sequence[] };
      if (told.row !== undefined && gathered.push(told.row) < ROWS_AT_ONCE) continue;
      await flush();
      if (told.table !== undefined) table = sameTable(tables.get(told.table), told.table, told.columns ?? []);
      for (const { name, value } of told.sequences ?? [])
        await sql`select setval(${name}, ${value}::bigint)`.execute(tx);
    }
    await flush();
    for (const name of tables.keys()) await run(`alter table ${name} enable trigger user`);
    for (const { table: of, name, definition } of keys)
      await run(`alter table ${of} add constraint ${name} ${definition}`);
    await beforeCommit();
    return count;
  });
}

/** A row's text is in the order of the columns. */
function sameTable(known: Table | undefined, name: string, columns: string[]): Table {
  if (known && known.columns.map((column) => column.name).join() === columns.join()) return known;
  throw new Error(`The table ${name} was another one when the backup was made`);
}

async function insertRows(db: Db, { name, columns }: Table, rows: readonly string[]): Promise<void> {
  const given = columns.filter(({ isGenerated }) => !isGenerated);
  // Another server counts its transactions anew, and to readers of the stream a higher number is one that has not ended.
  const values = given.map((column) => (column.type === 'xid8' ? `'3'::xid8` : `(r).${column.name}`));
  await sql`insert into ${sql.raw(name)} (${sql.raw(given.map((column) => column.name).join(', '))}) overriding system value
    select ${sql.raw(values.join(', '))} from (select x::${sql.raw(name)} as r from unnest(${rows}::text[]) x) s`.execute(
    db,
  );
}
