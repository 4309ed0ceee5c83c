import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { MariadbDatabases } from '#runtimes/mariadb/mariadb-databases.ts';
import { connect } from '#runtimes/mariadb/server-access.ts';
import { testMariadb, withoutMariadb } from '#testkit/drivers/mariadb.ts';
import { collect } from '#testkit/garbage-collection.ts';
import { Binlog } from './binlog.ts';

test('what one site writes without end fills nobody’s memory when the log is read, and its neighbour is still told exactly', {
  skip: withoutMariadb,
}, async (t) => {
  const server = await testMariadb();
  const databases = await MariadbDatabases.open({ access: server, secret: 'binlog' });
  const [loud, quiet] = [randomUUID(), randomUUID()];
  t.after(async () => {
    for (const id of [loud, quiet]) await databases.drop(id);
    await databases.close();
  });
  const enter = async (id: string) => {
    await databases.create(id);
    const { server: address, account, name } = databases.describe(id);
    const connection = await connect({ address, account }, name);
    connection.on('error', () => {});
    t.after(() => connection.end());
    return { name, connection };
  };
  const [theirs, own] = [await enter(loud), await enter(quiet)];
  for (const { connection } of [theirs, own]) {
    await connection.query('CREATE TABLE wp_posts (ID int PRIMARY KEY, n int)');
    await connection.query('INSERT INTO wp_posts SELECT seq, 0 FROM seq_1_to_200');
  }
  const operator = await connect(server);
  operator.on('error', () => {});
  t.after(() => operator.end());
  const [{ File: file, Position }] = await operator.query('SHOW MASTER STATUS');
  const from = { file: String(file), offset: Number(Position) };

  // Statements of megabytes, and rows beyond counting.
  const text = 'x'.repeat(2_000_000);
  for (let turn = 0; turn < 30; turn++) await theirs.connection.query(`CREATE TABLE wp_${turn} /* ${text} */ (a int)`);
  for (let turn = 0; turn < 300; turn++) await theirs.connection.query('UPDATE wp_posts SET n = n + 1');
  await own.connection.query('UPDATE wp_posts SET n = 1 WHERE ID = 7');

  const { binlog: account } = databases.describe(quiet);
  const logs: Binlog[] = [];
  // What else this process does meanwhile counts too, and is not there each time.
  const grown: number[] = [];
  let changes: Awaited<ReturnType<Binlog['changes']>>;
  for (let looks = 0; looks < 3; looks++) {
    // Each would keep it all.
    const log = new Binlog(server.address, account as NonNullable<typeof account>);
    logs.push(log);
    collect();
    const before = process.memoryUsage();
    changes = await log.changes(own.name, from);
    collect();
    const after = process.memoryUsage();
    grown.push(after.heapUsed + after.external - before.heapUsed - before.external);
  }
  assert.ok(Math.min(...grown) < 15_000_000, `${grown} bytes are kept`);
  assert.deepEqual(
    [changes?.isRemade, [...(changes?.tables ?? [])]],
    [false, [['wp_posts', [{ first: [7n], last: [7n] }]]]],
  );
  assert.equal((await logs[0]?.changes(theirs.name, from))?.isRemade, true);
});
