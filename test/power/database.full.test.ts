import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { startEmbeddedPostgres } from '#core/db/embedded-postgres.ts';
import { Random, SEED } from '#testkit/random.ts';
import { Repository } from '#timemachine/repository.ts';
import { restoreInto } from '#timemachine/restore/restore-into.ts';
import { DiskStore } from '#timemachine/stores/disk.ts';
import { FATES, RecordedDisk } from './disk.ts';
import { type Entry, Ledger } from './ledger.ts';
import { readRecord, record } from './system-calls.ts';

/** Cuts the power under Postgres and the time machine together: docs/decisions/0016. CUTS=1000 for the long form. */
const CUTS = Number(process.env.CUTS ?? 4);
const ROUNDS = Math.max(1, Math.min(6, Math.round(CUTS / 100)));

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'siteyard-power-db-')));
chmodSync(scratch, 0o711);
after(() => rmSync(scratch, { recursive: true, force: true }));

test(`after ${CUTS} power cuts Postgres has every row that was acknowledged, and every backup that was reported comes back`, async (t) => {
  const dataDir = join(scratch, 'data');
  const owner = await prepare(dataDir);
  const disk = new RecordedDisk(dataDir, true);
  const { ledger, calls } = await recordWork(dataDir, disk);
  const random = new Random(SEED);
  const faults: string[] = [];
  for (let count = 0; count < CUTS; count++) {
    const cut = count % 2 === 0 ? random.pick(ledger.promises) + random.below(3) : random.below(calls);
    // Four have every fate, and eight every fate with either kind of moment.
    const fate = FATES[(count + (count >> 2)) % FATES.length] ?? 'lost';
    const folder = join(scratch, 'state');
    disk.writeStateTo(folder, cut, fate, random, []);
    rmSync(join(folder, 'postgres/run'), { recursive: true, force: true });
    giveTo(join(folder, 'postgres/cluster'), owner);
    const found = await findFaults(folder, ledger, cut).catch((error) => [String(error)]);
    for (const fault of found) faults.push(`cut at ${cut}, ${fate}: ${fault}`);
    rmSync(folder, { recursive: true, force: true });
  }
  t.diagnostic(
    `${calls} system calls, ${ledger.promises.length} promises, ${CUTS} cuts, ${faults.length} faults, seed ${SEED}`,
  );
  assert.ok(ledger.promises.length >= 80 * ROUNDS, 'too little happened to prove anything');
  assert.deepEqual(faults.slice(0, 20), [], `${faults.length} faults`);
});

/** The cluster with its tables, as it lasts. Whose it is. */
async function prepare(dataDir: string): Promise<{ uid: number; gid: number }> {
  mkdirSync(join(dataDir, 'site'), { recursive: true });
  chmodSync(dataDir, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir: join(dataDir, 'postgres'), settings: { fsync: 'off' } });
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(
    'create table things (name text primary key, text text); create table kept (hash text primary key, value text)',
  );
  await client.end();
  await postgres.stop();
  return statSync(join(dataDir, 'postgres/cluster'));
}

async function recordWork(dataDir: string, disk: RecordedDisk): Promise<{ ledger: Ledger; calls: number }> {
  const [notes = '', file = ''] = ['ledger', 'record'].map((name) => join(scratch, name));
  const program = join(import.meta.dirname, 'database-work.ts');
  await record(file, [
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    program,
    dataDir,
    notes,
    String(ROUNDS),
  ]);
  const ledger = new Ledger();
  let calls = 0;
  for await (const call of readRecord(file)) {
    calls = call.end;
    const [to, line] = call.args;
    if (call.name === 'write' && to?.path === notes) ledger.add(JSON.parse(String(line?.bytes)) as Entry, call.start);
    else disk.add(call);
  }
  return { ledger, calls };
}

function giveTo(path: string, { uid, gid }: { uid: number; gid: number }): void {
  const isFolder = statSync(path).isDirectory();
  chownSync(path, uid, gid);
  chmodSync(path, isFolder ? 0o700 : 0o600);
  if (isFolder) for (const name of readdirSync(path)) giveTo(join(path, name), { uid, gid });
}

async function findFaults(folder: string, ledger: Ledger, cut: number): Promise<string[]> {
  chmodSync(folder, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), settings: { fsync: 'off' } });
  const found = new Map<string, string>();
  try {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    for (const { name, text } of (await client.query('select name, text from things')).rows)
      found.set(`row ${name}`, createHash('sha256').update(text).digest('hex'));
    for (const { hash, value } of (await client.query('select hash, value from kept')).rows)
      found.set(`backup ${hash}`, value);
    await client.end();
  } finally {
    await postgres.stop();
  }
  const lost: string[] = [];
  for (const [thing, values] of ledger.allowedAt(cut)) {
    const value = found.get(thing) ?? null;
    if (!values.has(value)) lost.push(`${thing} is ${value} and not ${[...values].join(' or ')}`);
  }
  return [...lost, ...(await findLostBackups(folder, found))];
}

/** Whatever is written down can be brought back, and is what it was. */
async function findLostBackups(folder: string, found: ReadonlyMap<string, string>): Promise<string[]> {
  const lost: string[] = [];
  const store = new DiskStore(join(folder, 'backups'));
  const repository = new Repository(store).site('team', 'site');
  const known = await repository.snapshots();
  for (const [thing, value] of found) {
    const [kind, hash] = thing.split(' ');
    if (kind !== 'backup') continue;
    const into = join(folder, 'restored', hash ?? '');
    try {
      const id = known.find((each) => each.hash === hash);
      if (!id) throw new Error('it is not in the store');
      mkdirSync(join(folder, 'restored'), { recursive: true });
      await restoreInto(repository, await repository.readSnapshot(id), { folder: into });
      const text = readFileSync(join(into, 'file.txt'));
      if (createHash('sha256').update(text).digest('hex') !== value) throw new Error('it is another one');
    } catch (error) {
      lost.push(`${thing}: ${error}`);
    }
  }
  store.close();
  return lost;
}
