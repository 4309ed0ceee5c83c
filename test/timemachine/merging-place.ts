import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Random } from '../random.ts';
import { RandomSite } from './random-site.ts';
import { readTablesOf, readTreeOf } from './three-way-model.ts';

/** A folder and a database. Two rows of the tables in it are one another's business only where they have the same key. */
export class Place {
  readonly folder: string;
  readonly database: string;
  readonly #random: Random;
  readonly #files: RandomSite;

  constructor(path: string, random: Random) {
    this.folder = join(path, 'site');
    this.database = join(path, 'tables.sqlite');
    this.#random = random;
    this.#files = new RandomSite(this.folder, join(path, 'unused.sqlite'), random);
  }

  static make(path: string, random: Random): Place {
    execFileSync('mkdir', ['-p', path]);
    const place = new Place(path, random);
    place.#query((db) => {
      db.exec(`
        CREATE TABLE posts (id INTEGER PRIMARY KEY AUTOINCREMENT, title, body);
        CREATE TABLE named (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
        CREATE TABLE loose (a, b); CREATE TABLE keyless (rowid, oid, _rowid_, a);
        CREATE TABLE extra0 (id INTEGER PRIMARY KEY, a)`);
      for (let count = 0; count < 300; count++) place.#changeRow(db);
    });
    return place;
  }

  copyTo(path: string, random: Random): Place {
    execFileSync('cp', ['-a', join(this.folder, '..'), path]);
    return new Place(path, random);
  }

  live(minutes: number): void {
    for (let count = 2 * minutes; count > 0; count--) this.#files.editFile();
    this.#query((db) => {
      for (let count = 4 * minutes; count > 0; count--) this.#changeRow(db);
      if (this.#random.below(3) === 0) this.#changeSchema(db);
    });
  }

  truth() {
    return { files: readTreeOf(this.folder), tables: readTablesOf(this.database) };
  }

  #query(work: (db: DatabaseSync) => void): void {
    const db = new DatabaseSync(this.database);
    try {
      db.exec('BEGIN');
      work(db);
      db.exec('COMMIT');
    } finally {
      db.close();
    }
  }

  #changeRow(db: DatabaseSync): void {
    const random = this.#random;
    const id = random.below(120);
    const value = random.text(random.below(300));
    switch (random.below(9)) {
      case 0:
        return void db.prepare('DELETE FROM posts WHERE id = ?').run(id);
      case 1:
        return void db.prepare('UPDATE posts SET title = ? WHERE id = ?').run(random.below(4), id);
      case 2:
        return void db.prepare('REPLACE INTO named VALUES (?, ?)').run(`name${id % 40}`, random.below(3));
      case 3:
        return void db.prepare('DELETE FROM named WHERE name = ?').run(`name${id % 40}`);
      case 4:
        return void db.prepare('INSERT INTO loose (a, b) VALUES (?, ?)').run(id, value);
      case 5:
        return void db.prepare('UPDATE loose SET a = ? WHERE rowid = ?').run(random.below(3), id);
      case 6:
        if (random.below(30) === 0) db.prepare('INSERT INTO keyless VALUES (1, 2, 3, ?)').run(value);
        return;
      default:
        return void db.prepare('INSERT INTO posts (title, body) VALUES (?, ?)').run(random.below(4), value);
    }
  }

  #changeSchema(db: DatabaseSync): void {
    const random = this.#random;
    const number = random.below(3);
    switch (random.below(4)) {
      case 0:
        db.exec(`CREATE TABLE IF NOT EXISTS extra${number} (id INTEGER PRIMARY KEY, a)`);
        db.prepare(`INSERT INTO extra${number} (a) VALUES (?)`).run(random.below(3));
        break;
      case 1:
        db.exec(`DROP TABLE IF EXISTS extra${number}`);
        break;
      case 2:
        db.exec(`CREATE INDEX IF NOT EXISTS index${number} ON posts (title, body)`);
        break;
      default:
        if (random.below(3) === 0) db.exec(`ALTER TABLE loose ADD COLUMN more${random.below(1e6)}`);
    }
  }
}
