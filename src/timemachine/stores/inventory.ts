import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { StoredObject } from './store.ts';

/** What waits for the store: an object, or that one goes. */
export interface Waiting {
  seq: number;
  key: string;
  kind: 'put' | 'delete';
  bytes: number;
  atMs: number;
}

const SCHEMA = `
  create table if not exists objects (key text primary key, bytes integer not null, at integer not null,
    uploaded_at integer) without rowid;
  create table if not exists queue (seq integer primary key autoincrement, key text not null, kind text not null,
    bytes integer not null, at integer not null);
  create index if not exists queue_key on queue (key);
  create table if not exists cache (name text primary key, bytes integer not null, used_at integer not null) without rowid;
  create index if not exists cache_used on cache (used_at);
  create table if not exists facts (name text primary key, value text not null) without rowid;
`;

/**
 * What this host knows of a store that is far away, in a file that its processes share: which objects there are, which of them still wait on this disk, and
 * what of the others is kept here as well. A store of this kind has one host, so nobody else changes it, and no list has to be asked for over the network.
 */
export class Inventory {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#db = new DatabaseSync(join(folder, 'inventory.sqlite'), { timeout: 30_000 });
    this.#db.exec('pragma journal_mode = wal; pragma synchronous = full');
    this.inTransaction(() => this.#db.exec(SCHEMA));
  }

  /** Everything within is written down together, and is on disk when this returns. */
  inTransaction<T>(work: () => T): T {
    this.#db.exec('begin immediate');
    try {
      const result = work();
      this.#db.exec('commit');
      return result;
    } catch (error) {
      this.#db.exec('rollback');
      throw error;
    }
  }

  has(key: string): boolean {
    return this.#first('select 1 from objects where key = ?', key) !== undefined;
  }

  add(key: string, bytes: number, atMs: number, uploadedAtMs: number | null): void {
    this.#run('insert or replace into objects values (?, ?, ?, ?)', key, bytes, atMs, uploadedAtMs);
  }

  remove(key: string): void {
    this.#run('delete from objects where key = ?', key);
  }

  list(prefix: string): (StoredObject & { uploadedAtMs: number | null })[] {
    const [from, to] = bounds(prefix);
    return this.#all('select * from objects where key >= ? and key < ? order by key', from, to).map((row) => ({
      key: row.key as string,
      sizeBytes: row.bytes as number,
      storedAtMs: row.at as number,
      uploadedAtMs: row.uploaded_at as number | null,
    }));
  }

  /** The names right below, found one by one, so that a folder in there costs one look however much it holds. */
  names(prefix: string): string[] {
    const [start, to] = bounds(prefix);
    const found: string[] = [];
    for (let from = start; ; ) {
      const row = this.#first('select key from objects where key >= ? and key < ? order by key limit 1', from, to);
      if (!row) return found;
      const rest = (row.key as string).slice(start.length);
      const [name = ''] = rest.split('/', 1);
      found.push(name);
      from = `${start}${name}${name === rest ? '\0' : AFTER_SLASH}`;
    }
  }

  enqueue(key: string, kind: Waiting['kind'], bytes: number, atMs: number): number {
    const sql = 'insert into queue (key, kind, bytes, at) values (?, ?, ?, ?)';
    return Number(this.#statement(sql).run(key, kind, bytes, atMs).lastInsertRowid);
  }

  /** The oldest that wait, in the order in which they came. */
  waiting(limit: number): Waiting[] {
    const rows = this.#all('select seq, key, kind, bytes, at from queue order by seq limit ?', limit);
    return rows.map(({ at, ...row }) => ({ ...row, atMs: at }) as Waiting);
  }

  waitingPuts(key: string): number[] {
    const rows = this.#all(`select seq from queue where key = ? and kind = 'put' order by seq desc`, key);
    return rows.map(({ seq }) => seq as number);
  }

  isWaiting(key: string): boolean {
    return this.#first('select 1 from queue where key = ?', key) !== undefined;
  }

  isQueued(seq: number): boolean {
    return this.#first('select 1 from queue where seq = ?', seq) !== undefined;
  }

  /** False where somebody else took it out. */
  dequeue(seq: number): boolean {
    return this.#statement('delete from queue where seq = ?').run(seq).changes > 0;
  }

  noteUploaded(key: string, atMs: number): void {
    this.#run('update objects set uploaded_at = ? where key = ?', atMs, key);
  }

  queued(): { objects: number; bytes: number; oldestMs: number | null } {
    const row = this.#first(
      'select count(*) as objects, coalesce(sum(bytes), 0) as bytes, min(at) as oldest from queue',
    );
    return { objects: row?.objects as number, bytes: row?.bytes as number, oldestMs: row?.oldest as number | null };
  }

  cached(name: string): { usedAtMs: number } | undefined {
    const row = this.#first('select used_at from cache where name = ?', name);
    return row && { usedAtMs: row.used_at as number };
  }

  noteCached(name: string, bytes: number, atMs: number): void {
    this.#run('insert or replace into cache values (?, ?, ?)', name, bytes, atMs);
  }

  noteUsed(name: string, atMs: number): void {
    this.#run('update cache set used_at = ? where name = ?', atMs, name);
  }

  dropCached(name: string): boolean {
    return this.#statement('delete from cache where name = ?').run(name).changes > 0;
  }

  cacheBytes(): number {
    return this.#first('select coalesce(sum(bytes), 0) as bytes from cache')?.bytes as number;
  }

  leastUsed(): { name: string; bytes: number } | undefined {
    return this.#first('select name, bytes from cache order by used_at limit 1') as
      | { name: string; bytes: number }
      | undefined;
  }

  fact(name: string): string | undefined {
    return this.#first('select value from facts where name = ?', name)?.value as string | undefined;
  }

  noteFact(name: string, value: string): void {
    this.#run('insert or replace into facts values (?, ?)', name, value);
  }

  close(): void {
    this.#db.close();
  }

  #run(sql: string, ...values: (string | number | null)[]): void {
    this.#statement(sql).run(...values);
  }

  #first(sql: string, ...values: (string | number | null)[]) {
    return this.#statement(sql).get(...values);
  }

  #all(sql: string, ...values: (string | number | null)[]) {
    return this.#statement(sql).all(...values);
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }
}

/** The sign after the slash: what is between `a/` and `a0` is below `a`. */
const AFTER_SLASH = '0';

/** Keys are plain ASCII (`assertKey`), so nothing comes after a tilde. */
const bounds = (prefix: string): [string, string] =>
  prefix === '' ? ['', '~'] : [`${prefix}/`, `${prefix}${AFTER_SLASH}`];
