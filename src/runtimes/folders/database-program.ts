import type { SqlValue } from '#runtimes/runtime.ts';
import { SqliteFile } from './sqlite-file.ts';

/** The program that a site's database is asked through: it answers one call after another and ends with its parent. */
export type DatabaseCall =
  | { call: 'tables' }
  | { call: 'query'; sql: string; values: SqlValue[] }
  | { call: 'moveTo'; url: string }
  | { call: 'spreadNumbers' }
  | { call: 'copyTo'; file: string };

export type DatabaseReply = { value: unknown } | { error: string };

process.on('disconnect', () => process.exit(0));
const database = new SqliteFile(process.argv[2] ?? '');

function perform(message: DatabaseCall): Promise<unknown> {
  switch (message.call) {
    case 'tables':
      return database.tables();
    case 'query':
      return database.query(message.sql, ...message.values);
    case 'moveTo':
      return database.moveTo(message.url);
    case 'spreadNumbers':
      return database.spreadNumbers();
    case 'copyTo':
      return database.copyTo(message.file);
  }
}

process.on('message', async (message: DatabaseCall) => {
  const reply: DatabaseReply = await perform(message).then(
    (value) => ({ value }),
    (error: Error) => ({ error: error.message }),
  );
  process.send?.(reply);
});
