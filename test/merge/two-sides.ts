import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SqliteFile } from '#runtimes/folders/sqlite-file.ts';
import { writeEmptySite } from '#testkit/drivers/memory/schema.ts';
import type { Random } from '#testkit/random.ts';

/** A shop's plugin: orders in a table of their own, a table with a second unique column, and one without any key. */
const PLUGIN = `
  CREATE TABLE wp_wc_orders (id integer not null primary key autoincrement, status text not null default '', total integer not null default 0, page text) strict;
  CREATE TABLE wp_lookup (id integer not null primary key autoincrement, sku text collate nocase not null, stock integer not null default 0) strict;
  CREATE UNIQUE INDEX wp_lookup__sku ON wp_lookup (sku);
  CREATE TABLE wp_visits (page text, at text) strict`;

const placeIn = (path: string) => ({ folder: join(path, 'content'), database: join(path, 'database.sqlite') });

/** A site that somebody edits at random, as WordPress would. */
export class EditedSite {
  readonly folder: string;
  readonly database: string;
  readonly url: string;
  readonly #random: Random;

  constructor(place: { folder: string; database: string }, url: string, random: Random) {
    this.folder = place.folder;
    this.database = place.database;
    this.url = url;
    this.#random = random;
  }

  static async make(path: string, url: string, random: Random): Promise<EditedSite> {
    const site = new EditedSite(placeIn(path), url, random);
    mkdirSync(site.folder, { recursive: true });
    const file = new SqliteFile(site.database);
    await file.transaction((run) => writeEmptySite(run, url, 0));
    file.close();
    site.begin();
    return site;
  }

  /** What it is before it has a copy. */
  begin(): void {
    this.query((db) => db.exec(PLUGIN));
    for (let index = 0; index < 12; index++) this.write(`uploads/${index}.txt`, `first ${index}`);
    this.write('plugins/shop/shop.php', '<?php // 1.0');
    this.live(60);
  }

  /** As a staging site is made: at another address, with numbers of its own. */
  async copyTo(path: string, url: string, random: Random): Promise<EditedSite> {
    cpSync(dirname(this.folder), path, { recursive: true, preserveTimestamps: true });
    const copy = new EditedSite(placeIn(path), url, random);
    const file = new SqliteFile(copy.database);
    await file.moveTo(url);
    file.close();
    await copy.spreadNumbers(this);
    return copy;
  }

  async spreadNumbers(from: EditedSite): Promise<void> {
    const [other, own] = [new SqliteFile(from.database), new SqliteFile(this.database)];
    await own.spreadNumbers(await other.numbers());
    for (const file of [other, own]) file.close();
  }

