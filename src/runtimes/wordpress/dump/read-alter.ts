import { describe, type Lexer } from './lexer.ts';
import { readColumn, readKey } from './read-table.ts';
import type { Table } from './table.ts';

/** What follows ALTER TABLE and the name: keys that are switched, and what phpMyAdmin adds after the rows. */
export function readAlter(lexer: Lexer, table: Table | undefined): void {
  if (lexer.takeWords('DISABLE', 'KEYS') || lexer.takeWords('ENABLE', 'KEYS')) return;
  if (!table) throw lexer.refuse('ALTER TABLE of a table that is not in it');
  do {
    if (lexer.takeWords('ADD')) {
      if (!readKey(lexer, table)) throw lexer.refuse(`ALTER TABLE … ADD ${describe(lexer.peek())}`);
    } else if (lexer.takeWords('MODIFY')) modify(lexer, table);
    else if (lexer.takeWords('AUTO_INCREMENT')) {
      lexer.takeMark('=');
      lexer.next();
    } else throw lexer.refuse(`ALTER TABLE … ${describe(lexer.peek())}`);
  } while (lexer.takeMark(','));
}

function modify(lexer: Lexer, table: Table): void {
  const column = readColumn(lexer, table);
  const at = table.columns.findIndex(({ name }) => name === column.name);
  if (at < 0) throw lexer.refuse(`MODIFY of a column that the table does not have (${column.name})`);
  table.columns[at] = column;
}
