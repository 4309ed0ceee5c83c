import type { MariadbDescription } from '#runtimes/mariadb/site-databases.ts';
import type { Database } from './database.ts';
import { MariadbDatabase } from './mariadb/mariadb-database.ts';
import { SqliteDatabase } from './sqlite-database.ts';

/** Which database: data that can cross the border of a process. */
export type DatabaseDescription = { kind: 'sqlite'; file: string } | MariadbDescription;

/** The one place that knows all kinds of databases. */
export function databaseOf(database: DatabaseDescription): Database {
  switch (database.kind) {
    case 'sqlite':
      return new SqliteDatabase(database.file);
    case 'mariadb':
      return new MariadbDatabase(database);
  }
}
