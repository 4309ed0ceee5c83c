import { randomUUID } from 'node:crypto';
import { appendFileSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { storageIn } from '#runtimes/folders/site-folder.ts';
import { Random } from '#testkit/random.ts';

/** Sites of which only the rows and a little on disk exist: 24 files, of which the most are alike, and 200 rows. */
export interface TinySite {
  id: string;
  /** Sites of one team keep their backups in one space. */
  space: string;
  folder: string;
}

export const FILES_OF_A_SITE = 24;
const SITES_OF_A_TEAM = 10;
const PUBLIC_FILES = 15;

export class TinySites {
  readonly all: TinySite[] = [];
  readonly #folder: string;
  readonly #template: string;
  readonly #random = new Random(7);
  readonly #public: { path: string; content: string }[];
  #edits = 0;
  #space = randomUUID();

  constructor(dir: string, sitesFolder: string) {
    this.#folder = sitesFolder;
    this.#template = join(dir, 'template.sqlite');
    this.#public = Array.from({ length: PUBLIC_FILES }, (_, index) => {
      const path = index % 2 === 0 ? `plugins/hello/part-${index}.php` : `themes/plain/part-${index}.php`;
      return { path, content: `<?php // ${this.#random.text(1_500)}` };
    });
    this.#makeTemplate();
  }

  /** Makes this many more on disk. */
  add(count: number, space?: string): TinySite[] {
    const added = Array.from({ length: count }, () => {
      if (this.all.length % SITES_OF_A_TEAM === 0) this.#space = randomUUID();
      const id = randomUUID();
      const site = { id, space: space ?? this.#space, folder: join(this.#folder, id) };
      this.#make(site);
      this.all.push(site);
      return site;
    });
    return added;
  }

  /** What a visitor's comment or an author's save does: a file, and some rows. */
  edit(site: TinySite): void {
    const { content, database } = storageIn(site.folder);
    this.#edits++;
    appendFileSync(join(content, 'uploads/2026/11/file-0.txt'), `edit ${this.#edits}\n`);
    this.#query(database.file, (db) => {
      db.prepare('insert into wp_posts (title, content) values (?, ?)').run(
        `Post ${this.#edits}`,
        this.#random.text(400),
      );
      db.prepare('update wp_options set option_value = ? where option_id = 7').run(String(this.#edits));
    });
  }

  #make({ id, folder }: TinySite): void {
    const { content, database } = storageIn(folder);
    for (const name of ['plugins/hello', 'themes/plain', 'uploads/2026/11'])
      mkdirSync(join(content, name), { recursive: true });
    for (const path of [dirname(database.file), join(folder, 'outbox')]) mkdirSync(path);
    for (const file of this.#public) writeFileSync(join(content, file.path), file.content);
    for (let index = 0; index < FILES_OF_A_SITE - PUBLIC_FILES; index++)
      writeFileSync(join(content, `uploads/2026/11/file-${index}.txt`), `${id} ${this.#random.text(300)}`);
    copyFileSync(this.#template, database.file);
    this.#query(database.file, (db) =>
      db.prepare('update wp_options set option_value = ? where option_id < 3').run(`http://${id}.localhost`),
    );
  }

  #makeTemplate(): void {
    this.#query(this.#template, (db) => {
      db.exec('create table wp_options (option_id integer primary key, option_name text, option_value text)');
      db.exec('create table wp_posts (ID integer primary key autoincrement, title text, content text)');
      db.exec('create table wp_postmeta (meta_id integer primary key, post_id integer, value text)');
      const option = db.prepare('insert into wp_options (option_name, option_value) values (?, ?)');
      for (const name of ['siteurl', 'home', ...Array.from({ length: 48 }, (_, index) => `option_${index}`)])
        option.run(name, this.#random.text(40));
      for (let index = 0; index < 50; index++)
        db.prepare('insert into wp_posts (title, content) values (?, ?)').run(`Post ${index}`, this.#random.text(500));
      for (let index = 0; index < 100; index++)
        db.prepare('insert into wp_postmeta (post_id, value) values (?, ?)').run(index, this.#random.text(30));
    });
  }

  #query(file: string, work: (db: DatabaseSync) => void): void {
    const db = new DatabaseSync(file, { timeout: 10_000 });
    try {
      // Making the sites is not what is measured.
      db.exec('pragma synchronous = off; begin immediate');
      work(db);
      db.exec('commit');
    } finally {
      db.close();
    }
  }
}
