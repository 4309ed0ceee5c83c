import { describe, type Lexer, type Token } from './lexer.ts';

export type Value = Extract<Token, { kind: 'string' | 'bytes' | 'number' }> | null;

/** What follows VALUES, row by row, each as long as there are columns. */
export function* readRows(lexer: Lexer, length: number): Generator<Value[], void> {
  if (!lexer.takeWords('VALUES')) lexer.expectWord('VALUE');
  do {
    const row = readRow(lexer);
    if (row.length !== length) throw lexer.refuse(`a row of ${row.length} values for ${length} columns`);
    yield row;
  } while (lexer.takeMark(','));
}

/** The columns that are named; undefined where none are. */
export function readColumns(lexer: Lexer): string[] | undefined {
  if (!lexer.takeMark('(')) return undefined;
  const names: string[] = [];
  do names.push(lexer.expectName());
  while (lexer.takeMark(','));
  lexer.expectMark(')');
  return names;
}

function readRow(lexer: Lexer): Value[] {
  lexer.expectMark('(');
  const row: Value[] = [];
  do row.push(readValue(lexer));
  while (lexer.takeMark(','));
  lexer.expectMark(')');
  return row;
}

function readValue(lexer: Lexer): Value {
  const token = lexer.next();
  if (token.kind === 'string' || token.kind === 'bytes' || token.kind === 'number') return token;
  if (token.kind === 'word' && /^NULL$/i.test(token.text)) return null;
  if (token.kind === 'word' && /^(TRUE|FALSE)$/i.test(token.text))
    return { kind: 'number', text: /^TRUE$/i.test(token.text) ? '1' : '0' };
  throw lexer.refuse(`a value that is no plain one (${describe(token)})`);
}
