import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Connection } from 'mariadb';
import { testMariadb, withoutMariadb } from '#testkit/drivers/mariadb.ts';
import { eventually } from '#testkit/expect.ts';
import { collect } from '#testkit/garbage-collection.ts';
import { Archiver } from '#timemachine/archive/archiver.ts';
import { Repository } from '#timemachine/repository.ts';
import { MariadbSource } from '#timemachine/sources/mariadb/mariadb-source.ts';
import { DiskStore } from '#timemachine/stores/disk.ts';
import { MariadbDatabase } from './mariadb-database.ts';
import { MariadbDatabases } from './mariadb-databases.ts';
import { requireOwnFolder } from './open-databases.ts';
import { connect, type ServerAccess, serverAccessOf } from './server-access.ts';

describe('databases of sites on MariaDB', { skip: withoutMariadb }, () => {
  let server: ServerAccess;
  let databases: MariadbDatabases;
  before(async () => {
    server = await testMariadb();
    databases = await MariadbDatabases.open({
      access: server,
      secret: 'sites',
      limits: { connections: 5, statementSeconds: 1 },
    });
  });
  after(() => databases?.close());

  async function makeSite(t: TestContext): Promise<string> {
    const id = randomUUID();
    await databases.create(id);
    t.after(() => databases.drop(id));
    return id;
  }

  /** As the site's own PHP does. */
  async function enter(t: TestContext, id: string): Promise<Connection> {
    const { name, user, password } = databases.access(id);
    const connection = await connect({ address: server.address, account: { user, password } }, name);
    connection.on('error', () => {});
    t.after(() => connection.destroy());
    return connection;
  }

  const refused = (connection: Connection, sql: string) => assert.rejects(connection.query(sql), sql);

  it('gives a site a database that is its own, and may be made, dropped and listed any number of times', async (t) => {
    const id = await makeSite(t);
    await databases.create(id);
    const own = await enter(t, id);
    await own.query('CREATE TABLE wp_things (id int PRIMARY KEY AUTO_INCREMENT, name text)');
    await own.query("INSERT INTO wp_things (name) VALUES ('a')");
    assert.ok((await databases.list()).includes(id));
    await databases.create(id);
    assert.equal((await own.query('SELECT * FROM wp_things')).length, 1, 'what is there stays');
    await databases.drop(id);
    await databases.drop(id);
    assert.ok(!(await databases.list()).includes(id));
    await assert.rejects(enter(t, id));
  });

  it('lets no site reach another one, the server, its files or its settings', async (t) => {
    const [id, neighbour] = [await makeSite(t), await makeSite(t)];
    const [own, other] = [await enter(t, id), await enter(t, neighbour)];
    const theirs = databases.access(neighbour).name;
    await other.query('CREATE TABLE secrets (what text)');
    for (const sql of [
      `SELECT * FROM ${theirs}.secrets`,
      `DROP TABLE ${theirs}.secrets`,
      `CREATE TABLE ${theirs}.mine (a int)`,
      `RENAME TABLE ${theirs}.secrets TO ${databases.access(id).name}.secrets`,
      `CREATE DATABASE ${theirs}_x`,
      `USE ${databases.access(id).name}_new`,
      'SELECT * FROM mysql.global_priv',
      "SELECT 1 INTO OUTFILE '/tmp/siteyard-outfile'",
      "LOAD DATA INFILE '/etc/passwd' INTO TABLE secrets",
      'SET GLOBAL max_connections = 1',
      'SET SESSION sql_log_bin = 0',
      "SET SESSION binlog_format = 'STATEMENT'",
      'FLUSH TABLES WITH READ LOCK',
      'BACKUP STAGE START',
      'SHOW BINARY LOGS',
      'SHOW BINLOG EVENTS',
      'CREATE USER evil',
      `GRANT SELECT ON ${databases.access(id).name}.* TO ${databases.access(neighbour).user}@localhost`,
      "INSTALL SONAME 'ha_connect'",
      'SHUTDOWN',
      'CREATE TRIGGER t AFTER INSERT ON secrets FOR EACH ROW SET @a = 1',
      'CREATE EVENT e ON SCHEDULE EVERY 1 SECOND DO SELECT 1',
      'CREATE FUNCTION f() RETURNS int RETURN 1',
      `CREATE DEFINER = ${databases.access(neighbour).user}@localhost VIEW v AS SELECT 1`,
    ])
      await refused(own, sql);
    assert.equal(await own.query("SELECT LOAD_FILE('/etc/passwd') AS text").then(([row]) => row.text), null);
    const seen = await own.query('SELECT SCHEMA_NAME AS name FROM information_schema.SCHEMATA');
    assert.deepEqual(
      seen.map(({ name }: { name: string }) => name).sort(),
      ['information_schema', databases.access(id).name].sort(),
    );
    const processes = await own.query('SELECT DISTINCT USER AS user FROM information_schema.PROCESSLIST');
    assert.deepEqual(processes, [{ user: databases.access(id).user }]);
    // Tables that can not be read as of one instant are not made.
    await own.query('CREATE TABLE older (a int) ENGINE=MyISAM');
    const [made] = await own.query('SHOW CREATE TABLE older');
    assert.match(made['Create Table'], /ENGINE=InnoDB/);
  });

  it('ends what takes too long, also where the site has lifted its limit, and gives it only so many connections', async (t) => {
    const id = await makeSite(t);
    const own = await enter(t, id);
    // The server ends it, and calls that an answer.
    await own.query('SELECT BENCHMARK(1000000000000, SHA2(1, 512))').catch(() => {});
    await own.query('SET SESSION max_statement_time = 0');
    const endless = assert.rejects(own.query('SELECT SLEEP(1000) FROM (SELECT 1) AS one'));
    let isOver = false;
    void endless.then(() => {
      isOver = true;
    });
    await eventually(async () => {
      await databases.endLongStatements();
      return isOver;
    });
    await endless;
    for (let count = 0; count < 5; count++) await enter(t, id);
    await assert.rejects(enter(t, id), /max_user_connections/);
  });

  it('ends what does nothing: a transaction soon, a connection after a while', async (t) => {
    const id = await makeSite(t);
    const [idle, open] = [await enter(t, id), await enter(t, id)];
    await idle.query('SET SESSION wait_timeout = 100000');
    await open.query('CREATE TABLE wp_held (id int PRIMARY KEY)');
    await open.query('START TRANSACTION');
    await open.query('INSERT INTO wp_held VALUES (1)');
    const looked = (limits: object, connection: Connection) =>
      eventually(async () => {
        await databases.endLongStatements({ of: id, ...limits });
        return !connection.isValid();
      });
    await looked({ transactionSeconds: 0 }, open);
    assert.ok(idle.isValid());
    await looked({ idleSeconds: 0 }, idle);
    const again = await enter(t, id);
    assert.equal((await again.query('SELECT * FROM wp_held')).length, 0);
  });

  it('gives a connection of a site only so much memory, whatever it sets', async (t) => {
    const own = await enter(t, await makeSite(t));
    for (const name of ['sort_buffer_size', 'join_buffer_size', 'max_heap_table_size']) {
      await own.query(`SET SESSION ${name} = 4000000000`).catch(() => {});
      const [row] = await own.query(`SELECT @@SESSION.${name} AS size`);
      assert.ok(Number(row.size) <= 32 * 1024 ** 2, `${name}: ${row.size}`);
    }
  });

  it('lets a site without room read and remove alone, until it has room again', async (t) => {
    const id = await makeSite(t);
    const first = await enter(t, id);
    await first.query('CREATE TABLE big (id int PRIMARY KEY, what longtext)');
    const empty = await databases.sizeBytes(id);
    await first.query("INSERT INTO big VALUES (1, REPEAT('x', 3000000)), (2, REPEAT('y', 3000000))");
    assert.ok((await databases.sizeBytes(id)) >= empty + 4_000_000);
    await databases.setWritable(id, false);
    await databases.setWritable(id, false);
    const second = await enter(t, id);
    assert.equal((await second.query('SELECT id FROM big')).length, 2);
    for (const sql of [
      "INSERT INTO big VALUES (3, '')",
      "UPDATE big SET what = REPEAT('z', 9000000)",
      'CREATE TABLE more (a int)',
      'ALTER TABLE big ADD COLUMN a int',
    ])
      await refused(second, sql);
    await second.query('DELETE FROM big WHERE id = 2');
    await databases.setWritable(id, true);
    const third = await enter(t, id);
    await third.query("INSERT INTO big VALUES (3, '')");
  });

  it('shuts an archived site out and lets it in again', async (t) => {
    const id = await makeSite(t);
    const own = await enter(t, id);
    await own.query('CREATE TABLE kept (a int)');
    await databases.archive(id);
    await databases.archive(id);
    await refused(own, 'SELECT * FROM kept');
    await assert.rejects(enter(t, id));
    await databases.unarchive(id);
    assert.deepEqual(await (await enter(t, id)).query('SHOW TABLES LIKE "kept"').then((rows) => rows.length), 1);
  });

  it('puts a draft in the place of a database in one step, views included, and without a draft does nothing', async (t) => {
    const id = await makeSite(t);
    const own = await enter(t, id);
    await own.query('CREATE TABLE wp_old (a int)');
    const { server: address, account, name } = await databases.makeDraft(id);
    const draft = await connect({ address, account }, name);
    await draft.query('CREATE TABLE wp_new (a int)');
    await draft.query('INSERT INTO wp_new VALUES (7)');
    await draft.query('CREATE VIEW shown AS SELECT a FROM wp_new');
    await draft.end();
    await databases.publish(id);
    await databases.publish(id);
    const again = await enter(t, id);
    assert.deepEqual((await again.query('SHOW TABLES')).flatMap(Object.values), ['shown', 'wp_new']);
    assert.deepEqual(await again.query('SELECT a FROM shown'), [{ a: 7 }]);
  });

  it('moves a site to another address, serialised values included, and numbers its rows apart from another site', async (t) => {
    const id = await makeSite(t);
    const own = await enter(t, id);
    await own.query(
      'CREATE TABLE wp_options (option_id bigint unsigned PRIMARY KEY AUTO_INCREMENT, option_name varchar(191) UNIQUE, option_value longtext)',
    );
    await own.query(
      "INSERT INTO wp_options (option_name, option_value) VALUES ('home', 'http://a.localhost:8080'), ('nested', 'a:1:{i:0;s:25:\"http://a.localhost:8080/x\";}'), ('ü', 'größe')",
    );
    const database = new MariadbDatabase(databases.describe(id));
    t.after(() => database.close());
    assert.deepEqual(await database.tables(), ['wp_options']);
    await database.moveTo('https://long.example.com');
    await database.moveTo('https://long.example.com');
    assert.deepEqual(
      await database.query(
        'SELECT option_value FROM wp_options WHERE option_name IN (?, ?) ORDER BY option_id',
        'home',
        'nested',
      ),
      [{ option_value: 'https://long.example.com' }, { option_value: 'a:1:{i:0;s:26:"https://long.example.com/x";}' }],
    );
    assert.deepEqual(await database.numbers(), { wp_options: 3 });
    await database.spreadNumbers({ wp_options: 1_500_000 });
    await own.query("INSERT INTO wp_options (option_name) VALUES ('next')");
    assert.deepEqual(await database.numbers(), { wp_options: 2_000_001 });
  });

  it('moves a site that has much more to say of its address than anybody would keep in memory', async (t) => {
    const [ROWS, ROW_BYTES] = [400, 500_000];
    const id = await makeSite(t);
    const own = await enter(t, id);
    await own.query('SET max_statement_time = 0');
    await own.query('CREATE TABLE wp_options (option_name varchar(191), option_value longtext)');
    await own.query('CREATE TABLE wp_postmeta (meta_id int PRIMARY KEY AUTO_INCREMENT, meta_value longtext)');
    await own.query(
      "INSERT INTO wp_options VALUES ('home', 'http://a.example'), ('long', CONCAT('http://a.example/', REPEAT('y', 100000)))",
    );
    for (let row = 0; row < ROWS; row++)
      await own.query(
        `INSERT INTO wp_postmeta (meta_value) VALUES (CONCAT('http://a.example/', REPEAT('x', ${ROW_BYTES})))`,
      );
    const database = new MariadbDatabase(databases.describe(id));
    t.after(() => database.close());
    const held = () => {
      collect();
      const { external, heapUsed } = process.memoryUsage();
      return external + heapUsed;
    };
    const before = held();
    const countMoved = async () => {
      const [row] = await own.query(
        "SELECT COUNT(*) AS moved FROM wp_postmeta WHERE meta_value LIKE 'http://b.example/xxx%'",
      );
      return Number(row.moved);
    };
    // The whole move is one transaction, and this looks into the middle of it.
    await own.query('SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED');
    // A few looks: each takes a second in a process that had many tests, and nothing moves meanwhile.
    const watch = async () => {
      let most = 0;
      for (const moved of [1, 150, 300]) {
        await eventually(async () => (await countMoved()) >= moved);
        most = Math.max(most, held() - before);
      }
      return most;
    };
    const [most] = await Promise.all([watch(), database.moveTo('http://b.example')]);
    // Rows in flight in several forms, the driver's write buffers, and garbage of other tests in this process: 20 to 107 MB were seen.
    assert.ok(most < ROWS * ROW_BYTES, `${most} bytes at once`);
    assert.equal(await countMoved(), ROWS);
    const [long] = await own.query("SELECT option_value AS value FROM wp_options WHERE option_name = 'long'");
    assert.equal(long.value, `http://b.example/${'y'.repeat(100_000)}`);
  });

  it('backs up a site whose neighbour, or which itself, plays games with locks, and never waits long', async (t) => {
    const [id, neighbour] = [await makeSite(t), await makeSite(t)];
    const [own, other] = [await enter(t, id), await enter(t, neighbour)];
    for (const each of [own, other]) await each.query('CREATE TABLE wp_posts (ID int PRIMARY KEY, title text)');
    await own.query("INSERT INTO wp_posts VALUES (1, 'one')");
    const folder = mkdtempSync(join(tmpdir(), 'locks-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const repository = new Repository(new DiskStore(folder)).site('ada', id);
    const archiver = new Archiver({ repository, tables: new MariadbSource(databases.describe(id)) });
    await archiver.snapshot();

    await other.query('LOCK TABLES wp_posts WRITE');
    await other.query("SELECT GET_LOCK('anything', 1)");
    await own.query("UPDATE wp_posts SET title = 'two'");
    assert.equal((await archiver.snapshot()).isNew, true, 'a neighbour holds up nobody');

    // Rows that others have not committed are waited for by nobody.
    const writer = await enter(t, id);
    await writer.query('START TRANSACTION');
    await writer.query("UPDATE wp_posts SET title = 'unseen'");
    assert.equal((await archiver.snapshot()).isNew, false);
    await writer.query('COMMIT');
    assert.equal((await archiver.snapshot()).isNew, true);

    await own.query("UPDATE wp_posts SET title = 'three'");
    await own.query('LOCK TABLES wp_posts WRITE');
    const begun = performance.now();
    await assert.rejects(archiver.snapshot(), { errno: 1205 });
    assert.ok(performance.now() - begun < 120_000);
    await own.query('UNLOCK TABLES');
    assert.equal((await archiver.snapshot()).isNew, true);
  });

  it('is told of a server by an address, which asks for TLS', () => {
    const account = { user: 'ada', password: 'a/b' };
    assert.deepEqual(serverAccessOf('mariadb://ada:a%2Fb@db.example:3307'), {
      address: { host: 'db.example', port: 3307, tls: 'verified' },
      account,
    });
    assert.deepEqual(serverAccessOf('mariadb://ada:a%2Fb@[::1]?tls=off'), {
      address: { host: '::1', port: 3306 },
      account,
    });
    assert.deepEqual(serverAccessOf('mysql://ada:a%2Fb@localhost?socket=/run/x.sock'), {
      address: { socket: '/run/x.sock' },
      account,
    });
    assert.throws(() => serverAccessOf('postgres://x'), /MARIADB_URL/);
  });
});

it('the folder of the socket, which sites see, holds nothing else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'siteyard-socket-'));
  try {
    const socket = join(folder, 'mysqld.sock');
    for (const name of ['mysqld.sock', 'mysqld.pid']) writeFileSync(join(folder, name), '');
    requireOwnFolder(socket);
    writeFileSync(join(folder, 'ibdata1'), '');
    assert.throws(() => requireOwnFolder(socket), /has other things in it/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
