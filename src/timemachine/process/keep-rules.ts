/** What to keep of a site, and how. It is data, for it crosses the border of a process; patterns are regular expressions. */
export interface KeepRules {
  /** What lies in these folders of the content, many sites have in common, and it is nobody's secret. */
  publicFolders: string[];
  /** Tables whose names begin so are the site's. */
  tablePrefix: string;
  /** Without these it is no database of a site: one that lacks any is a failure, and never kept. */
  neededTables: string[];
  /** Patterns of tables that hold nothing but caches and sessions: they change all the time, and nobody wants them back. */
  fleetingTables: string[];
  /** Patterns of tables that go with the site's, whatever they begin with, but that its people know nothing of. */
  hiddenTables: string[];
}

/** The rules, ready to be asked. */
export interface Keeping {
  isPublic(path: string): boolean;
  isTracked(table: string): boolean;
  /** Whether the table is one that the site's people know of. */
  isKnown(table: string): boolean;
}

export function keepingBy({ publicFolders, tablePrefix, fleetingTables, hiddenTables }: KeepRules): Keeping {
  const [isFleeting, isHidden] = [anyOf(fleetingTables), anyOf(hiddenTables)];
  const starts = publicFolders.map((folder) => `${folder}/`);
  return {
    isPublic: (path) => starts.some((start) => path.startsWith(start)),
    isTracked: (table) => (table.startsWith(tablePrefix) || isHidden(table)) && !isFleeting(table),
    isKnown: (table) => !isHidden(table),
  };
}

function anyOf(patterns: readonly string[]): (name: string) => boolean {
  const compiled = patterns.map((pattern) => new RegExp(pattern));
  return (name) => compiled.some((pattern) => pattern.test(name));
}
