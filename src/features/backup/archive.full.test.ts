import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Site } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { newFqdn, newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { putFile } from '#testkit/contracts/contract-site.ts';
import { noFpm } from '#testkit/drivers/fpm-runtime.ts';
import { withoutMariadb } from '#testkit/drivers/mariadb.ts';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import { truthOfFolder } from '#testkit/snapshots/truth.ts';

const run = promisify(execFile);

/** What a plugin brings: a key of two columns, one that is none, and values that a dump can get wrong. */
const CONTENT = `
require '/site/wordpress/wp-load.php';
global $wpdb;
$wpdb->query( "CREATE TABLE wp_shop_stock (shop bigint unsigned NOT NULL, sku varchar(40) NOT NULL, price decimal(10,2) DEFAULT NULL,
  raw varbinary(300) DEFAULT NULL, kind enum('a','b') NOT NULL DEFAULT 'a', at datetime DEFAULT NULL, PRIMARY KEY (shop, sku), KEY kind (kind))" );
$wpdb->query( "CREATE TABLE wp_shop_log (line longtext, size double)" );
$raw = implode( '', array_map( 'chr', range( 0, 255 ) ) );
foreach ( array( array( 7, 'B-2' ), array( 2, 'A-1' ), array( 7, 'A-1' ) ) as list( $shop, $sku ) )
  $wpdb->query( $wpdb->prepare( "INSERT INTO wp_shop_stock (shop, sku, price, raw, kind, at) VALUES (%d, %s, 9.25, x'" . bin2hex( $raw ) . "', 'b', '2024-02-29 12:00:00')", $shop, $sku ) );
$wpdb->insert( 'wp_shop_log', array( 'line' => "it's \\"quoted\\" \\\\ and\\nbroken, café 😀", 'size' => 0.1 ) );
$wpdb->insert( 'wp_shop_log', array( 'line' => null, 'size' => 1e20 ) );
foreach ( range( 1, 30 ) as $number ) {
  $id = wp_insert_post( array( 'post_title' => "Post $number", 'post_status' => 'publish', 'post_content' => 'See <a href="' . home_url( '/' ) . '">home</a> ' . $number ) );
  wp_set_post_terms( $id, array( "tag $number", 'all' ) );
  update_post_meta( $id, 'made', array( 'at' => home_url( "/$number/" ), 'of' => $number ) );
}
wp_insert_comment( array( 'comment_post_ID' => $id, 'comment_content' => 'First', 'comment_author' => 'Bob' ) );
echo 'made ' . wp_count_posts()->publish;
`;

interface Place {
  name: string;
  app: TestApp;
  owner: Person;
}

interface Exported {
  archive: Buffer;
  sql: string;
  files: Record<string, string>;
}

/** The tables of a site, in words that are the same on every database. What holds for an hour, and the site's own address, may differ. */
async function rowsOf({ app }: Place, site: Site): Promise<Record<string, string[]>> {
  const database = await app.runtime.database(site.id);
  const address = new RegExp(`(?:s:\\d+:")?http://${site.fqdn}(?::\\d+)?`, 'g');
  const textOf = (value: unknown) =>
    value === null
      ? 'null'
      : value instanceof Uint8Array
        ? `bytes ${Buffer.from(value).toString('hex')}`
        : String(value);
  try {
    const rows: Record<string, string[]> = {};
    for (const table of (await database.tables()).filter((name) => name.startsWith('wp_')).sort())
      rows[table] = (await database.query(`select * from ${table}`))
        .filter((row) => table !== 'wp_options' || !/transient|^cron$|_salt$|_key$/.test(String(row.option_name)))
        .filter((row) => row.meta_key !== 'session_tokens')
        .map((row) =>
          Object.entries(row)
            .map(([column, value]) => `${column}=${textOf(value)}`)
            .join(' '),
        )
        .map((line) => line.replaceAll(address, 'ADDRESS'))
        .sort();
    return rows;
  } finally {
    database.close();
  }
}

async function exportSite(folder: string, { app, owner }: Place, { id, fqdn }: Site): Promise<Exported> {
  await siteOnDisk(app, id).keep();
  const response = await fetch(`${app.api}/site/${fqdn}/backup/download`, {
    headers: { authorization: `Bearer ${owner.token}` },
  });
  assert.equal(response.status, 200);
  const archive = Buffer.from(await response.arrayBuffer());
  const unpacked = join(folder, hash('sha256', archive).slice(0, 16));
  await mkdir(unpacked);
  await writeFile(`${unpacked}.tar.gz`, archive);
  await run('tar', ['-xzf', `${unpacked}.tar.gz`, '-C', unpacked]);
  const contents = Object.entries(truthOfFolder(join(unpacked, 'wp-content')))
    .filter(([, what]) => what.startsWith('file'))
    .map(([path, what]) => [path, what.split(' ').slice(-2).join(' ')]);
  return { archive, sql: await readFile(join(unpacked, 'database.sql'), 'utf8'), files: Object.fromEntries(contents) };
}

/** The statements that create tables: what plugins find there. */
const tablesIn = (sql: string) => sql.match(/CREATE TABLE [\s\S]*?\n\)/g)?.sort();

