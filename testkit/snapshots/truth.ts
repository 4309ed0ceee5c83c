import { hash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** What a folder and a database hold, read by other code than the engine's, to be compared with what it brings back. */

export function truthOfFolder(folder: string): Record<string, string> {
  const truth: Record<string, string> = {};
  const visit = (path: string) => {
    for (const name of readdirSync(join(folder, path)).sort()) {
      const below = path === '' ? name : `${path}/${name}`;
      const stat = lstatSync(join(folder, below));
      // A backup keeps no more of it (docs/decisions/0048).
      const mode = (stat.mode & 0o777).toString(8);
      if (stat.isDirectory()) {
        truth[below] = `folder ${mode}`;
        visit(below);
      } else if (stat.isSymbolicLink()) truth[below] = `link ${readlinkSync(join(folder, below))}`;
      else {
        const content = hash('sha256', readFileSync(join(folder, below)));
        truth[below] = `file ${mode} ${Math.round(stat.mtimeMs * 1000)} ${stat.size} ${content}`;
      }
    }
  };
  visit('');
  return truth;
}

export function truthOfDatabase(path: string): Record<string, string> {
  // The site's own processes may have it for a moment.
  const db = new DatabaseSync(path, { timeout: 10_000 });
  try {
    const truth: Record<string, string> = {};
    const schema = db.prepare('SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name').all();
    for (const { type, name, sql } of schema as { type: string; name: string; sql: string }[]) {
      truth[`${type} ${name}`] = sql;
      if (type !== 'table') continue;
      const columns = db.prepare('SELECT name FROM pragma_table_xinfo(?)').all(name) as { name: string }[];
      const values = columns.map(({ name: column }) => {
        const quoted = `"${column.replaceAll('"', '""')}"`;
        return `typeof(${quoted}) || ' ' || coalesce(CASE typeof(${quoted}) WHEN 'real' THEN quote(${quoted}) ELSE hex(${quoted}) END, '')`;
      });
      const rows = db
        .prepare(`SELECT ${values.join(` || ',' || `)} AS line FROM "${name.replaceAll('"', '""')}"`)
        .all();
      const lines = rows.map(({ line }) => line as string).sort();
      truth[`rows ${name}`] = `${lines.length} ${hash('sha256', lines.join('\n'))}`;
    }
    return truth;
  } finally {
    db.close();
  }
}
