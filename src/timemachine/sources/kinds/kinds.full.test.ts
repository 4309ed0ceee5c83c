import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { markOnServer } from '#runtimes/folders/site-folder.ts';
import { MariadbDatabases } from '#runtimes/mariadb/mariadb-databases.ts';
import { connect, type ServerAccess } from '#runtimes/mariadb/server-access.ts';
import { testMariadb, withoutMariadb } from '#testkit/drivers/mariadb.ts';
import { Random, SEED } from '#testkit/random.ts';
import { MovingSite } from '#testkit/snapshots/moving-site.ts';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import { failedBy } from '../../failure.ts';

/** `KILLS=50` for the long form. */
const KILLS = Number(process.env.KILLS ?? 2);
const PROGRAM = join(import.meta.dirname, '../../../../testkit/snapshots/move-process.ts');

/** What plugins make, and what is odd: every kind of column, keys of several columns and of texts, defaults with quotes in them. */
const TABLES = [
  "CREATE TABLE wp_options (option_id bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, option_name varchar(191) NOT NULL DEFAULT '', option_value longtext NOT NULL, UNIQUE KEY option_name (option_name))",
  `CREATE TABLE wp_odd (id int NOT NULL AUTO_INCREMENT, small tinyint(1) DEFAULT 1, big bigint unsigned, money decimal(19,4) NOT NULL DEFAULT 0.0000, part double, bits bit(3) DEFAULT b'101',
    made datetime NOT NULL DEFAULT '0000-00-00 00:00:00', seen timestamp NOT NULL DEFAULT current_timestamp() ON UPDATE current_timestamp(), born date, hour time, age year,
    kind enum('a','it''s','c\\\\d') DEFAULT 'it''s', tags set('x','y'), raw varbinary(20), lump longblob, words text CHARACTER SET latin1, note text NOT NULL DEFAULT 'a "b" ''c''', doc json,
    PRIMARY KEY (id), KEY money (money, part), KEY words (words(10)), FULLTEXT KEY note (note))`,
  'CREATE TABLE wp_pairs (a bigint NOT NULL, b bigint NOT NULL, PRIMARY KEY (a, b))',
  'CREATE TABLE wp_named (name varchar(50) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY, value text)',
  'CREATE TABLE wp_loose (value text)',
  'CREATE TABLE wp_shop_sessions (id int NOT NULL PRIMARY KEY, value text)',
];
const ROWS = [
  "INSERT INTO wp_options VALUES (1, 'home', 'http://moving.localhost'), (7, 'emoji', '😀 \\\\ it''s')",
  `INSERT INTO wp_odd (small, big, money, part, bits, born, hour, age, kind, tags, raw, lump, words, note, doc) VALUES
    (0, 9223372036854775807, 1234567.8900, 0.1, b'010', '2024-02-29', '-12:30:00', 2024, 'c\\\\d', 'x,y', x'00ff', x'0001fffe', 'café', 'none', '{"a": [1]}'),
    (NULL, NULL, -0.0001, NULL, NULL, NULL, NULL, NULL, NULL, '', NULL, NULL, NULL, '', NULL)`,
  'INSERT INTO wp_pairs VALUES (2, 1), (1, 3), (1, 2)',
  "INSERT INTO wp_named VALUES ('b', '1'), ('B', '2'), ('ä', NULL)",
  "INSERT INTO wp_loose VALUES ('same'), ('same'), (NULL)",
  "INSERT INTO wp_shop_sessions VALUES (1, 'a cart')",
];

