import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { BlockSize, CutBlock, Key, RowBlock, SqlValue, TableDescription } from '../tables/table-source.ts';
import { translated } from './sqlite-open.ts';
import { quoteName } from './sqlite-schema.ts';

/** Enough for all tables of most sites, so that the next snapshot need not prepare them again. */
const MOST_STATEMENTS = 300;
/** In the first block of a table of which nothing is known. */
const FIRST_ROWS = 32;
/** A block that is so much too big is cut again. */
const MOST_TIMES = 4;

/** Reads rows in the form of row-codec.ts. SQLite writes that form itself: one call for a whole range of rows. */
export class SqliteRows {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** Of a wide table a statement is long, and it is asked for with every range. */
  readonly #texts = new WeakMap<TableDescription, Map<string, string>>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  read(table: TableDescription, from: Key | null, to: Key | null): RowBlock {
    if (table.columns.length === 0) return { bytes: Buffer.alloc(0), rows: 0 };
    const statement = this.#prepare(table, `rows ${formOf(from, to)}`, () => {
      const order = table.key.length > 0 ? `ORDER BY ${table.key.map(quoteName).join(', ')}` : '';
      return `SELECT CAST(group_concat(line, '') AS BLOB) AS bytes, count(*) AS rows FROM (
         SELECT concat(${table.columns.map(encodedValue).join(', ')}, char(10)) AS line
         FROM ${quoteName(table.name)} ${where(table, from, to)} ${order})`;
    });
    const { bytes, rows } = statement.get(...bounds(from, to)) as { bytes: Uint8Array | null; rows: number };
    return { bytes: bytes ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : Buffer.alloc(0), rows };
  }

  /** How many rows make a block is told by the block before. */
  async *cut(
    table: TableDescription,
    low: Key | null,
    high: Key | null,
    size: BlockSize,
  ): AsyncGenerator<CutBlock, void> {
    const rowsIn = (block: RowBlock) => Math.max(1, Math.floor((size.bytes * block.rows) / block.bytes.length));
    let count = size.rows ?? FIRST_ROWS;
    for (let from = low; ; ) {
      const [next, block] = translated(() => {
        const key = this.#keyAfter(table, from, high, count);
        return [key, this.read(table, from, key ?? high)] as const;
      });
      if (block.bytes.length > MOST_TIMES * size.bytes && block.rows > 1 && count > 1) {
        count = rowsIn(block);
        continue;
      }
      if (block.rows > 0) {
        yield { low: from, ...block };
        count = rowsIn(block);
      }
      if (next === null) return;
      from = next;
    }
  }

  /** Of the rows that `read` would give, the key of the one after the first `count`; null when there are not so many. */
  #keyAfter(table: TableDescription, from: Key | null, to: Key | null, count: number): Key | null {
    const statement = this.#prepare(table, `key ${formOf(from, to)}`, () => {
      const key = table.key.map(quoteName).join(', ');
      return `SELECT ${key} FROM ${quoteName(table.name)} ${where(table, from, to)} ORDER BY ${key} LIMIT 1 OFFSET ?`;
    });
    statement.setReadBigInts(true);
    const row = statement.get(...bounds(from, to), count) as Record<string, SqlValue> | undefined;
    return row ? Object.values(row) : null;
  }

  #prepare(table: TableDescription, what: string, write: () => string): StatementSync {
    const texts = this.#texts.get(table) ?? new Map<string, string>();
    const sql = texts.get(what) ?? write();
    this.#texts.set(table, texts.set(what, sql));
    let statement = this.#statements.get(sql);
    if (!statement) {
      if (this.#statements.size >= MOST_STATEMENTS) this.#statements.clear();
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** Which bounds there are decides the statement. */
function formOf(from: Key | null, to: Key | null): string {
  return `${from ? 'from' : ''} ${to ? 'to' : ''}`;
}

function bounds(from: Key | null, to: Key | null): SqlValue[] {
  return [...(from ?? []), ...(to ?? [])];
}

function where({ key }: TableDescription, from: Key | null, to: Key | null): string {
  const columns = key.length === 1 ? quoteName(key[0] as string) : `(${key.map(quoteName).join(', ')})`;
  const values = key.length === 1 ? '?' : `(${key.map(() => '?').join(', ')})`;
  const conditions = [...(from ? [`${columns} >= ${values}`] : []), ...(to ? [`${columns} < ${values}`] : [])];
  return conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
}

function encodedValue(column: string): string {
  const value = quoteName(column);
  return `CASE typeof(${value})
    WHEN 'text' THEN concat('t', octet_length(${value}), ':', ${value})
    WHEN 'integer' THEN concat('i', ${value}, ';')
    WHEN 'null' THEN 'n'
    WHEN 'real' THEN concat('r', quote(${value}), ';')
    ELSE concat('b', octet_length(${value}), ':', ${value}) END`;
}
