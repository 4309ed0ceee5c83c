import { hash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** What a merge of three states must be, said once more in the plainest way, over all of each state at once. */

export type Decider = (conflict: string) => 'ours' | 'theirs';

export type Tree =
  | { kind: 'folder'; mode: number; entries: Record<string, Tree> }
  | { kind: 'file'; mode: number; content: string; time: number }
  | { kind: 'link'; target: string };

export function readTreeOf(path: string): Tree {
  const stat = lstatSync(path);
  const mode = stat.mode & 0o7777;
  if (stat.isSymbolicLink()) return { kind: 'link', target: readlinkSync(path) };
  if (stat.isFile())
    return { kind: 'file', mode, content: hash('sha256', readFileSync(path)), time: Math.round(stat.mtimeMs * 1000) };
  const names = readdirSync(path).sort();
  return {
    kind: 'folder',
    mode,
    entries: Object.fromEntries(names.map((name) => [name, readTreeOf(join(path, name))])),
  };
}

const text = (value: unknown) => JSON.stringify(value) ?? 'nothing';
const content = (tree: Tree | undefined) => text(tree?.kind === 'file' ? { ...tree, time: 0 } : tree);

export function mergeTrees(
  path: string,
  base: Tree | undefined,
  ours: Tree | undefined,
  theirs: Tree | undefined,
  decide: Decider,
): Tree | undefined {
  if (text(base) === text(ours)) return theirs;
  if (ours?.kind === 'folder' && theirs?.kind === 'folder') {
    const folder = base?.kind === 'folder' ? base : undefined;
    const mode = pick<number>(`file ${path}`, folder?.mode, ours.mode, theirs.mode, decide);
    const names = new Set([...Object.keys(ours.entries), ...Object.keys(theirs.entries)]);
    const entries: Record<string, Tree> = {};
    for (const name of [...names].sort()) {
      const below = path === '' ? name : `${path}/${name}`;
      const merged = mergeTrees(below, folder?.entries[name], ours.entries[name], theirs.entries[name], decide);
      if (merged) entries[name] = merged;
    }
    return { kind: 'folder', mode, entries };
  }
  const [was, own, other] = [content(base), content(ours), content(theirs)];
  const chosen = pick(`file ${path}`, was, own, other, decide);
  return chosen === own ? ours : theirs;
}

function pick<T>(name: string, base: T | undefined, ours: T, theirs: T, decide: Decider): T {
  if (ours === theirs || base === theirs) return ours;
  if (base === ours) return theirs;
  return decide(name) === 'ours' ? ours : theirs;
}

export interface Table {
  sql: string;
  indexes: string[];
  sequence: number | null;
  /** By key; by all of it where there is none. */
  rows: Record<string, string>;
}

const KEYS: Record<string, string | null> = { named: 'name', loose: 'rowid', keyless: null };

export function readTablesOf(file: string): Record<string, Table> {
  const db = new DatabaseSync(file);
  try {
    const tables: Record<string, Table> = {};
    const all = db
      .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .all();
    for (const { name, sql } of all as { name: string; sql: string }[]) {
      const parts = db
        .prepare("SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql NOT NULL ORDER BY name")
        .all(name);
      const sequence = db.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').get(name);
      const key = name in KEYS ? KEYS[name] : 'id';
      const rows = db.prepare(`SELECT ${key === null ? '1' : `quote(${key})`} AS key, * FROM ${name}`).all();
      tables[name] = {
        sql,
        indexes: parts.map((part) => part.sql as string),
        sequence: (sequence?.seq as number) ?? null,
        rows: Object.fromEntries(
          rows.map(({ key: id, ...row }, place) => [key === null ? `${place}` : (id as string), JSON.stringify(row)]),
        ),
      };
    }
    return tables;
  } finally {
    db.close();
  }
}

export function mergeTables(
  base: Record<string, Table>,
  ours: Record<string, Table>,
  theirs: Record<string, Table>,
  decide: Decider,
): Record<string, Table> {
  const merged: Record<string, Table> = {};
  for (const name of new Set([...Object.keys(theirs), ...Object.keys(ours)])) {
    const table = mergeTable(name, base[name], ours[name], theirs[name], decide);
    if (table) merged[name] = table;
  }
  return merged;
}

function mergeTable(
  name: string,
  base: Table | undefined,
  ours: Table | undefined,
  theirs: Table | undefined,
  decide: Decider,
): Table | undefined {
  if (text(ours) === text(theirs) || text(base) === text(theirs)) return ours;
  if (text(base) === text(ours)) return theirs;
  const whole = (reason: string) => (decide(`table ${name} ${reason}`) === 'ours' ? ours : theirs);
  if (!ours || !theirs) return whole('gone');
  if (ours.sql !== theirs.sql || (base && base.sql !== ours.sql)) return whole('made');
  const [was, own, other] = [text(base?.indexes), text(ours.indexes), text(theirs.indexes)];
  if (own !== other && was !== own && was !== other) return whole('made');
  if (KEYS[name] === null) return whole('keyless');
  const rows: Record<string, string> = {};
  for (const key of new Set([...Object.keys(ours.rows), ...Object.keys(theirs.rows)])) {
    const row = pick(`row ${name} ${key}`, base?.rows[key], ours.rows[key], theirs.rows[key], decide);
    if (row !== undefined) rows[key] = row;
  }
  const numbers = [ours.sequence, theirs.sequence].filter((number) => number !== null);
  return {
    ...ours,
    indexes: was === own ? theirs.indexes : ours.indexes,
    sequence: numbers.length > 0 ? Math.max(...numbers) : null,
    rows,
  };
}
