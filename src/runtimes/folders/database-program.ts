import type { MariadbDatabase } from '#runtimes/mariadb/mariadb-database.ts';
import type { MariadbDescription } from '#runtimes/mariadb/site-databases.ts';
import type { Adaptation, SqlRow, SqlValue } from '#runtimes/runtime.ts';
import { adapt, type ChosenTheme } from '#runtimes/wordpress/adapt.ts';
import { answerParent } from './child-program.ts';
import { SqliteFile } from './sqlite-file.ts';

/** The program that a site's database is asked through. */
export type DatabaseCall =
  | { call: 'tables' }
  | { call: 'query'; sql: string; values: SqlValue[] }
  | { call: 'moveTo'; url: string }
  | { call: 'numbers' }
  | { call: 'spreadNumbers'; above: Record<string, number> }
  | { call: 'adapt'; change: Adaptation; theme: ChosenTheme | undefined };

let opened: SqliteFile | Promise<MariadbDatabase> | undefined;
/** With the first question: the process may be started before the file is there. Who asks a file needs none of what a server does. */
const open = (server: MariadbDescription | undefined) => {
  opened ??= server
    ? import('#runtimes/mariadb/mariadb-database.ts').then(({ MariadbDatabase }) => new MariadbDatabase(server))
    : new SqliteFile(process.argv[2] ?? '');
  return opened;
};

answerParent(async (message: DatabaseCall & { server?: MariadbDescription }): Promise<unknown> => {
  const database = await open(message.server);
  switch (message.call) {
    case 'tables':
      return database.tables();
    case 'query':
      return bounded(await database.query(message.sql, ...message.values));
    case 'moveTo':
      return database.moveTo(message.url);
    case 'numbers':
      return database.numbers();
    case 'spreadNumbers':
      return database.spreadNumbers(message.above);
    case 'adapt':
      if (!(database instanceof SqliteFile)) throw new Error('what came from elsewhere is made the own in a file');
      return database.transaction((run) => adapt(run, message.change, message.theme, new Date()));
  }
});

/** Who asked reads the answer where everybody waits for that. */
const MOST_ROWS = 10_000;
const MOST_BYTES = 16 * 1024 * 1024;

function bounded(rows: SqlRow[]): SqlRow[] {
  let bytes = 0;
  for (const row of rows.slice(0, MOST_ROWS))
    for (const value of Object.values(row))
      bytes += typeof value === 'object' ? (value?.byteLength ?? 0) : `${value}`.length;
  if (rows.length > MOST_ROWS || bytes > MOST_BYTES) throw new Error("the site's database answers with too much");
  return rows;
}
