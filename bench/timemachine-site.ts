import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Random } from '#testkit/random.ts';

/** A folder and a database like those of a big WordPress site. */

const WORDS =
  'function return array post meta wp_query get_option add_action esc_html class public static foreach if else echo true false null string template widget block theme plugin admin user comment term taxonomy cache option transient $this $args $value $key => -> :: ( ) { } ; // /** */ @param @return'.split(
    ' ',
  );

function folders(): { uploads: string[]; code: string[] } {
  const uploads: string[] = [];
  const code: string[] = [];
  for (let year = 2015; year < 2025; year++) {
    for (let month = 1; month <= 12; month++)
      uploads.push(`wp-content/uploads/${year}/${String(month).padStart(2, '0')}`);
  }
  const parts = [
    '',
    'includes',
    'assets/js',
    'assets/css',
    'languages',
    'vendor/a',
    'vendor/b',
    'templates',
    'src/core',
    'src/admin',
    'src/api',
  ];
  for (let plugin = 0; plugin < 45; plugin++) {
    for (const part of parts) {
      code.push(join(`wp-content/plugins/plugin-${plugin}`, part));
      code.push(join(`wp-content/plugins/plugin-${plugin}`, part, 'more'));
    }
  }
  for (let theme = 0; theme < 6; theme++) {
    for (let part = 0; part < 14; part++) code.push(`wp-content/themes/theme-${theme}/part-${part}`);
  }
  for (let index = 0; index < 200; index++) code.push(`wp-includes/d${index}`);
  for (let index = 0; index < 90; index++) code.push(`wp-admin/d${index}`);
  return { uploads, code };
}

/** Three of ten files are images, which do not compress and are most of the bytes; sizes are lognormal. */
export function makeTree(root: string, fileCount: number): { files: number; folders: number; bytes: number } {
  const random = new Random(12345);
  const uniform = () => (random.below(2 ** 30) + 1) / (2 ** 30 + 1);
  const gauss = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const { uploads, code } = folders();
  for (const folder of [...uploads, ...code]) mkdirSync(join(root, folder), { recursive: true });
  let pool = '';
  while (pool.length < 8 << 20) {
    pool += random.pick(WORDS) + (random.below(4) === 0 ? `_${random.below(1e5).toString(36)}` : '');
    pool += random.below(8) === 0 ? '\n\t' : ' ';
  }
  const text = Buffer.from(pool);
  let bytes = 0;
  for (let index = 0; index < fileCount; index++) {
    const isImage = index < fileCount * 0.3;
    const folder = random.pick(isImage ? uploads : code);
    const middle = isImage ? Math.log(80_000) + gauss() * 1.35 : Math.log(7_000) + gauss() * 1.3;
    const size = Math.max(200, Math.min(2 << 20, Math.round(Math.exp(middle))));
    const start = random.below(text.length - size);
    const content = isImage ? randomBytes(size) : Buffer.from(text.subarray(start, start + size));
    if (!isImage) content.write(`<?php // file ${index} ${random.below(1e9)}\n`);
    const extension = isImage ? 'jpg' : random.pick(['php', 'php', 'php', 'js', 'css', 'json', 'html', 'txt']);
    writeFileSync(join(root, folder, `f${index}.${extension}`), content);
    bytes += size;
  }
  return { files: fileCount, folders: countFolders(root), bytes };
}

function countFolders(root: string): number {
  return readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory()).length;
}

/** Small changes of a few files of code; returns their paths. */
export function changeFiles(root: string, random: Random, count: number): string[] {
  const { code } = folders();
  const changed = new Set<string>();
  while (changed.size < count) {
    const folder = random.pick(code);
    const names = readdirSync(join(root, folder)).filter((name) => name.startsWith('f'));
    if (names.length === 0) continue;
    const path = join(folder, random.pick(names));
    const content = readFileSync(join(root, path));
    content.write(`changed ${random.below(1e9)}`, random.below(Math.max(1, content.length - 40)));
    writeFileSync(join(root, path), content);
    changed.add(path);
  }
  return [...changed];
}

