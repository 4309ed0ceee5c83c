import { describe, type Lexer } from './lexer.ts';
import { affinityOf, type Column, type Key, type Table, text } from './table.ts';

const MAX_COLUMNS = 1000;
/** The widest BINARY; writing a longer number as decimal digits takes more than linear time. */
const MAX_DEFAULT_BYTES = 255;
const KEY_KINDS: Record<string, Key['kind']> = { UNIQUE: 'unique', KEY: 'plain', INDEX: 'plain', FULLTEXT: 'fulltext' };

/** What follows CREATE TABLE. */
export function readTable(lexer: Lexer): Table {
  if (lexer.takeWords('IF')) {
    lexer.expectWord('NOT');
    lexer.expectWord('EXISTS');
  }
  const table: Table = { name: lexer.expectName(), columns: [], keys: [] };
  lexer.expectMark('(');
  do {
    if (readKey(lexer, table)) continue;
    table.columns.push(readColumn(lexer, table));
    if (table.columns.length > MAX_COLUMNS) throw lexer.refuse(`a table of more than ${MAX_COLUMNS} columns`);
  } while (lexer.takeMark(','));
  lexer.expectMark(')');
  skipOptions(lexer);
  if (table.columns.length === 0) throw lexer.refuse('a table without columns');
  return table;
}

/** ENGINE=InnoDB, the character set and their like mean nothing here; what could name a file or another table is no option. */
const OPTIONS =
  /^(ENGINE|TYPE|AUTO_INCREMENT|AVG_ROW_LENGTH|CHECKSUM|COMMENT|DEFAULT|CHARACTER|SET|CHARSET|COLLATE|DELAY_KEY_WRITE|KEY_BLOCK_SIZE|MAX_ROWS|MIN_ROWS|PACK_KEYS|PAGE_CHECKSUM|ROW_FORMAT|STATS_AUTO_RECALC|STATS_PERSISTENT|STATS_SAMPLE_PAGES|TRANSACTIONAL)$/i;

function skipOptions(lexer: Lexer): void {
  while (lexer.peek().kind !== 'end') {
    const token = lexer.next();
    if (token.kind === 'mark' && token.text === ',') continue;
    if (token.kind !== 'word' || !OPTIONS.test(token.text)) throw lexer.refuse(describe(token));
    if (!lexer.takeMark('=') && /^(DEFAULT|CHARACTER)$/i.test(token.text)) continue;
    const value = lexer.next();
    if (value.kind !== 'word' && value.kind !== 'number' && value.kind !== 'string')
      throw lexer.refuse(describe(value));
  }
}

/** True where what comes next was a key or a constraint, and not a column. */
export function readKey(lexer: Lexer, table: Table): boolean {
  if (lexer.takeWords('CONSTRAINT')) {
    const next = lexer.peek();
    if (next.kind === 'name') lexer.next();
    if (lexer.peek().kind === 'word' && !isKeyWord(lexer)) lexer.next();
  }
  if (lexer.takeWords('PRIMARY', 'KEY')) table.keys.push({ kind: 'primary', name: '', columns: readKeyColumns(lexer) });
  else if (lexer.takeWords('FOREIGN', 'KEY')) skipForeignKey(lexer);
  else if (lexer.takeWords('CHECK')) lexer.skipBrackets();
  else if (lexer.takeWords('SPATIAL')) readNamedKey(lexer);
  else {
    const word = wordOf(lexer);
    const kind = KEY_KINDS[word];
    if (!kind) return false;
    lexer.next();
    const { name, columns } = readNamedKey(lexer);
    table.keys.push({ kind, name: name || (columns[0]?.name ?? ''), columns });
  }
  return true;
}

const isKeyWord = (lexer: Lexer) => /^(PRIMARY|FOREIGN|CHECK|UNIQUE|KEY)$/.test(wordOf(lexer));

function wordOf(lexer: Lexer): string {
  const token = lexer.peek();
  return token.kind === 'word' ? token.text.toUpperCase() : '';
}

function readNamedKey(lexer: Lexer): Pick<Key, 'name' | 'columns'> {
  if (!lexer.takeWords('KEY')) lexer.takeWords('INDEX');
  const next = lexer.peek();
  const name = next.kind === 'name' || next.kind === 'word' ? lexer.expectName() : '';
  return { name, columns: readKeyColumns(lexer) };
}

function readKeyColumns(lexer: Lexer): Key['columns'] {
  const columns: Key['columns'] = [];
  lexer.expectMark('(');
  do {
    const name = lexer.expectName();
    const length = lexer.takeMark('(') ? readNumberInBrackets(lexer) : undefined;
    if (!lexer.takeWords('ASC')) lexer.takeWords('DESC');
    columns.push({ name, ...(length !== undefined && { length }) });
  } while (lexer.takeMark(','));
  lexer.expectMark(')');
  if (lexer.takeWords('USING')) lexer.expectName();
  if (lexer.takeWords('COMMENT')) lexer.next();
  return columns;
}

