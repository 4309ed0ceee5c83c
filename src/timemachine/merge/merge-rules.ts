/**
 * What two sites that went on from one state have of their own, and how their rows are named. It is data, for it crosses
 * the border of a process; patterns are regular expressions, tables have their full names.
 */
export interface MergeRules {
  /** Patterns of tables that each side keeps as it has them. */
  ownTables: string[];
  /** Rows that each side keeps as it has them: those whose column fits the pattern. */
  ownRows: { table: string; column: string; pattern: string }[];
  /** Rows that a site makes anew where it has none: where theirs has another one, ours goes. */
  remadeRows: { table: string; column: string; pattern: string }[];
  /** Patterns of files and folders that each side keeps as it has them. */
  ownFiles: string[];
  /** Tables that describe others, each by a row or several: these go with the table that the column names. */
  describing: { tables: string; column: string }[];
  /** Columns by which a row is found where its number says nothing. */
  names: { table: string; columns: string[] }[];
  /** Columns that count something: what each side has counted since is added up. */
  counts: { table: string; column: string }[];
  /** What people call the rows of a table: the column that tells their kind, and those that title them, the first that is not empty. */
  words: { table: string; kind?: string; titles: string[] }[];
  /** Patterns of files that are told as one; what is in the first brackets names them. */
  folders: string[];
}

/** The rules, ready to be asked. */
export interface Merging {
  isOwnTable(table: string): boolean;
  isOwnFile(path: string): boolean;
  ownRows(table: string): RowPattern | undefined;
  remadeRows(table: string): RowPattern | undefined;
  /** The column that names the table which a row describes. */
  describes(table: string): string | undefined;
  nameOf(table: string): readonly string[] | undefined;
  isCount(table: string, column: string): boolean;
  wordsOf(table: string): MergeRules['words'][number] | undefined;
  folderOf(path: string): string | undefined;
}

interface RowPattern {
  column: string;
  pattern: RegExp;
}

export function mergingBy(rules: MergeRules): Merging {
  const [ownTables, ownFiles] = [rules.ownTables, rules.ownFiles].map((each) => each.map((text) => new RegExp(text)));
  const folders = rules.folders.map((text) => new RegExp(text));
  const [ownRows, remadeRows] = [rowPatterns(rules.ownRows), rowPatterns(rules.remadeRows)];
  const describing = rules.describing.map(({ tables, column }) => ({ pattern: new RegExp(tables), column }));
  const names = new Map(rules.names.map(({ table, columns }) => [table, columns]));
  const counts = new Set(rules.counts.map(({ table, column }) => `${table}.${column}`));
  const words = new Map(rules.words.map((each) => [each.table, each]));
  return {
    isOwnTable: (table) => ownTables?.some((pattern) => pattern.test(table)) ?? false,
    isOwnFile: (path) => ownFiles?.some((pattern) => pattern.test(path)) ?? false,
    ownRows: (table) => ownRows.get(table),
    remadeRows: (table) => remadeRows.get(table),
    describes: (table) => describing.find(({ pattern }) => pattern.test(table))?.column,
    nameOf: (table) => names.get(table),
    isCount: (table, column) => counts.has(`${table}.${column}`),
    wordsOf: (table) => words.get(table),
    folderOf: (path) => folders.map((pattern) => pattern.exec(path)?.[1]).find((name) => name !== undefined),
  };
}

function rowPatterns(rows: MergeRules['ownRows']): Map<string, RowPattern> {
  return new Map(rows.map(({ table, column, pattern }) => [table, { column, pattern: new RegExp(pattern, 'i') }]));
}
