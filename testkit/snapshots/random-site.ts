import {
  appendFileSync,
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Random } from '../random.ts';

/** A folder and a database in which anything may happen that happens to a site, and more. */
export class RandomSite {
  readonly folder: string;
  readonly database: string;
  readonly #random: Random;

  constructor(folder: string, database: string, random: Random) {
    this.folder = folder;
    this.database = database;
    this.#random = random;
    // A copy of one goes on where that was.
    if (exists(folder)) return;
    mkdirSync(join(folder, 'uploads/2026'), { recursive: true });
    mkdirSync(join(folder, 'plugins/one'), { recursive: true });
    for (let index = 0; index < 20; index++) this.editFile();
    this.query((db) => {
      db.exec(`
        CREATE TABLE wp_posts (ID INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT COLLATE NOCASE, content TEXT, score REAL);
        CREATE INDEX posts_title ON wp_posts (title);
        CREATE TABLE wp_terms (object INTEGER NOT NULL, term INTEGER NOT NULL, extra, PRIMARY KEY (object, term));
        CREATE TABLE options (name TEXT COLLATE NOCASE PRIMARY KEY, value) WITHOUT ROWID;
        CREATE TABLE "odd ""name" (rowid, oid, _rowid_, anything);
        CREATE TABLE log (line TEXT UNIQUE, twice GENERATED ALWAYS AS (line || line) VIRTUAL);
        CREATE TRIGGER posts_log AFTER INSERT ON wp_posts BEGIN INSERT OR IGNORE INTO log (line) VALUES ('post ' || new.ID); END;
        CREATE VIEW titles AS SELECT title FROM wp_posts;
      `);
      for (let index = 0; index < 400; index++) this.#changeRow(db);
    });
  }

  query(work: (db: DatabaseSync) => void): void {
    // Somebody may be reading it for a backup.
    const db = new DatabaseSync(this.database, { timeout: 10_000 });
    try {
      db.exec('BEGIN IMMEDIATE');
      work(db);
      db.exec('COMMIT');
    } finally {
      db.close();
    }
  }

  /** The changes of a minute: some files, some rows, at times nothing. */
  minute(): void {
    const random = this.#random;
    for (let count = random.below(6); count > 0; count--) this.editFile();
    if (random.below(3) === 0) return;
    this.query((db) => {
      for (let count = random.below(30); count > 0; count--) this.#changeRow(db);
      if (random.below(8) === 0) this.#changeSchema(db);
    });
  }

  editFile(): void {
    const random = this.#random;
    const paths = this.#paths();
    const folders = ['', ...paths.filter((path) => lstatSync(join(this.folder, path)).isDirectory())];
    const files = paths.filter((path) => lstatSync(join(this.folder, path)).isFile());
    const fresh = join(this.folder, random.pick(folders), `${random.pick(['a', 'ü', 'z z', "q'"])}${random.below(40)}`);
    const file = files.length > 0 ? join(this.folder, random.pick(files)) : undefined;
    const any = paths.length > 0 ? join(this.folder, random.pick(paths)) : undefined;
    switch (random.below(13)) {
      case 0:
        if (any) rmSync(any, { recursive: true });
        return;
      case 1:
        if (!exists(fresh)) mkdirSync(fresh);
        return;
      case 2:
        if (file) appendFileSync(file, random.text(50));
        return;
      case 3:
        if (file) this.#patch(file);
        return;
      case 4:
        if (any && !exists(fresh) && !fresh.startsWith(`${any}/`)) renameSync(any, fresh);
        return;
      case 5:
        if (any && !lstatSync(any).isSymbolicLink()) chmodSync(any, random.pick([0o600, 0o644, 0o700, 0o755, 0o2755]));
        return;
      case 6:
        if (!exists(fresh)) symlinkSync(random.pick(['/etc/passwd', '..', 'nowhere', 'a1']), fresh);
        return;
      case 7:
        if (file) utimesSync(file, 1_600_000_000 + random.below(1e6) / 7, 1_600_000_000 + random.below(1e6) / 7);
        return;
      case 8: {
        // A big file, or a big one that grows in its middle.
        const old = file && lstatSync(file).size > 1e6 ? readFileSync(file) : Buffer.alloc(1.2e6, random.text(3000));
        const middle = random.below(old.length);
        const target = file && lstatSync(file).size > 1e6 ? file : fresh;
        if (exists(target) && !lstatSync(target).isFile()) return;
        writeFileSync(target, Buffer.concat([old.subarray(0, middle), random.bytes(100), old.subarray(middle)]));
        return;
      }
      case 9:
        // Something else takes its place.
        if (!any) return;
        rmSync(any, { recursive: true });
        if (random.below(2) === 0) mkdirSync(any);
        else writeFileSync(any, random.text(20));
        return;
      default:
        if (!exists(fresh))
          writeFileSync(
            fresh,
            random.below(4) === 0 ? random.bytes(random.below(9000)) : random.text(random.below(9000)),
          );
    }
  }

