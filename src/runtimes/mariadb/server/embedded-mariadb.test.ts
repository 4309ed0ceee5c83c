import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../../../../test/expect.ts';
import { withoutMariadb } from '../../../../test/mariadb.ts';
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
