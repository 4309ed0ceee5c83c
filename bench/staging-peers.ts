import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { WORDPRESS_CACHE } from '#testkit/drivers/wordpress-cache.ts';
import { Random } from '#testkit/random.ts';

/** The usual way to make a staging site: copy all of it, and have wp-cli replace the address in the database. */

export function installPeers(): void {
  const programs = { php: 'php-cli php-sqlite3 php-mbstring', rsync: 'rsync' };
  const missing = Object.entries(programs).filter(([name]) => spawnSync('which', [name]).status !== 0);
  const packages = missing.flatMap(([, names]) => names.split(' '));
  if (packages.length > 0) execFileSync('apt-get', ['install', '-y', ...packages], { stdio: 'ignore' });
}

/** WordPress on native PHP with the SQLite driver, on the content and database of a site; returns the command of wp-cli. */
export function makeWordPress(root: string, content: string, database: string): string {
  const [core, tools] = [only('wordpress/*/wp-load.php'), only('tools/*/wp-cli/wp-cli.phar')];
  mkdirSync(root, { recursive: true });
  const source = join(core, '..');
  for (const path of globSync('*', { cwd: source }))
    if (path !== 'wp-content') symlinkSync(join(source, path), join(root, path));
  const driver = join(tools, '../../sqlite-database-integration');
  const constants = {
    DB_NAME: 'sqlite_database',
    DB_DIR: join(database, '..'),
    DB_FILE: 'site.sqlite',
    WP_CONTENT_DIR: content,
  };
  const lines = Object.entries(constants).map(([name, value]) => `define( '${name}', '${value}' );`);
  writeFileSync(
    join(root, 'wp-config.php'),
    `<?php\n${lines.join('\n')}\ndefine( 'SQLITE_MAIN_FILE', '${driver}/load.php' );\n$table_prefix = 'wp_';
if ( ! defined( 'ABSPATH' ) ) define( 'ABSPATH', '${root}/' );\nrequire_once ABSPATH . 'wp-settings.php';\n`,
  );
  mkdirSync(content, { recursive: true });
  const text = `<?php\ndefine( 'SQLITE_DB_DROPIN_VERSION', '1.8.0' );\nrequire_once '${driver}/wp-includes/sqlite/db.php';\n`;
  writeFileSync(join(content, 'db.php'), text);
  return `php -d memory_limit=-1 ${tools} --allow-root --path=${root}`;
}

/** The database of a fresh WordPress with posts, fields and comments like those of a big site. */
export function fillDatabase(path: string, posts: number, url: string): void {
  copyFileSync(only('images/*/database/.ht.sqlite'), path);
  const random = new Random(3);
  const db = new DatabaseSync(path);
  const text = (length: number) => random.text(length);
  db.exec('BEGIN');
  db.prepare("UPDATE wp_options SET option_value = ? WHERE option_name IN ('home', 'siteurl')").run(url);
  const post = db.prepare(
    `INSERT INTO wp_posts (post_title, post_content, post_name, guid, post_excerpt, to_ping, pinged, post_content_filtered)
     VALUES (?, ?, ?, ?, '', '', '', '')`,
  );
  const field = db.prepare('INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (?, ?, ?)');
  const content = Array.from({ length: 200 }, () => text(1200 + random.below(2000)));
  const fields = Array.from({ length: 200 }, () => text(20 + random.below(200)));
  for (let id = 10; id < posts + 10; id++) {
    const link = id % 3 === 0 ? ` <a href="${url}/p/${id}">here</a>` : '';
    post.run(text(30), `${random.pick(content)}${link}`, `p-${id}`, `${url}/?p=${id}`);
    for (let count = 0; count < 5; count++) field.run(id, `key${count}`, `${random.pick(fields)} ${id}`);
  }
  db.exec('COMMIT');
  db.close();
}

function only(pattern: string): string {
  const [found] = globSync(pattern, { cwd: WORDPRESS_CACHE });
  if (found === undefined) throw new Error(`there is no ${pattern}; run the tests once`);
  return join(WORDPRESS_CACHE, found);
}
