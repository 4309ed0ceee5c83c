import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqliteFileOf } from '#runtimes/folders/site-folder.ts';
import type { SiteStorage } from '#runtimes/runtime.ts';
import type { Step } from '#testkit/drivers/memory/steps.ts';
import type { Random } from '#testkit/random.ts';
import { RandomSite } from '#testkit/snapshots/random-site.ts';
import { truthOfDatabase, truthOfFolder } from '#testkit/snapshots/truth.ts';
import { RUNTIME } from './mortal-platform.ts';

/** What visitors see of a site: two files, the first and the last that a restore places, and a row of the database. */
export interface Page {
  first: string;
  row: string;
  last: string;
}

/** All of a site at one moment. */
export interface State {
  files: Record<string, string>;
  tables: Record<string, string>;
  page: Page;
}

export interface Halves {
  files: boolean;
  tables: boolean;
  deleteExtraFiles: boolean;
}

/** Shows a visitor what comes from files and from the database in one answer, whatever the site runs on. It needs no WordPress. */
const MEMORY_STEPS: Step[] = [
  { sayFile: 'a.txt' },
  { say: ' ' },
  { sayRow: 'select generation from wp_mark' },
  { say: ' ' },
  { sayFile: 'z.txt' },
];
const PHP_PROGRAM = `<?php
header('Cache-Control: no-store');
$database = new PDO('sqlite:/site/database/.ht.sqlite');
echo file_get_contents(__DIR__ . '/a.txt'), ' ', $database->query('select generation from wp_mark')->fetchColumn(), ' ',
  file_get_contents(__DIR__ . '/z.txt');
`;

const PAGE_PROGRAM = RUNTIME === 'memory' ? JSON.stringify(MEMORY_STEPS) : PHP_PROGRAM;

const MANY = 400;

/** A site on disk in which anything may happen, and of which every state can be told apart. No WordPress runs on it. */
export class KnownSite {
  /** Every page that the site ever really had, also in the middle of an edit. */
  readonly pages = new Set<string>();
  readonly #storage: SiteStorage;
  readonly #inside: RandomSite;
  #generation = 0;
  #page: Page = { first: '', row: '', last: '' };

  /** Replaces whatever the folder and the database hold. */
  constructor(storage: SiteStorage, url: string, random: Random) {
    this.#storage = storage;
    rmSync(storage.content, { recursive: true, force: true });
    rmSync(sqliteFileOf(storage), { force: true });
    mkdirSync(join(storage.content, 'many'), { recursive: true });
    this.#inside = new RandomSite(join(storage.content, 'uploads'), sqliteFileOf(storage), random);
    writeFileSync(join(storage.content, 'page.php'), PAGE_PROGRAM);
    for (const name of ['a.txt', 'z.txt']) writeFileSync(join(storage.content, name), '');
    this.had(this.#page);
    this.#inside.query((db) => {
      db.exec('create table wp_options (option_id integer primary key, option_name text, option_value text)');
      db.exec('create table wp_mark (id integer primary key, generation text)');
      db.exec("insert into wp_mark values (1, '')");
      for (const name of ['siteurl', 'home'])
        db.prepare('insert into wp_options (option_name, option_value) values (?, ?)').run(name, url);
    });
    this.edit();
  }

  edit(): void {
    const mark = `g${++this.#generation}`;
    const { row, last } = this.#page;
    this.had({ first: mark, row, last });
    writeFileSync(join(this.#storage.content, 'a.txt'), mark);
    // So many that bringing them back takes a while, in which a kill finds half of them.
    for (let index = 0; index < MANY; index++) writeFileSync(join(this.#storage.content, `many/${index}.txt`), mark);
    this.#inside.minute();
    this.had({ first: mark, row: mark, last });
    this.#inside.query((db) => db.prepare('update wp_mark set generation = ?').run(mark));
    this.had({ first: mark, row: mark, last: mark });
    writeFileSync(join(this.#storage.content, 'z.txt'), mark);
  }

  /** From now on the site may be found like this. */
  had(page: Page): void {
    this.#page = page;
    this.pages.add(textOf(page));
  }

  read(): State {
    return readState(this.#storage.content, sqliteFileOf(this.#storage));
  }
}

export function readState(content: string, databaseFile: string): State {
  const text = (name: string) => readFileSync(join(content, name), 'utf8');
  const db = new DatabaseSync(databaseFile, { timeout: 10_000 });
  try {
    const row = String(db.prepare('select generation from wp_mark').get()?.generation);
    return {
      files: truthOfFolder(content),
      tables: truthOfDatabase(databaseFile),
      page: { first: text('a.txt'), row, last: text('z.txt') },
    };
  } finally {
    db.close();
  }
}

/** The page as PHP writes it. */
export function textOf({ first, row, last }: Page): string {
  return `${first} ${row} ${last}`;
}

/** What a restore of the point makes of the state before. */
export function restored(before: State, point: State, { files, tables, deleteExtraFiles }: Halves): State {
  const wanted = deleteExtraFiles ? point.files : withExtraFiles(before.files, point.files);
  return {
    files: files ? wanted : before.files,
    tables: tables ? point.tables : before.tables,
    page: {
      first: (files ? point : before).page.first,
      row: (tables ? point : before).page.row,
      last: (files ? point : before).page.last,
    },
  };
}

/** Extra files stay, unless something that is no folder now takes the place of a folder above them. */
function withExtraFiles(before: State['files'], point: State['files']): State['files'] {
  const hasRoom = (path: string) =>
    path
      .split('/')
      .slice(0, -1)
      .every((_, index, names) => point[names.slice(0, index + 1).join('/')]?.startsWith('folder ') ?? true);
  const extra = Object.entries(before).filter(([path]) => !(path in point) && hasRoom(path));
  return { ...Object.fromEntries(extra), ...point };
}
