import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { dumpOf } from '#testkit/archives/dump.ts';
import { tarGz } from '#testkit/archives/pack.ts';
import { type DriverUnderTest, newSpec, putProbe, request } from '#testkit/contracts/contract-site.ts';
import { openTestRuntime } from '#testkit/drivers/wordpress-cache.ts';

let driver: DriverUnderTest;
before(async () => {
  driver = await openTestRuntime();
});
after(() => driver.close());

const SHOP = `CREATE TABLE \`abc_shop\` (\`id\` bigint(20) unsigned NOT NULL AUTO_INCREMENT, \`sku\` varchar(40) NOT NULL DEFAULT '',
  \`price\` decimal(10,2) DEFAULT NULL, \`raw\` varbinary(20) DEFAULT NULL, \`kind\` enum('a','b') DEFAULT 'a', \`at\` timestamp NOT NULL DEFAULT current_timestamp() ON UPDATE current_timestamp(),
  \`note\` text, PRIMARY KEY (\`id\`), UNIQUE KEY \`sku\` (\`sku\`), KEY \`kind\` (\`kind\`,\`sku\`(10)), FULLTEXT KEY \`note\` (\`note\`));
INSERT INTO \`abc_shop\` VALUES (5,'A-1',9.99,0x00ff,'b','2024-01-01 00:00:00','a note');`;

test('WordPress runs on a database that was a dump of MySQL, and finds the tables that plugins brought as MySQL has them', async () => {
  const { runtime } = driver;
  const site = newSpec(await runtime.prepared(), 'imported.localhost');
  const dump = dumpOf({ prefix: 'abc_', extra: SHOP }).replace(
    '`pinged` text NOT NULL,',
    '`pinged` text NOT NULL, `extra` int DEFAULT 7,',
  );
  const archive = tarGz([
    { name: 'content/uploads/a.txt', data: 'a' },
    { name: 'database.sql', data: dump },
  ]);
  const read = async (at: number, length: number) => archive.subarray(at, at + length);
  const change = { people: 'kept' as const, email: 'ada@example.com' };
  await runtime.import(site, { sizeBytes: archive.length, read }, change);
  const path = await putProbe(
    runtime,
    site,
    'shop.php',
    `require '/site/wordpress/wp-load.php';
    global $wpdb;
    $wpdb->query("insert into wp_shop (sku, raw) values ('B-2', x'0102')");
    header('content-type: application/json');
    echo json_encode(array(
      $wpdb->get_var('show create table wp_shop', 1),
      $wpdb->get_row("select id, sku, price, hex(raw) as raw, kind from wp_shop where sku = 'A-1'", ARRAY_N),
      $wpdb->get_row("select id, kind, hex(raw) from wp_shop where sku = 'B-2'", ARRAY_N),
      get_user_by('login', 'mallory')->has_cap('manage_options'),
      get_bloginfo('description'),
      $wpdb->get_var('select extra from wp_posts where ID = 7'),
    ));`,
  );
  const answer = JSON.parse((await request(runtime, site, { path })).text);
  assert.match(answer[0], /`price` decimal\(10,2\) DEFAULT NULL/);
  assert.match(answer[0], /`raw` varbinary\(20\) DEFAULT NULL/);
  assert.match(answer[0], /UNIQUE KEY `sku` \(`sku`\)/);
  assert.deepEqual(answer.slice(1, 4), [['5', 'A-1', '9.99', '00FF', 'b'], ['6', 'a', '0102'], true]);
  assert.match(answer[4], /It&#039;s|It&#8217;s|It's/);
  const page = await request(runtime, site, { path: '/seven/' });
  assert.equal(page.status, 200);
  assert.match(page.text, /href="http:\/\/imported\.localhost:8080\/seven\/"/);
});
