import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '#testkit/random.ts';
import { MariadbDatabases } from '../src/runtimes/mariadb/mariadb-databases.ts';
import { findMariadbBinaries } from '../src/runtimes/mariadb/server/binaries.ts';
import { startEmbeddedMariadb } from '../src/runtimes/mariadb/server/embedded-mariadb.ts';
import { findServer } from '../src/runtimes/mariadb/server/process.ts';
import { connect } from '../src/runtimes/mariadb/server-access.ts';
import { Archiver } from '../src/timemachine/archive/archiver.ts';
import { Repository } from '../src/timemachine/repository.ts';
import { planRestore, restore } from '../src/timemachine/restore/restorer.ts';
import { MariadbDatabase } from '../src/timemachine/sources/mariadb/mariadb-database.ts';
import { DiskStore } from '../src/timemachine/stores/disk.ts';
import { cpuSecondsOf } from './proc.ts';
import type { Report } from './report.ts';
import { run as runProgram } from './timemachine-peers.ts';

const POSTS = 40_000;
const CHANGED = 100;
const ROUNDS = 20;

/** A hundred changed rows kept and brought back, beside a dump of the same database and its loading. The server's own time counts. */
export async function run(): Promise<Report> {
  const binaries = findMariadbBinaries();
  if (!binaries) throw new Error('This machine has no MariaDB (on Debian: apt-get install mariadb-server).');
  const dir = mkdtempSync(join(tmpdir(), 'siteyard-bench-mariadb-'));
  const server = await startEmbeddedMariadb({ dataDir: join(dir, 'data'), binaries });
  const pid = findServer(join(dir, 'data/run/mariadb.pid'), join(dir, 'data/cluster'))?.pid ?? 0;
  const databases = await MariadbDatabases.open({ access: server.access, secret: 'bench' });
  try {
    return await measure(dir, databases, pid);
  } finally {
    await databases.close();
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function measure(dir: string, databases: MariadbDatabases, pid: number): Promise<Report> {
  const id = randomUUID();
  await databases.create(id);
  const description = databases.describe(id);
  const { server: address, account, name } = description;
  const site = await connect({ address, account }, name);
  await fill((sql, values) => site.query(sql, values));
  /** Ours and the server's. */
  const cost = async (times: number, work: () => Promise<unknown>): Promise<number> => {
    const [ours, theirs] = [process.cpuUsage(), cpuSecondsOf(pid)];
    for (let time = 0; time < times; time++) await work();
    const { user, system } = process.cpuUsage(ours);
    return ((user + system) / 1e6 + cpuSecondsOf(pid) - theirs) / times;
  };
  const database = new MariadbDatabase(description);
  const source = database.source(() => true);
  const repository = new Repository(new DiskStore(join(dir, 'store'))).site('bench', id);
  const archiver = new Archiver({ repository, tables: source });
  const first = await cost(1, () => archiver.snapshot());
  const random = new Random(1);
  let [kept, back, unchanged] = [0, 0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    const before = (await archiver.snapshot()).snapshot;
    await site.query('START TRANSACTION');
    for (let row = 0; row < CHANGED; row++)
      await site.query('UPDATE wp_posts SET post_title = ? WHERE ID = ?', [random.text(30), random.below(POSTS) + 1]);
    await site.query('COMMIT');
    const taken: Awaited<ReturnType<Archiver['snapshot']>>[] = [];
    kept += await cost(1, async () => taken.push(await archiver.snapshot()));
    unchanged += await cost(1, () => archiver.snapshot());
    const now = taken[0];
    if (!now) throw new Error('There is no snapshot');
    back += await cost(1, async () => {
      const target = await database.openTarget();
      const plan = await planRestore(repository, now.snapshot, before);
      const tables = { source, target, version: now.tablesVersion };
      await restore(plan, { repository, staging: join(dir, 'staging'), tables });
      await target.close();
    });
  }
  await site.end();
  const [ours, again] = [kept / ROUNDS, back / ROUNDS];
  const dump = join(dir, 'dump.sql');
  const login = `--no-defaults --socket=${address.socket} --user=${account.user} --password=${account.password}`;
  const shell = (command: string) => {
    const startedAt = cpuSecondsOf(pid);
    const { cpuSeconds } = runProgram(command);
    return cpuSecondsOf(pid) - startedAt + cpuSeconds;
  };
  const dumped = shell(`mariadb-dump ${login} --single-transaction ${name} > ${dump}`);
  const loaded = shell(`mariadb ${login} ${name} < ${dump}`);
  const ratio = (a: number, b: number) => `1/${(b / a).toFixed(0)}`;
  return {
    name: 'bench/mariadb',
    intro: `A database of ${POSTS} posts (${Math.round((await databases.sizeBytes(id)) / 1e6)} MB) on a MariaDB of ours; seconds of processor, the server's included.`,
    tables: [
      {
        head: ['', 'CPU ms', 'of a dump', 'of loading it'],
        rows: [
          ['mariadb-dump', ms(dumped), '1', ''],
          ['loading the dump', ms(loaded), '', '1'],
          ['first backup', ms(first), ratio(first, dumped), ''],
          [`backup of ${CHANGED} changed rows`, ms(ours), ratio(ours, dumped), ''],
          ['backup of nothing changed', ms(unchanged / ROUNDS), ratio(unchanged / ROUNDS, dumped), ''],
          [`restore of ${CHANGED} rows`, ms(again), '', ratio(again, loaded)],
        ],
      },
    ],
    goals: [
      {
        text: `a backup of ${CHANGED} changed rows costs at most 1/30 of a dump (${ratio(ours, dumped)})`,
        met: ours * 30 <= dumped,
      },
      {
        text: `restoring them costs at most 1/100 of loading the dump (${ratio(again, loaded)})`,
        met: again * 100 <= loaded,
      },
    ],
  };
}

async function fill(run: (sql: string, values?: unknown[]) => Promise<unknown>): Promise<void> {
  await run(
    'CREATE TABLE wp_posts (ID bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, post_title text NOT NULL, post_content longtext NOT NULL, post_name varchar(200) NOT NULL, KEY post_name (post_name(191)))',
  );
  const random = new Random(2);
  const content = Array.from({ length: 50 }, () => random.text(1000));
  for (let at = 0; at < POSTS; at += 500) {
    const rows = Array.from({ length: 500 }, (_, row) => [
      `Post ${at + row}`,
      random.pick(content),
      `post-${at + row}`,
    ]);
    await run(
      `INSERT INTO wp_posts (post_title, post_content, post_name) VALUES ${rows.map(() => '(?, ?, ?)').join(', ')}`,
      rows.flat(),
    );
  }
}

function ms(seconds: number): string {
  return (seconds * 1000).toFixed(1);
}