test('a backup archive imports as an identical site, on every driver and across drivers', async (t) => {
  const folder = scratchFolder(t);
  const places: Place[] = [];
  const open = async (name: string, options: Parameters<typeof startTestApp>[0]) => {
    const app = await startTestApp(options);
    t.after(() => app.close());
    const owner = await registerPerson(app, 'Owner');
    await putOnPlan(app, owner.teamId, 'business');
    places.push({ name, app, owner });
  };
  await open('PHP in WebAssembly', { runtime: 'php-wasm' });
  const why = await noFpm();
  if (why) t.diagnostic(`without native PHP: ${why}`);
  else await open('native PHP', { runtime: 'fpm' });
  if (why || withoutMariadb) t.diagnostic('without MariaDB');
  else await open('native PHP on MariaDB', { runtime: 'fpm', env: { SITE_DATABASE: 'mariadb' } });

  const [first] = places as [Place];
  const site = await newSite(first.owner);
  await putFile(first.app.runtime, site, 'plugins/shop/fill.php', `<?php\n${CONTENT}`);
  await putFile(
    first.app.runtime,
    site,
    'uploads/2026/11/photo.bin',
    Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 251)),
  );
  await putFile(first.app.runtime, site, 'uploads/empty.txt', '');
  const { text } = await visit(first.app, site.fqdn, '/wp-content/plugins/shop/fill.php');
  assert.match(text, /^made 31$/);
  // The theme adds a post of its own when it is shown first.
  assert.match((await visit(first.app, site.fqdn, '/')).text, /Post 30/);
  const rows = await rowsOf(first, site);
  assert.equal(rows.wp_shop_stock?.length, 3);
  assert.ok((rows.wp_term_relationships?.length ?? 0) > 60);
  let exported = await exportSite(folder, first, site);

  // Each once from itself, and at the end back to the first.
  let from = first;
  for (const place of [...places.flatMap((each) => [each, each]), first].slice(1)) {
    const body = new Blob([new Uint8Array(exported.archive)]);
    const query = { fqdn: newFqdn(), team_id: place.owner.teamId };
    const copy = await place.owner.api.importSite({ wait: 60, query, body });
    assert.equal(copy.busy, null, place.name);
    const found = await rowsOf(place, copy);
    assert.deepEqual(Object.keys(found), Object.keys(rows), place.name);
    for (const [table, lines] of Object.entries(rows)) assert.deepEqual(found[table], lines, `${table}, ${place.name}`);
    assert.match((await visit(place.app, copy.fqdn, '/')).text, /Post 30/, place.name);
    const again = await exportSite(folder, place, copy);
    assert.deepEqual(again.files, exported.files, place.name);
    // MariaDB describes the same tables in other words.
    if (place === from) assert.deepEqual(tablesIn(again.sql), tablesIn(exported.sql), place.name);
    [exported, from] = [again, place];
  }
});
