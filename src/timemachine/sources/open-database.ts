import type { Database } from './database.ts';
import { SqliteDatabase } from './sqlite-database.ts';

/** Which database: data that can cross the border of a process. */
export type DatabaseDescription = { kind: 'sqlite'; file: string };

/** The one place that knows all kinds of databases. */
export function databaseOf(database: DatabaseDescription): Database {
  switch (database.kind) {
    case 'sqlite':
      return new SqliteDatabase(database.file);
  }
}