  /** So many things happen. */
  live(edits: number): void {
    this.query((db) => {
      for (let count = 0; count < edits; count++) this.#random.pick(EDITS).call(this, db);
    });
    for (let count = this.#random.below(4); count > 0; count--) this.#editFile();
  }

  query<T>(work: (db: DatabaseSync) => T): T {
    const db = new DatabaseSync(this.database, { timeout: 10_000 });
    try {
      db.exec('BEGIN');
      const result = work(db);
      db.exec('COMMIT');
      return result;
    } finally {
      db.close();
    }
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  files(): Record<string, string> {
    const names = readdirSync(this.folder, { recursive: true, encoding: 'utf8' });
    const isFile = (name: string) => statSync(join(this.folder, name)).isFile();
    return Object.fromEntries(
      names
        .filter(isFile)
        .sort()
        .map((name) => [name, readFileSync(join(this.folder, name), 'utf8')]),
    );
  }

  /** Every row of every table, with addresses that are nobody's. */
  tables(): Record<string, Record<string, unknown>[]> {
    return this.query((db) => {
      const names = db
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'wp\\_%' ESCAPE '\\'")
        .all();
      return Object.fromEntries(
        names.map(({ name }) => {
          const rows = db.prepare(`SELECT * FROM ${name}`).all();
          const neutral = (value: unknown) => (typeof value === 'string' ? neutralText(value, this.url) : value);
          return [
            name as string,
            rows.map((row) =>
              Object.fromEntries(Object.entries(row).map(([column, value]) => [column, neutral(value)])),
            ),
          ];
        }),
      );
    });
  }

  text(): string {
    return this.#random.below(2) === 0
      ? `word ${this.#random.below(1e6)}`
      : `see ${this.url}/${this.#random.below(50)} `;
  }

  /** As PHP writes an array with a URL in it. */
  serialized(): string {
    const link = `${this.url}/${this.#random.below(1000)}`;
    return `a:1:{s:4:"link";s:${Buffer.byteLength(link)}:"${link}";}`;
  }

  below(count: number): number {
    return this.#random.below(count);
  }

  /** The number of some row, also of one that the other side may have too. */
  some(db: DatabaseSync, table: string, id: string): number | undefined {
    const found = db.prepare(`SELECT ${id} AS id FROM ${table} ORDER BY ${id}`).all();
    return found.length === 0 ? undefined : (found[this.#random.below(found.length)]?.id as number);
  }

  #editFile(): void {
    const path = `uploads/${this.#random.below(20)}.txt`;
    const what = this.#random.below(5);
    if (what === 0) rmSync(join(this.folder, path), { force: true });
    else if (what === 1) this.write('plugins/shop/shop.php', `<?php // 1.${this.#random.below(9)}`);
    else this.write(path, `text ${this.#random.below(100)}`);
  }
}

/** What differs in nothing but the address is the same; the length of a serialised text follows from it. */
function neutralText(text: string, url: string): string {
  return text.replaceAll(url, 'URL').replace(/s:\d+:"([^"]*URL[^"]*)"/g, 's:N:"$1"');
}

type Edit = (this: EditedSite, db: DatabaseSync) => void;

const EDITS: Edit[] = [
  function addPost(db) {
    const type = ['post', 'page', 'attachment', 'shop_order'][this.below(4)] as string;
    const added = db
      .prepare(
        `INSERT INTO wp_posts (post_title, post_content, post_type, guid, post_excerpt, to_ping, pinged, post_content_filtered)
         VALUES (?, ?, ?, ?, '', '', '', '')`,
      )
      .run(this.text(), this.text(), type, `${this.url}/?p=${this.below(1e6)}`);
    db.prepare('INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (?, ?, ?)').run(
      added.lastInsertRowid,
      '_parts',
      this.serialized(),
    );
  },
  function editPost(db) {
    const id = this.some(db, 'wp_posts', 'ID');
    if (id === undefined) return;
    const column = ['post_title', 'post_content', 'post_name'][this.below(3)];
    db.prepare(`UPDATE wp_posts SET ${column} = ?, post_modified = ? WHERE ID = ?`).run(
      this.text(),
      `${this.below(9)}`,
      id,
    );
  },
  function removePost(db) {
    if (this.below(3) > 0) return;
    const id = this.some(db, 'wp_posts', 'ID');
    if (id === undefined) return;
    db.prepare('DELETE FROM wp_posts WHERE ID = ?').run(id);
    db.prepare('DELETE FROM wp_postmeta WHERE post_id = ?').run(id);
  },
  function editMeta(db) {
    const id = this.some(db, 'wp_postmeta', 'meta_id');
    if (id === undefined) return;
    if (this.below(4) === 0) db.prepare('DELETE FROM wp_postmeta WHERE meta_id = ?').run(id);
    else db.prepare('UPDATE wp_postmeta SET meta_value = ? WHERE meta_id = ?').run(this.serialized(), id);
  },
  function comment(db) {
    const id = this.some(db, 'wp_posts', 'ID');
    if (id === undefined) return;
    db.prepare("INSERT INTO wp_comments (comment_post_ID, comment_author, comment_content) VALUES (?, 'Ada', ?)").run(
      id,
      this.text(),
    );
    db.prepare('UPDATE wp_posts SET comment_count = comment_count + 1 WHERE ID = ?').run(id);
  },
  function addTerm(db) {
    const term = db.prepare('INSERT INTO wp_terms (name, slug) VALUES (?, ?)').run(this.text(), `t${this.below(1e6)}`);
    db.prepare("INSERT INTO wp_term_taxonomy (term_id, taxonomy, description) VALUES (?, 'category', '')").run(
      term.lastInsertRowid,
    );
  },
  function relate(db) {
    const [post, term] = [this.some(db, 'wp_posts', 'ID'), this.some(db, 'wp_term_taxonomy', 'term_taxonomy_id')];
    if (post === undefined || term === undefined) return;
    const { changes } = db
      .prepare('INSERT OR IGNORE INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (?, ?)')
      .run(post, term);
    db.prepare('UPDATE wp_term_taxonomy SET count = count + ? WHERE term_taxonomy_id = ?').run(changes, term);
  },
  function separate(db) {
    const row = db.prepare('SELECT * FROM wp_term_relationships ORDER BY rowid LIMIT 1 OFFSET ?').get(this.below(5));
    if (!row) return;
    const { object_id, term_taxonomy_id } = row as { object_id: number; term_taxonomy_id: number };
    db.prepare('DELETE FROM wp_term_relationships WHERE object_id = ? AND term_taxonomy_id = ?').run(
      object_id,
      term_taxonomy_id,
    );
    db.prepare('UPDATE wp_term_taxonomy SET count = count - 1 WHERE term_taxonomy_id = ?').run(term_taxonomy_id);
  },
  function setOption(db) {
    const name = `option_${this.below(8)}`;
    // Sometimes it goes and comes again, with another number.
    if (this.below(3) === 0) db.prepare('DELETE FROM wp_options WHERE option_name = ?').run(name);
    if (this.below(5) === 0) return;
    db.prepare(
      `INSERT INTO wp_options (option_name, option_value) VALUES (?, ?)
       ON CONFLICT (option_name) DO UPDATE SET option_value = excluded.option_value`,
    ).run(name, this.serialized());
  },
  function setOwn(db) {
    const name = ['_transient_x', 'cron', '_site_transient_update_core'][this.below(3)] as string;
    db.prepare(
      `INSERT INTO wp_options (option_name, option_value) VALUES (?, ?)
       ON CONFLICT (option_name) DO UPDATE SET option_value = excluded.option_value`,
    ).run(name, this.text());
  },
  function register(db) {
    const user = db.prepare('INSERT INTO wp_users (user_login) VALUES (?)').run(`user${this.below(1e6)}`);
    db.prepare('INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES (?, ?, ?)').run(
      user.lastInsertRowid,
      ['nickname', 'session_tokens'][this.below(2)] as string,
      this.text(),
    );
  },
  function order(db) {
    const id = this.below(2) === 0 ? this.some(db, 'wp_wc_orders', 'id') : undefined;
    if (id !== undefined)
      db.prepare('UPDATE wp_wc_orders SET status = ? WHERE id = ?').run(`state ${this.below(4)}`, id);
    else
      db.prepare('INSERT INTO wp_wc_orders (status, total, page) VALUES (?, ?, ?)').run(
        'new',
        this.below(100),
        this.url,
      );
  },
  function stock(db) {
    db.prepare(
      'INSERT INTO wp_lookup (sku, stock) VALUES (?, ?) ON CONFLICT (sku) DO UPDATE SET stock = excluded.stock',
    ).run(`sku${this.below(12)}`, this.below(5));
  },
  function visit(db) {
    db.prepare('INSERT INTO wp_visits VALUES (?, ?)').run(`/${this.below(5)}`, `${this.below(3)}`);
    if (this.below(4) === 0) db.exec('DELETE FROM wp_visits WHERE rowid = (SELECT min(rowid) FROM wp_visits)');
  },
];
