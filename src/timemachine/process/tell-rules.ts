/**
 * What people are told of a site's changes, and what means nothing to them. It is data, for it crosses the border of a process; patterns are
 * regular expressions, tables have their full names.
 */
export interface TellRules {
  /** By table: what tells rows apart for people, what titles them, and the columns whose changes mean nothing. */
  rows: {
    table: string;
    facts: string[];
    titles: string[];
    silentColumns: string[];
    /** A value that is told of some rows alone: those whose first fact fits the pattern. */
    value?: { column: string; pattern: string };
  }[];
  /** What a told value names, by the first fact of its row: what is in the brackets goes in the place of "*" in the path of a folder. */
  named: { fact: string; pattern: string; folder: string }[];
  /** Rows that nobody is told of: those whose column fits the pattern. */
  silentRows: { table: string; column: string; pattern: string }[];
  silentTables: string[];
  silentFiles: string[];
  /** Patterns of files that are told as one; what is in the first brackets names them. */
  folders: string[];
  /** Folders that say what they are, as "Name: value" in the first lines of one of these files. A file may stand for a folder. */
  labels: { folder: string; files: string; fields: string[] }[];
}

type Facts = Record<string, string>;

/** Rows of one kind that changed in one way. */
export interface ToldRows {
  table: string;
  count: number;
  /** Some of them. */
  titles: string[];
  /** Null where the rows were not there. */
  before: Facts | null;
  after: Facts | null;
}

export interface ToldFolder {
  /** Empty for files of no folder that the rules name. */
  folder: string;
  added: number;
  changed: number;
  removed: number;
  /** One of them. */
  example: string;
  /** What its label said and says; null where it has none. */
  before: Facts | null;
  after: Facts | null;
}

export interface ToldChanges {
  rows: ToldRows[];
  folders: ToldFolder[];
  /** The labels of folders that told values name. */
  named: { folder: string; label: Facts }[];
  /** Tables that differ as a whole: made anew, gone, or too much of them to compare. */
  wholeTables: string[];
}
