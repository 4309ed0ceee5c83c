import { readMariadbTable } from './mariadb-told.ts';
import type { MysqlColumn, MysqlIndex, MysqlTable } from './mysql-table.ts';

/** A row of one of the tables below, by its columns. */
export type ToldRow = Readonly<Record<string, unknown>>;

/** What WordPress' integration for SQLite keeps of tables as MySQL would tell it. */
export const TOLD_TABLES = {
  tables: '_wp_sqlite_mysql_information_schema_tables',
  columns: '_wp_sqlite_mysql_information_schema_columns',
  statistics: '_wp_sqlite_mysql_information_schema_statistics',
  /** Ours, for tables that came from MariaDB and that the integration has not seen yet: `name` and `sql`. It leaves alone what begins so. */
  statements: '_wp_sqlite_siteyard_statements',
} as const;

export type ToldTables = Record<keyof typeof TOLD_TABLES, readonly ToldRow[]>;

/** The tables that are told of. What a site wrote there itself may be anything, and is looked at where it is used. */
export function readToldTables({ tables, columns, statistics, statements }: ToldTables): Map<string, MysqlTable> {
  const columnsOf = Map.groupBy(columns, nameOf);
  const indexesOf = Map.groupBy(statistics, nameOf);
  const told = new Map<string, MysqlTable>();
  for (const { name, sql } of statements) {
    const table = readMariadbTable(String(name), String(sql));
    if (table) told.set(table.name, table);
  }
  for (const row of tables) {
    if (row.TABLE_TYPE !== 'BASE TABLE') continue;
    const name = String(row.TABLE_NAME);
    const own = [...(columnsOf.get(name) ?? [])].sort(
      (a, b) => Number(a.ORDINAL_POSITION) - Number(b.ORDINAL_POSITION),
    );
    told.set(name, {
      name,
      collation: String(row.TABLE_COLLATION),
      columns: own.map(columnOf),
      indexes: indexesIn(indexesOf.get(name) ?? []),
    });
  }
  return told;
}

function nameOf(row: ToldRow): string {
  return String(row.TABLE_NAME);
}

function columnOf(row: ToldRow): MysqlColumn {
  const extra = String(row.EXTRA ?? '').toLowerCase();
  const given = row.COLUMN_DEFAULT;
  const isClock = /^current_timestamp(?:\(\d?\))?$/i.test(String(given));
  return {
    name: String(row.COLUMN_NAME),
    type: String(row.COLUMN_TYPE),
    isNullable: String(row.IS_NULLABLE).toUpperCase() === 'YES',
    // What has to be worked out is left to whoever writes a row.
    default:
      given === null || given === undefined
        ? null
        : isClock
          ? 'now'
          : extra.includes('default_generated')
            ? null
            : { text: String(given) },
    isAutoIncrement: extra.includes('auto_increment'),
    followsClock: extra.includes('on update current_timestamp'),
    collation: row.COLLATION_NAME === null || row.COLLATION_NAME === undefined ? null : String(row.COLLATION_NAME),
  };
}

/** The primary key first, the others as they were made. */
function indexesIn(rows: readonly ToldRow[]): MysqlIndex[] {
  const found = [...Map.groupBy(rows, (row) => String(row.INDEX_NAME))].map(([name, parts]): MysqlIndex => {
    const ordered = [...parts].sort((a, b) => Number(a.SEQ_IN_INDEX) - Number(b.SEQ_IN_INDEX));
    const [first] = ordered;
    return {
      name,
      kind:
        name.toUpperCase() === 'PRIMARY'
          ? 'primary'
          : Number(first?.NON_UNIQUE) === 0
            ? 'unique'
            : first?.INDEX_TYPE === 'FULLTEXT'
              ? 'fulltext'
              : 'plain',
      columns: ordered.map((part) => ({
        name: String(part.COLUMN_NAME),
        length: part.SUB_PART === null || part.SUB_PART === undefined ? null : Number(part.SUB_PART),
        isDescending: part.COLLATION === 'D',
      })),
    };
  });
  return found.sort((a, b) => Number(b.kind === 'primary') - Number(a.kind === 'primary'));
}