describe('kinds of databases', { skip: withoutMariadb }, () => {
  let access: ServerAccess;
  let databases: MariadbDatabases;
  before(async () => {
    access = await testMariadb();
    databases = await MariadbDatabases.open({ access, secret: 'moves' });
  });
  after(() => databases?.close());

  async function makeSite(t: TestContext): Promise<MovingSite> {
    const folder = scratchFolder(t);
    const site = new MovingSite(folder, databases, randomUUID());
    t.after(async () => {
      await site.handlers.close();
      await databases.drop(site.id);
    });
    await site.folders.open();
    const own = site.folders.of(site.id);
    mkdirSync(join(own, 'content'), { recursive: true });
    writeFileSync(join(own, 'content', 'index.php'), '<?php');
    await databases.create(site.id);
    await markOnServer(own, true);
    await onServer(site, ...TABLES, ...ROWS);
    return site;
  }

  async function onServer(site: MovingSite, ...statements: string[]): Promise<Record<string, unknown>[]> {
    const { name, user, password } = databases.access(site.id);
    const connection = await connect({ address: access.address, account: { user, password } }, name);
    await connection.query("SET sql_mode = ''");
    let rows: Record<string, unknown>[] = [];
    for (const sql of statements) rows = await connection.query(sql);
    await connection.end();
    return rows;
  }

  /** All that the server tells of it. */
  async function truthOf(site: MovingSite) {
    const truth: Record<string, unknown> = {};
    for (const row of await onServer(site, 'SHOW TABLES')) {
      const table = String(Object.values(row)[0]);
      const [made] = await onServer(site, `SHOW CREATE TABLE ${table}`);
      const rows = await onServer(site, `SELECT * FROM ${table}`);
      truth[table] = {
        made: made?.['Create Table'],
        rows: rows
          .map((each) =>
            JSON.stringify(Object.values(each), (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
          )
          .sort(),
      };
    }
    return truth;
  }

  it('every table and row is the same after the way to SQLite and back, and backups of each kind come back into the other', async (t) => {
    const site = await makeSite(t);
    const truth = await truthOf(site);
    const first = await site.keep();
    await site.move('sqlite');
    assert.equal(site.kind, 'sqlite');
    assert.ok(!(await databases.list()).includes(site.id), 'nothing is left on the server');
    const [odd] = await site.ask((database) =>
      database.query('select id, cast(big as text) as big, money, age, kind, hex(lump) as lump, note from wp_odd'),
    );
    assert.deepEqual(
      { ...odd },
      {
        id: 1,
        big: '9223372036854775807',
        money: 1234567.89,
        age: '2024',
        kind: 'c\\d',
        lump: '0001FFFE',
        note: 'none',
      },
    );

    // A backup of before the move, in the database of after.
    await site.ask((database) =>
      database.query("update wp_options set option_value = 'changed' where option_name = 'emoji'"),
    );
    await site.ask((database) => database.query("insert into wp_named values ('new', 'row')"));
    const second = await site.keep();
    await site.restore(first);
    assert.deepEqual(await site.ask((database) => database.query("select value from wp_named where name = 'new'")), []);
    await site.move('mariadb');
    // What no backup keeps is there with its rows, and made of what could be told of it.
    assert.deepEqual(await onServer(site, 'SELECT * FROM wp_shop_sessions'), [{ id: 1n, value: 'a cart' }]);
    const kept = async () => ({ ...(await truthOf(site)), wp_shop_sessions: undefined });
    assert.deepEqual(await kept(), { ...truth, wp_shop_sessions: undefined });

    // And the other way.
    await site.restore(second);
    assert.deepEqual(await onServer(site, "SELECT option_value FROM wp_options WHERE option_name = 'emoji'"), [
      { option_value: 'changed' },
    ]);
    assert.deepEqual(await onServer(site, "SELECT value FROM wp_named WHERE name = 'new'"), [{ value: 'row' }]);
    await site.restore(first);
    assert.deepEqual(await kept(), { ...truth, wp_shop_sessions: undefined });
  });

  it('what does not fit is no site: it stays where it is, with all that it has', async (t) => {
    const site = await makeSite(t);
    await onServer(site, 'CREATE VIEW wp_seen AS SELECT 1 AS one');
    await assert.rejects(
      site.move('sqlite'),
      (error) => failedBy(error, 'unusable_point') && /wp_seen/.test(error.message),
    );
    assert.equal(site.kind, 'mariadb');
    await onServer(site, 'DROP VIEW wp_seen');
    await site.move('sqlite');
    // Twenty letters are told of, and SQLite takes more.
    await site.ask((database) => database.query('insert into wp_named values (?, null)', 'x'.repeat(51)));
    await assert.rejects(
      site.move('mariadb'),
      (error) => failedBy(error, 'unusable_point') && /wp_named.*too long/.test(error.message),
    );
    assert.equal(site.kind, 'sqlite');
    assert.equal((await site.ask((database) => database.query('select 1 from wp_named'))).length, 4);
  });

  it(`${KILLS} kills at any instant of a move leave the site in the one or the other, whole`, async (t) => {
    const site = await makeSite(t);
    const random = new Random(SEED);
    const truth = await truthOf(site);
    let moves = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const to = site.kind === 'sqlite' ? 'mariadb' : 'sqlite';
      const told = JSON.stringify({ folder: join(site.folders.root, '..'), access, id: site.id, to });
      const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PROGRAM, told], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const exited = once(child, 'exit');
      await once(child.stdout, 'data');
      await sleep(random.below(1200));
      child.kill('SIGKILL');
      await exited;
      if (site.kind === to) moves++;
      const { length } = await site.ask((database) => database.query('select 1 from wp_odd'));
      assert.equal(length, 2, `kill ${kill}`);
    }
    t.diagnostic(`${moves} of ${KILLS} had moved by then`);
    await site.move('mariadb');
    assert.deepEqual(await truthOf(site), truth);
  });
});