function readNumberInBrackets(lexer: Lexer): number {
  const token = lexer.next();
  if (token.kind !== 'number' || !/^\d{1,9}$/.test(token.text)) throw lexer.refuse(describe(token));
  lexer.expectMark(')');
  return Number(token.text);
}

/** The rows of a site come in any order, and WordPress has none of these. */
function skipForeignKey(lexer: Lexer): void {
  if (lexer.peek().kind === 'name') lexer.next();
  readKeyColumns(lexer);
  lexer.expectWord('REFERENCES');
  lexer.expectName();
  readKeyColumns(lexer);
  while (lexer.takeWords('ON')) {
    if (!lexer.takeWords('DELETE')) lexer.expectWord('UPDATE');
    if (lexer.takeWords('SET')) lexer.next();
    else if (lexer.takeWords('NO')) lexer.expectWord('ACTION');
    else lexer.expectName();
  }
}

/** A column; keys that stand behind it are added to the table. */
export function readColumn(lexer: Lexer, table: Table): Column {
  const name = lexer.expectName();
  const type = lexer.expectName().toLowerCase();
  const affinity = affinityOf(type);
  if (!affinity) throw lexer.refuse(`a column of the type ${type}`);
  if (type === 'double') lexer.takeWords('PRECISION');
  const column: Column = {
    name,
    type,
    args: lexer.takeMark('(') ? readArgs(lexer) : [],
    isUnsigned: false,
    isNullable: true,
    isAutoIncrement: false,
    followsClock: false,
    isBinary: false,
  };
  while (readAttribute(lexer, column, table));
  return column;
}

function readArgs(lexer: Lexer): string[] {
  const args: string[] = [];
  do {
    const token = lexer.next();
    if (token.kind === 'number' && /^\d{1,10}$/.test(token.text)) args.push(token.text);
    else if (token.kind === 'string') args.push(text(token.bytes.toString()));
    else throw lexer.refuse(describe(token));
  } while (lexer.takeMark(','));
  lexer.expectMark(')');
  return args;
}

function readAttribute(lexer: Lexer, column: Column, table: Table): boolean {
  if (lexer.takeWords('UNSIGNED')) column.isUnsigned = true;
  else if (lexer.takeWords('ZEROFILL')) column.isUnsigned = true;
  else if (lexer.takeWords('NOT', 'NULL')) column.isNullable = false;
  else if (lexer.takeWords('NULL')) column.isNullable = true;
  else if (lexer.takeWords('AUTO_INCREMENT')) column.isAutoIncrement = true;
  else if (lexer.takeWords('CHARACTER', 'SET') || lexer.takeWords('CHARSET')) lexer.expectName();
  else if (lexer.takeWords('COLLATE')) column.isBinary = /_bin$/i.test(lexer.expectName());
  else if (lexer.takeWords('BINARY')) column.isBinary = true;
  else if (lexer.takeWords('COMMENT') || lexer.takeWords('COLUMN_FORMAT') || lexer.takeWords('STORAGE')) lexer.next();
  else if (lexer.takeWords('PRIMARY', 'KEY'))
    table.keys.push({ kind: 'primary', name: '', columns: [{ name: column.name }] });
  else if (lexer.takeWords('UNIQUE')) {
    lexer.takeWords('KEY');
    table.keys.push({ kind: 'unique', name: column.name, columns: [{ name: column.name }] });
  } else if (lexer.takeWords('CHECK')) lexer.skipBrackets();
  else if (lexer.takeWords('ON', 'UPDATE')) {
    readClock(lexer);
    column.followsClock = true;
  } else if (lexer.takeWords('DEFAULT')) column.default = readDefault(lexer);
  else return false;
  return true;
}

function readDefault(lexer: Lexer): NonNullable<Column['default']> {
  const token = lexer.peek();
  if (token.kind === 'word' && /^(CURRENT_TIMESTAMP|NOW|LOCALTIME|LOCALTIMESTAMP)$/i.test(token.text)) {
    readClock(lexer);
    return 'now';
  }
  lexer.next();
  if (token.kind === 'word' && /^NULL$/i.test(token.text)) return 'null';
  if (token.kind === 'word' && /^(TRUE|FALSE)$/i.test(token.text))
    return { number: /^TRUE$/i.test(token.text) ? '1' : '0' };
  if (token.kind === 'number') return { number: token.text };
  if (token.kind === 'string') return { text: token.bytes.toString() };
  if (token.kind === 'bytes' && token.bytes.length > MAX_DEFAULT_BYTES)
    throw lexer.refuse(`a default of more than ${MAX_DEFAULT_BYTES} bytes`);
  if (token.kind === 'bytes') return { number: String(BigInt(`0x${token.bytes.toString('hex') || '0'}`)) };
  throw lexer.refuse(`a default that is no plain value (${describe(token)})`);
}

function readClock(lexer: Lexer): void {
  const token = lexer.next();
  if (token.kind !== 'word' || !/^(CURRENT_TIMESTAMP|NOW|LOCALTIME|LOCALTIMESTAMP)$/i.test(token.text))
    throw lexer.refuse(describe(token));
  if (lexer.takeMark('(') && !lexer.takeMark(')')) readNumberInBrackets(lexer);
}
