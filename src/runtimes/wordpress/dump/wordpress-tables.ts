import { ArchiveRefused } from '#core/archive/archive-refused.ts';
import type { Column, Table } from './table.ts';

/** The prefix that every site here has. */
export const OWN_PREFIX = 'wp_';

/** Of the tables of a dump, those of its one WordPress, under the names that they have here. */
export interface WordPressTables {
  /** What their names begin with in the dump. */
  prefix: string;
  /** Their new names, by the old ones in lower case. */
  names: Map<string, string>;
}

export function findWordPress(tables: Iterable<Table>): WordPressTables {
  const names = [...tables].map(({ name }) => name);
  const all = new Set(names);
  const prefixes = names
    .filter((name) => name.endsWith('options'))
    .map((name) => name.slice(0, -'options'.length))
    .filter((prefix) => all.has(`${prefix}posts`) && all.has(`${prefix}postmeta`));
  const [prefix] = prefixes;
  if (prefix === undefined)
    throw new ArchiveRefused('its database has no tables of WordPress (options, posts, postmeta)');
  if (all.has(`${prefix}blogs`))
    throw new ArchiveRefused('its database is one of a network of sites; export one of them');
  if (prefixes.length > 1)
    throw new ArchiveRefused(
      `its database holds several sites (${prefixes.slice(0, 3).join(', ')}); export one of them`,
    );
  const own = names.filter((name) => name.startsWith(prefix));
  return { prefix, names: new Map(own.map((name) => [name.toLowerCase(), OWN_PREFIX + name.slice(prefix.length)])) };
}

/** What has to be made before the rows can come. */
export type TableChange = { create: Table } | { table: string; add: Column };

/** `known`: the columns of the tables that are there, both in lower case. */
export function missingTables(
  { names }: WordPressTables,
  tables: ReadonlyMap<string, Table>,
  known: ReadonlyMap<string, ReadonlySet<string>>,
): TableChange[] {
  return [...names].flatMap(([key, name]): TableChange[] => {
    const table = tables.get(key) as Table;
    const columns = known.get(name.toLowerCase());
    if (!columns) return [{ create: { ...table, name } }];
    const missing = table.columns.filter((column) => !columns.has(column.name.toLowerCase()));
    // A row that says nothing of it has to be possible.
    return missing.map((add) => ({ table: name, add: { ...add, isNullable: true, isAutoIncrement: false } }));
  });
}
