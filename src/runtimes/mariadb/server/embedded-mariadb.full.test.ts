import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { withoutMariadb } from '#testkit/drivers/mariadb.ts';
import { eventually } from '#testkit/expect.ts';
import { MariadbDatabases } from '../mariadb-databases.ts';
import { connect } from '../server-access.ts';
import { findMariadbBinaries, type MariadbBinaries } from './binaries.ts';
import { startEmbeddedMariadb } from './embedded-mariadb.ts';
import { end, findServer } from './process.ts';
import { Server } from './server.ts';

/** `KILLS=50` for the long form. */
const KILLS = Number(process.env.KILLS ?? 2);

test(`${KILLS} kills of the server lose nothing that it had acknowledged, nobody else comes in, and it ends in order`, {
  skip: withoutMariadb,
}, async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'siteyard-mariadb-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const said: string[] = [];
  const options = {
    dataDir,
    binaries: findMariadbBinaries() as MariadbBinaries,
    log: (line: string) => said.push(line),
  };
  const server = await startEmbeddedMariadb(options);
  const [pidFile, cluster] = [join(dataDir, 'run/mariadb.pid'), join(dataDir, 'cluster')];
  t.after(async () => {
    await server.stop();
    const left = findServer(pidFile, cluster);
    if (left) await end(left);
  });
  assert.equal((await stat(join(dataDir, 'password'))).mode & 0o777, 0o600);
  await assert.rejects(connect({ ...server.access, account: { user: 'root', password: '' } }));
  await assert.rejects(connect({ ...server.access, account: { user: 'siteyard', password: 'wrong' } }));
  await assert.rejects(startEmbeddedMariadb(options), /already runs/);

  const begin = await connect(server.access);
  await begin.query('CREATE DATABASE kept');
  await begin.query('CREATE TABLE kept.acknowledged (id int PRIMARY KEY)');
  await begin.end();
  let acknowledged = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const connection = await eventually(() => connect(server.access).catch(() => undefined));
    connection.on('error', () => {});
    const before = findServer(pidFile, cluster);
    assert.ok(before);
    const writing = (async () => {
      for (;;) {
        await connection.query('INSERT INTO kept.acknowledged VALUES (?)', [acknowledged + 1]);
        acknowledged++;
        if (acknowledged % 20 === 19) process.kill(before.pid, 'SIGKILL');
      }
    })();
    await assert.rejects(writing);
    connection.destroy();
    const again = await eventually(() => connect(server.access).catch(() => undefined));
    const [row] = await again.query('SELECT COUNT(*) AS count, MAX(id) AS last FROM kept.acknowledged');
    await again.end();
    // One more may have been written of which nobody heard.
    assert.ok(
      Number(row.count) >= acknowledged && Number(row.count) <= acknowledged + 1,
      `${row.count} of ${acknowledged}`,
    );
    acknowledged = Number(row.last);
  }
  assert.ok(said.includes('MariaDB runs again.'));

  // A service that was killed has left it running: the next one goes on with it, where nothing is to be different.
  const running = findServer(pidFile, cluster);
  assert.ok(running);
  const [program = '', ...args] = running.command;
  const adopted = new Server({
    account: { own: () => {}, spawn: () => assert.fail('started another one') },
    program,
    args,
    cluster,
    pidFile,
    logFile: join(dataDir, 'heir.log'),
    access: server.access,
    say: (line) => said.push(line),
  });
  await adopted.start();
  assert.match(said.at(-1) ?? '', /Adopted/);
  await Promise.all([adopted.stop(), server.stop()]);
  assert.equal(findServer(pidFile, cluster), undefined);
  assert.match(readFileSync(join(dataDir, 'mariadb.log'), 'utf8'), /Shutdown complete/);
});

test('a site that writes without end takes no more of the disk than the log of changes may have', {
  skip: withoutMariadb,
}, async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'siteyard-mariadb-'));
  const binaries = findMariadbBinaries() as MariadbBinaries;
  // A file of the log is full soon, as 64 MB are on a real one.
  const settings = { 'max-binlog-size': '1M', 'max-binlog-cache-size': '4M', 'sync-binlog': 0 };
  const server = await startEmbeddedMariadb({ dataDir, binaries, settings });
  const databases = await MariadbDatabases.open({ access: server.access, secret: 'log', mostLogBytes: 5_000_000 });
  t.after(async () => {
    await databases.close();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const id = randomUUID();
  await databases.create(id);
  const { name, user, password } = databases.access(id);
  const site = await connect({ ...server.access, account: { user, password } }, name);
  site.on('error', () => {});
  await site.query('CREATE TABLE wp_posts (ID int PRIMARY KEY, post_content longtext)');
  await site.query("INSERT INTO wp_posts VALUES (1, '')");
  for (let turn = 0; turn < 30; turn++)
    await site.query(`UPDATE wp_posts SET post_content = REPEAT('${turn % 10}', 1000000)`);
  const operator = await connect(server.access);
  const logBytes = async () =>
    (await operator.query('SHOW BINARY LOGS')).reduce(
      (sum: number, file: { File_size: bigint }) => sum + Number(file.File_size),
      0,
    );
  // 30 MB were written; by its clock the server's log may have been shortened already.
  await databases.shortenLog();
  assert.ok((await logBytes()) < 6_500_000, `${await logBytes()} bytes`);
  // What is not over yet has its own bound, and ends that one transaction.
  await site.query('START TRANSACTION');
  const endless = async () => {
    for (let turn = 0; turn < 40; turn++)
      await site.query(`UPDATE wp_posts SET post_content = REPEAT('${turn % 10}', 1000000)`);
  };
  await assert.rejects(endless(), { errno: 1197 });
  await site.query('SET SESSION max_session_mem_used = 1099511627776').catch(() => {});
  const [memory] = await site.query('SELECT @@max_session_mem_used AS bytes');
  assert.ok(Number(memory.bytes) <= 256 * 1024 ** 2, `${memory.bytes} of memory`);
  await operator.end();
  site.destroy();
});