  /** Changes bytes in place and sets the time back: only the time of the change itself tells. */
  #patch(path: string): void {
    const { size, atime, mtime } = lstatSync(path);
    if (size === 0) return;
    const file = openSync(path, 'r+');
    writeSync(file, this.#random.bytes(1), 0, 1, this.#random.below(size));
    closeSync(file);
    utimesSync(path, atime, mtime);
  }

  #paths(): string[] {
    // Not the recursive form of readdir, for that follows links.
    const found: string[] = [];
    const visit = (path: string) => {
      for (const entry of readdirSync(join(this.folder, path), { withFileTypes: true })) {
        const below = path === '' ? entry.name : `${path}/${entry.name}`;
        found.push(below);
        if (entry.isDirectory()) visit(below);
      }
    };
    visit('');
    return found.sort();
  }

  #changeRow(db: DatabaseSync): void {
    const random = this.#random;
    const value = random.pick<() => null | string | number | bigint | Buffer>([
      () => null,
      () => random.text(random.below(400)),
      () => (random.below(1e6) - 5e5) / 7,
      () => BigInt(random.below(1e9)) * BigInt(random.below(2 ** 31)) * (random.below(2) === 0 ? 1n : -1n),
      () => random.bytes(random.below(60)),
      () => Number.POSITIVE_INFINITY,
    ])();
    const id = random.below(600);
    switch (random.below(12)) {
      case 0:
        db.prepare('DELETE FROM wp_posts WHERE ID = ?').run(id);
        return;
      case 1:
        db.prepare('UPDATE wp_posts SET content = ? WHERE ID = ?').run(random.text(3000), id);
        return;
      case 2:
        db.prepare('REPLACE INTO wp_posts (ID, title, score) VALUES (?, ?, ?)').run(id, random.text(8), value);
        return;
      case 3:
        db.prepare('REPLACE INTO wp_terms (object, term, extra) VALUES (?, ?, ?)').run(
          random.below(50),
          random.below(9),
          value,
        );
        return;
      case 4:
        db.prepare('DELETE FROM wp_terms WHERE object = ?').run(random.below(50));
        return;
      case 5:
        db.prepare('REPLACE INTO options VALUES (?, ?)').run(
          `${random.pick(['A', 'a', 'Ä', 'b'])}${random.below(80)}`,
          value,
        );
        return;
      case 6:
        db.prepare('DELETE FROM options WHERE name = ?').run(`a${random.below(80)}`);
        return;
      case 7:
        db.prepare('INSERT INTO "odd ""name" VALUES (?, 1, 2, ?)').run(value, id);
        return;
      case 8:
        // Text that is no UTF-8.
        db.prepare('UPDATE wp_posts SET title = CAST(? AS TEXT) WHERE ID = ?').run(random.bytes(9), id);
        return;
      default:
        db.prepare('INSERT INTO wp_posts (title, content, score) VALUES (?, ?, ?)').run(
          random.text(20),
          random.text(random.below(2000)),
          value,
        );
    }
  }

  #changeSchema(db: DatabaseSync): void {
    const random = this.#random;
    const number = random.below(4);
    switch (random.below(7)) {
      case 0:
        db.exec(`CREATE TABLE IF NOT EXISTS extra${number} (id INTEGER PRIMARY KEY, a, b TEXT)`);
        db.exec(`INSERT INTO extra${number} (a, b) SELECT ID, title FROM wp_posts LIMIT 40`);
        return;
      case 1:
        db.exec(`DROP TABLE IF EXISTS extra${number}`);
        return;
      case 2:
        db.exec(`CREATE INDEX IF NOT EXISTS index${number} ON wp_posts (score, title)`);
        return;
      case 3:
        db.exec(`DROP INDEX IF EXISTS index${number}`);
        return;
      case 4:
        db.exec('DELETE FROM log');
        return;
      case 5:
        db.exec(
          `ALTER TABLE wp_terms ADD COLUMN more${db.prepare('SELECT count(*) AS n FROM pragma_table_info(?)').get('wp_terms')?.n}`,
        );
        return;
      default:
        db.exec('DELETE FROM wp_posts WHERE ID % 3 = 1');
    }
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
