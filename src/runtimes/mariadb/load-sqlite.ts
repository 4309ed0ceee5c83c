import type { SiteDatabase, SqlRow } from '#runtimes/site-database.ts';
import { writeMariadbTable } from '#timemachine/sources/kinds/mysql-table.ts';
import { readToldTables, TOLD_TABLES, type ToldTables } from '#timemachine/sources/kinds/sqlite-told.ts';
import { openConnection } from '#timemachine/sources/mariadb/mariadb-connection.ts';
import { insertRows } from '#timemachine/sources/mariadb/mariadb-write.ts';
import { decodeRows } from '#timemachine/tables/row-codec.ts';
import { quoteName } from './server-access.ts';
import type { MariadbDescription } from './site-databases.ts';

const ROWS_AT_ONCE = 500;

/**
 * Puts what a new site has in SQLite into an empty database of MariaDB. New sites are made in a file, which takes milliseconds and is the same whatever they run
 * on later: the image, somebody's archive, what becomes of the people in there. The file may hold what a stranger made, so it is asked by its own process.
 */
export async function loadSqlite(from: Pick<SiteDatabase, 'query'>, into: MariadbDescription): Promise<void> {
  const told = readToldTables(await readTold(from));
  const connection = await openConnection(into);
  try {
    // What does not fit is refused: it would be cut otherwise.
    await connection.query("SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO,STRICT_ALL_TABLES'");
    const listed = await from.query(
      "select name from sqlite_master where type = 'table' and name like 'wp\\_%' escape '\\' order by name",
    );
    for (const { name: found } of listed) {
      const name = String(found);
      const made = told.get(name);
      const sql = made && writeMariadbTable(made);
      if (!sql) continue;
      await connection.query(sql);
      await connection.query('START TRANSACTION');
      const columns = made.columns.map((column) => column.name);
      for await (const rows of linesOf(from, name, columns))
        await insertRows(connection, quoteName(name), { name, columns, key: [], schema: null }, rows);
      await connection.query('COMMIT');
    }
    for (const [name, last] of await lastNumbers(from))
      if (told.get(name)?.columns.some(({ isAutoIncrement }) => isAutoIncrement))
        await connection.query(`ALTER TABLE ${quoteName(name)} AUTO_INCREMENT = ${last + 1n}`);
  } finally {
    await connection.end().catch(() => connection.destroy());
  }
}

async function readTold(from: Pick<SiteDatabase, 'query'>): Promise<ToldTables> {
  const told = {} as ToldTables;
  for (const [key, name] of Object.entries(TOLD_TABLES)) {
    const [isThere] = await from.query("select 1 from sqlite_master where type = 'table' and name = ?", name);
    told[key as keyof ToldTables] = isThere ? await from.query(`select * from "${name}"`) : [];
  }
  return told;
}

/** In the form of row-codec.ts, by the number that every row has. */
async function* linesOf(from: Pick<SiteDatabase, 'query'>, table: string, columns: readonly string[]) {
  const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
  const parts = columns.map((column) => {
    const value = quote(column);
    return `case typeof(${value}) when 'text' then concat('t', octet_length(${value}), ':', ${value})
      when 'integer' then concat('i', ${value}, ';') when 'null' then 'n' when 'real' then concat('r', quote(${value}), ';')
      else concat('b', octet_length(${value}), ':', ${value}) end`;
  });
  const sql = `select cast(rowid as text) as place, cast(concat(${parts.join(', ')}, char(10)) as blob) as line from ${quote(table)}
    where rowid > cast(? as integer) order by rowid limit ${ROWS_AT_ONCE}`;
  let after = `${-(2n ** 63n)}`;
  for (;;) {
    const found: SqlRow[] = await from.query(sql, after);
    if (found.length > 0) yield found.flatMap(({ line }) => decodeRows(bytesOf(line as Uint8Array), columns.length));
    const last = found.at(-1);
    if (found.length < ROWS_AT_ONCE || !last) return;
    after = String(last.place);
  }
}

function bytesOf(line: Uint8Array): Buffer {
  return Buffer.from(line.buffer, line.byteOffset, line.byteLength);
}

async function lastNumbers(from: Pick<SiteDatabase, 'query'>): Promise<[name: string, last: bigint][]> {
  const [hasNumbers] = await from.query("select 1 from sqlite_master where name = 'sqlite_sequence'");
  const rows = hasNumbers ? await from.query('select name, cast(seq as text) as seq from sqlite_sequence') : [];
  return rows.flatMap(({ name, seq }) => (/^\d{1,18}$/.test(String(seq)) ? [[String(name), BigInt(String(seq))]] : []));
}