const TABLES = `
  CREATE TABLE wp_posts (ID INTEGER PRIMARY KEY AUTOINCREMENT, post_author bigint, post_date datetime, post_content text,
    post_title text, post_excerpt text, post_status varchar(20), post_name varchar(200), post_modified datetime,
    post_parent bigint, guid varchar(255), post_type varchar(20), post_mime_type varchar(100), comment_count bigint);
  CREATE TABLE wp_postmeta (meta_id INTEGER PRIMARY KEY AUTOINCREMENT, post_id bigint, meta_key varchar(255), meta_value text);
  CREATE TABLE wp_options (option_id INTEGER PRIMARY KEY AUTOINCREMENT, option_name varchar(191), option_value text, autoload varchar(20));
  CREATE TABLE wp_term_relationships (object_id bigint NOT NULL, term_taxonomy_id bigint NOT NULL, term_order int,
    PRIMARY KEY (object_id, term_taxonomy_id));
  CREATE TABLE wp_comments (comment_ID INTEGER PRIMARY KEY AUTOINCREMENT, comment_post_ID bigint, comment_author text,
    comment_content text, comment_date datetime);
  CREATE INDEX post_name ON wp_posts (post_name);
  CREATE INDEX post_type ON wp_posts (post_type);
  CREATE INDEX post_parent ON wp_posts (post_parent);
  CREATE INDEX post_id ON wp_postmeta (post_id);
  CREATE INDEX meta_key ON wp_postmeta (meta_key);
  CREATE INDEX option_name ON wp_options (option_name);
  CREATE INDEX comment_post ON wp_comments (comment_post_ID);`;

export function makeDatabase(path: string, posts: number): { posts: number; postmeta: number; bytes: number } {
  const random = new Random(3);
  const uniform = () => (random.below(2 ** 30) + 1) / (2 ** 30 + 1);
  const lognormal = (mean: number, most: number) =>
    Math.min(
      most,
      Math.floor(Math.exp(mean + Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()))),
    );
  let pool = '';
  while (pool.length < 2 << 20) pool += `${random.pick(WORDS)}${random.below(6) === 0 ? random.below(10000) : ''} `;
  const text = (length: number) => {
    const start = random.below(pool.length - length);
    return pool.slice(start, start + length);
  };
  const db = new DatabaseSync(path);
  db.exec(TABLES);
  db.exec('BEGIN');
  const fill = (table: string, count: number, row: (id: number) => (string | number)[]) => {
    const places = row(1).map(() => '?');
    const insert = db.prepare(`INSERT INTO ${table} VALUES (${places.join(', ')})`);
    for (let id = 1; id <= count; id++) insert.run(...row(id));
  };
  const date = '2024-01-01 00:00:00';
  fill('wp_posts', posts, (id) => [
    id,
    1,
    date,
    text(lognormal(6.8, 20_000)),
    text(40),
    '',
    'publish',
    `post-${id}`,
    date,
    random.below(1000),
    `https://example.com/?p=${id}`,
    random.pick(['post', 'page', 'revision', 'attachment']),
    '',
    0,
  ]);
  const keys = ['_edit_lock', '_edit_last', '_thumbnail_id', '_wp_attached_file', '_elementor_data', '_price', '_sku'];
  fill('wp_postmeta', posts * 6, (id) => [id, 1 + random.below(posts), random.pick(keys), text(lognormal(4, 3000))]);
  fill('wp_options', 900, (id) => [id, `option_${id}`, text(lognormal(5.5, 30_000)), 'yes']);
  fill('wp_term_relationships', posts * 2, (id) => [(id + 1) >> 1, (id % 2) * 1000 + ((id * 7) % 1000) + 1, 0]);
  fill('wp_comments', Math.floor(posts * 0.6), (id) => [id, 1 + random.below(posts), text(12), text(200), date]);
  db.exec('COMMIT');
  db.close();
  return { posts, postmeta: posts * 6, bytes: statSync(path).size };
}

/** Returns the keys of the changed rows. */
export function changeRows(path: string, random: Random, posts: number, count: number): number[] {
  const db = new DatabaseSync(path);
  db.exec('BEGIN');
  const update = db.prepare('UPDATE wp_postmeta SET meta_value = ? WHERE meta_id = ?');
  const ids = Array.from({ length: count }, () => 1 + random.below(posts * 6));
  for (const id of ids) update.run(`changed ${random.below(1e9)}`, id);
  db.exec('COMMIT');
  db.close();
  return ids;
}
