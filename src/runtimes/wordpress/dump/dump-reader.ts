import { isKnownCharset } from './convert.ts';
import { describe, Lexer } from './lexer.ts';
import { readAlter } from './read-alter.ts';
import { readColumns, readRows, type Value } from './read-rows.ts';
import { readTable } from './read-table.ts';
import { refuse, type Statement, statements } from './statements.ts';
import type { Table } from './table.ts';

/** Told of every row, in the order of the dump. */
export type TakeRow = (table: Table, columns: string[], row: Value[], at: { charset: string; line: number }) => void;

const MAX_TABLES = 2000;
/** What is said of whoever wants more than tables and rows: the two words that tell what it is. */
const TOLD_BY_SECOND_WORD = /^(CREATE|DROP|ALTER|LOAD|LOCK|SET|START|FLUSH|RENAME)$/;

/**
 * Takes apart what mysqldump, MariaDB, phpMyAdmin and wp-cli write: tables and rows, and around them settings that mean nothing here. Nothing
 * of it is ever run; whatever is anything else is refused by its name and its line.
 */
export class DumpReader {
  /** By their names in lower case: the same name in another spelling is the same table to SQLite. */
  readonly tables = new Map<string, Table>();
  readonly #takeRow: TakeRow;
  #charset = 'utf8mb4';

  constructor(takeRow: TakeRow) {
    this.#takeRow = takeRow;
  }

  async read(source: AsyncIterable<Buffer>): Promise<void> {
    let isFirst = true;
    for await (const { bytes, line } of statements(source)) {
      if (isFirst) checkStart(bytes);
      this.#statement({ bytes: isFirst ? withoutMark(bytes) : bytes, line });
      isFirst = false;
    }
  }

  #statement(statement: Statement): void {
    const lexer = new Lexer(statement);
    const first = lexer.peek();
    if (first.kind === 'end') return;
    if (lexer.takeWords('INSERT')) {
      if (!lexer.takeWords('IGNORE')) lexer.takeWords('DELAYED');
      this.#insert(lexer);
    } else if (lexer.takeWords('REPLACE')) this.#insert(lexer);
    else this.#other(lexer, statement);
    lexer.expectEnd();
  }

  #other(lexer: Lexer, statement: Statement): void {
    const first = lexer.next();
    const word = first.kind === 'word' ? first.text.toUpperCase() : '';
    if (word === 'CREATE' && lexer.takeWords('TABLE')) this.#create(lexer);
    else if (word === 'DROP' && lexer.takeWords('TABLE')) skipNames(lexer, 'IF', 'EXISTS');
    else if (word === 'ALTER' && lexer.takeWords('TABLE')) this.#alter(lexer);
    else if (word === 'SET') this.#set(lexer);
    else if (word === 'LOCK' && lexer.takeWords('TABLES')) skipLocks(lexer);
    else if (word === 'UNLOCK') lexer.expectWord('TABLES');
    else if (word === 'START') lexer.expectWord('TRANSACTION');
    else if (word !== 'COMMIT' && word !== 'BEGIN')
      throw refuse(lineOf(statement), `${nameOf(word, lexer)} is not taken`);
  }

  #create(lexer: Lexer): void {
    const table = readTable(lexer);
    const key = table.name.toLowerCase();
    if (this.tables.has(key)) throw lexer.refuse(`a second table ${table.name}`);
    if (this.tables.size >= MAX_TABLES) throw lexer.refuse(`more than ${MAX_TABLES} tables`);
    const names = table.columns.map(({ name }) => name.toLowerCase());
    if (new Set(names).size < names.length) throw lexer.refuse(`a table with two columns of one name (${table.name})`);
    this.tables.set(key, table);
  }

  #alter(lexer: Lexer): void {
    readAlter(lexer, this.tables.get(lexer.expectName().toLowerCase()));
  }

  #insert(lexer: Lexer): void {
    lexer.takeWords('INTO');
    const name = lexer.expectName();
    const table = this.tables.get(name.toLowerCase());
    if (!table) throw lexer.refuse(`a row of the table ${name}, which was not made before,`);
    const columns = readColumns(lexer) ?? table.columns.map((column) => column.name);
    for (const row of readRows(lexer, columns.length))
      this.#takeRow(table, columns, row, {
        charset: this.#charset,
        get line() {
          return lexer.line;
        },
      });
  }

  /** Settings of a session that there is none of; only the character set of what follows counts. */
  #set(lexer: Lexer): void {
    if (lexer.takeWords('NAMES')) {
      const token = lexer.next();
      const charset = token.kind === 'string' ? token.bytes.toString() : token.kind === 'word' ? token.text : '';
      if (!isKnownCharset(charset.toLowerCase())) throw lexer.refuse(`the character set ${charset}`);
      this.#charset = charset.toLowerCase();
      if (lexer.takeWords('COLLATE')) lexer.next();
      return;
    }
    for (let token = lexer.peek(); token.kind !== 'end'; token = lexer.peek()) {
      lexer.next();
      const isPlain = token.kind === 'mark' ? /[=,:]/.test(token.text) : token.kind !== 'bytes';
      if (!isPlain) throw lexer.refuse(`SET with ${describe(token)}`);
      const said = token.kind === 'word' ? token.text : token.kind === 'string' ? token.bytes.toString('latin1') : '';
      if (/^(GLOBAL|PERSIST|PERSIST_ONLY|PASSWORD|ROLE|DEFAULT|SELECT)$|^@@(GLOBAL|PERSIST)\.(?!GTID)/i.test(said))
        throw lexer.refuse(`SET ${said}`);
      // Then texts would mean something else than what we read.
      if (/NO_BACKSLASH_ESCAPES|ANSI/i.test(said)) throw lexer.refuse(`the SQL mode ${said}`);
    }
  }
}

function skipNames(lexer: Lexer, ...words: string[]): void {
  for (const word of words) lexer.expectWord(word);
  do lexer.expectName();
  while (lexer.takeMark(','));
}

function skipLocks(lexer: Lexer): void {
  do {
    lexer.expectName();
    if (!lexer.takeWords('READ')) lexer.expectWord('WRITE');
  } while (lexer.takeMark(','));
}

function nameOf(word: string, lexer: Lexer): string {
  const next = lexer.peek();
  const second = TOLD_BY_SECOND_WORD.test(word) && next.kind === 'word' ? ` ${next.text.toUpperCase()}` : '';
  return (word + second).slice(0, 80) || 'something that is no statement';
}

/** Comments before it are not part of it. */
function lineOf(statement: Statement): number {
  const lexer = new Lexer(statement);
  lexer.next();
  return lexer.line;
}

const MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const withoutMark = (bytes: Buffer) => (bytes.subarray(0, 3).equals(MARK) ? bytes.subarray(3) : bytes);

function checkStart(bytes: Buffer): void {
  const isWide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isWide) throw refuse(1, 'it is in UTF-16; write it in UTF-8');
}
