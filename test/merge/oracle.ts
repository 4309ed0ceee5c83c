/** What a merge must come to, said once more in the plainest way: over all rows of each state at once, and apart from the engine. */

type Row = Record<string, unknown>;
type Tables = Record<string, Row[]>;

interface Expected {
  /** By table and name of the row; without the numbers that mean nothing. */
  tables: Record<string, Record<string, Row>>;
  /** Rows that come and go without a name: how many of each there are. */
  unnamed: Record<string, number>;
  files: Record<string, string>;
  conflicts: string[];
}

const KEYS: Record<string, string[]> = {
  wp_posts: ['ID'],
  wp_postmeta: ['meta_id'],
  wp_comments: ['comment_ID'],
  wp_terms: ['term_id'],
  wp_term_taxonomy: ['term_taxonomy_id'],
  wp_term_relationships: ['object_id', 'term_taxonomy_id'],
  wp_options: ['option_name'],
  wp_users: ['ID'],
  wp_usermeta: ['umeta_id'],
  wp_wc_orders: ['id'],
  wp_lookup: ['id'],
};
const COUNTS: Record<string, string> = { wp_posts: 'comment_count', wp_term_taxonomy: 'count' };
const isOwn = (table: string, row: Row | undefined) =>
  (table === 'wp_options' && /^(_transient_|_site_transient_|cron$)/.test(String(row?.option_name))) ||
  (table === 'wp_usermeta' && row?.meta_key === 'session_tokens');

const nameOf = (table: string, row: Row) => (KEYS[table] ?? []).map((column) => String(row[column])).join(' ');
const text = (row: Row | undefined) => {
  const { option_id: _number, ...rest } = row ?? {};
  return row ? JSON.stringify(rest) : 'nothing';
};

export function named(tables: Tables): Expected['tables'] {
  return Object.fromEntries(
    Object.keys(KEYS).map((table) => [
      table,
      Object.fromEntries((tables[table] ?? []).map((row) => [nameOf(table, row), JSON.parse(text(row)) as Row])),
    ]),
  );
}

export function unnamed(tables: Tables): Expected['unnamed'] {
  const counts: Record<string, number> = {};
  for (const row of tables.wp_visits ?? []) counts[JSON.stringify(row)] = (counts[JSON.stringify(row)] ?? 0) + 1;
  return counts;
}

interface State {
  tables: Tables;
  files: Record<string, string>;
}

/** `before` and `after` are the copy when it began and now, `live` is the site now. */
export function expectedMerge(before: State, after: State, live: State, side: 'ours' | 'theirs'): Expected {
  const conflicts: string[] = [];
  const tables = named(live.tables);
  const [was, is] = [named(before.tables), named(after.tables)];
  for (const table of Object.keys(KEYS)) {
    const rows = tables[table] ?? {};
    for (const name of new Set([...Object.keys(was[table] ?? {}), ...Object.keys(is[table] ?? {})])) {
      const [old, now, own] = [was[table]?.[name], is[table]?.[name], rows[name]];
      if (text(old) === text(now) || text(own) === text(now) || isOwn(table, now ?? old)) continue;
      const [result, isConflict] = mergeOne(table, old, now, own);
      if (isConflict) conflicts.push(`${table} ${name}`);
      if (isConflict && side === 'ours') continue;
      if (result) rows[name] = result;
      else delete rows[name];
    }
    tables[table] = rows;
  }
  oneOfEachSku(was, is, tables, conflicts, side);
  return { tables, unnamed: countUnnamed(before, after, live), ...mergeFiles(before, after, live, conflicts, side) };
}

function mergeOne(
  table: string,
  old: Row | undefined,
  now: Row | undefined,
  own: Row | undefined,
): [Row | undefined, boolean] {
  if (!now) return [undefined, text(old) !== text(own)];
  if (!own) return [now, old !== undefined];
  let isConflict = false;
  const merged: Row = {};
  for (const column of Object.keys(now)) {
    const [o, n, l] = [old?.[column], now[column], own[column]];
    if (n === l || (old && o === n)) merged[column] = l;
    else if (old && o === l) merged[column] = n;
    else if (old && COUNTS[table] === column) merged[column] = Number(l) + Number(n) - Number(o);
    else {
      merged[column] = n;
      isConflict = true;
    }
  }
  return [merged, isConflict];
}

/** Two rows with one SKU can not be: the one that the copy wrote counts. */
function oneOfEachSku(
  was: Expected['tables'],
  is: Expected['tables'],
  tables: Expected['tables'],
  conflicts: string[],
  side: 'ours' | 'theirs',
): void {
  const rows = tables.wp_lookup ?? {};
  for (const [name, row] of Object.entries(is.wp_lookup ?? {})) {
    // Not where live has given the number to something else meanwhile.
    const isOwn = String(rows[name]?.sku).toLowerCase() !== String(row.sku).toLowerCase();
    if (text(was.wp_lookup?.[name]) === text(row) || isOwn) continue;
    const sku = (each: Row | undefined) => String(each?.sku).toLowerCase();
    const other = Object.keys(rows).find((each) => each !== name && sku(rows[each]) === sku(row));
    if (other === undefined) continue;
    conflicts.push(`wp_lookup ${name}`);
    delete rows[side === 'theirs' ? other : name];
  }
}

function countUnnamed(before: State, after: State, live: State): Expected['unnamed'] {
  const [was, is, own] = [unnamed(before.tables), unnamed(after.tables), unnamed(live.tables)];
  const result: Record<string, number> = {};
  for (const row of new Set([...Object.keys(was), ...Object.keys(is), ...Object.keys(own)])) {
    const count = Math.max(0, (own[row] ?? 0) + Math.min(0, (is[row] ?? 0) - (was[row] ?? 0)));
    const come = Math.max(0, (is[row] ?? 0) - (was[row] ?? 0));
    if (count + come > 0) result[row] = count + come;
  }
  return result;
}

function mergeFiles(before: State, after: State, live: State, conflicts: string[], side: 'ours' | 'theirs') {
  const files = { ...live.files };
  for (const path of new Set([...Object.keys(before.files), ...Object.keys(after.files)])) {
    const [old, now, own] = [before.files[path], after.files[path], live.files[path]];
    if (old === now || now === own) continue;
    if (old !== own) conflicts.push(`file ${path}`);
    if (old !== own && side === 'ours') continue;
    if (now === undefined) delete files[path];
    else files[path] = now;
  }
  return { files, conflicts: [...new Set(conflicts)].sort() };
}
