import type { Adaptation, SqlValue } from '#runtimes/runtime.ts';
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

let opened: SqliteFile | undefined;
/** With the first question: the process may be started before the file is there. */
const open = () => {
  opened ??= new SqliteFile(process.argv[2] ?? '');
  return opened;
};

answerParent(async (message: DatabaseCall): Promise<unknown> => {
  const database = open();
  switch (message.call) {
    case 'tables':
      return database.tables();
    case 'query':
      return database.query(message.sql, ...message.values);
    case 'moveTo':
      return database.moveTo(message.url);
    case 'numbers':
      return database.numbers();
    case 'spreadNumbers':
      return database.spreadNumbers(message.above);
    case 'adapt':
      return database.transaction((run) => adapt(run, message.change, message.theme, new Date()));
  }
});
