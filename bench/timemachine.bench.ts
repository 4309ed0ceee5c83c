import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '#testkit/random.ts';
import { Archiver } from '../src/timemachine/archive/archiver.ts';
import { Repository } from '../src/timemachine/repository.ts';
import { restoreInto } from '../src/timemachine/restore/restore-into.ts';
import { planRestore, restore } from '../src/timemachine/restore/restorer.ts';
import { SqliteSource } from '../src/timemachine/sources/sqlite.ts';
import { SqliteTarget } from '../src/timemachine/sources/sqlite-target.ts';
import { DiskStore } from '../src/timemachine/stores/disk.ts';
import type { KeySpan } from '../src/timemachine/tables/table-source.ts';
import { median } from './load.ts';
import type { Report } from './report.ts';
import { type Cost, makePeers, type Peer, run as runCommand, sizeOf, versionsOfPeers } from './timemachine-peers.ts';
import { changeFiles, changeRows, makeDatabase, makeTree } from './timemachine-site.ts';

/**
 * The time machine against restic, borg and git on the same folder, in CPU seconds of the same run; and against a dump of
 * the same database. FILES, POSTS and MINUTES make it smaller.
 */
const FILES = Number(process.env.FILES ?? 20_000);
const POSTS = Number(process.env.POSTS ?? 50_000);
const ROUNDS = 5;
const MINUTES = Number(process.env.MINUTES ?? 60);

export async function run(): Promise<Report> {
  const dir = mkdtempSync(join(tmpdir(), 'siteyard-bench-'));
  try {
    const folder = join(dir, 'site');
    const tree = makeTree(folder, FILES);
    const database = makeDatabase(join(dir, 'site.sqlite'), POSTS);
    // Nothing may look fresh, and the disk must have nothing left to do for us.
    runCommand('sync');
    await sleep(2_500);
    const files = await measureFiles(dir, folder);
    const tables = await measureTables(dir);
    return report(tree, database, files, tables);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

type Figures = Record<'first' | 'unchanged' | 'five' | 'full' | 'fiveBack', Cost> & {
  growth: { bytes: number; files: number };
};

async function measureFiles(dir: string, folder: string) {
  const peers = makePeers(dir, folder);
  const random = new Random(1);
  const store = join(dir, 'store');
  const repository = new Repository(new DiskStore(store)).site('owner', 'site');
  const archiver = new Archiver({ repository, folder });
  const staging = join(dir, 'staging');

  const first = await cost(() => archiver.snapshot());
  const peerFirst = peers.map((peer) => peer.backup());
  const unchanged = await costs(() => archiver.snapshot());
  const unchangedTold = await costs(() => archiver.snapshot({ changedPaths: [] }));
  const peerUnchanged = peers.map((peer) => repeat(() => peer.backup()));

  const full = await cost(async () => {
    const id = await repository.snapshotAt();
    if (id) await restoreInto(repository, await repository.readSnapshot(id), { folder: join(dir, 'full') });
  });
  rmSync(join(dir, 'full'), { recursive: true });
  const peerFull = peers.map((peer) => {
    const spent = peer.restoreAll(join(dir, `full-${peer.name}`));
    rmSync(join(dir, `full-${peer.name}`), { recursive: true });
    return spent;
  });

  const five: Cost[] = [];
  const fiveTold: Cost[] = [];
  const fiveBack: Cost[] = [];
  const fiveBackTold: Cost[] = [];
  const peerFive: Cost[][] = peers.map(() => []);
  const peerFiveBack: Cost[][] = peers.map(() => []);
  for (let round = 0; round < 2 * ROUNDS; round++) {
    const isTold = round % 2 === 1;
    // A minute has passed since the last change: nothing is fresh any more.
    await sleep(2_100);
    await archiver.snapshot();
    const before = await repository.snapshotAt();
    const changedPaths = changeFiles(folder, random, 5);
    const hints = isTold ? { changedPaths } : {};
    (isTold ? fiveTold : five).push(await cost(() => archiver.snapshot(hints)));
    const changed = changedPaths.map((path) => [join(folder, path), readFileSync(join(folder, path))] as const);
    for (const [index, peer] of isTold ? [] : peers.entries()) peerFive[index]?.push(peer.backup());
    for (const [index, peer] of isTold ? [] : peers.entries()) {
      if (peer.restoreFiles) peerFiveBack[index]?.push(peer.restoreFiles(changedPaths));
      // The next one finds the files changed again.
      for (const [path, content] of changed) writeFileSync(path, content);
    }
    await sleep(2_100);
    (isTold ? fiveBackTold : fiveBack).push(
      await cost(async () => {
        const now = await archiver.snapshot(hints);
        if (!before) throw new Error('There is no snapshot');
        const plan = await planRestore(repository, now.snapshot, await repository.readSnapshot(before), {
          deleteExtraFiles: true,
        });
        await restore(plan, { repository, folder, staging });
      }),
    );
  }

  const growth = await grow(folder, random, store, archiver, peers);
  await archiver.remember();
  const ours = { first, unchanged, five: middle(five), full, fiveBack: middle(fiveBack), growth: growth.ours };
  const told = { unchanged: unchangedTold, five: middle(fiveTold), fiveBack: middle(fiveBackTold) };
  const theirs = peers.map((_, index): Figures => {
    const nothing = { cpuSeconds: Number.NaN, wallSeconds: Number.NaN };
    return {
      first: peerFirst[index] ?? nothing,
      unchanged: peerUnchanged[index] ?? nothing,
      five: middle(peerFive[index] ?? []),
      full: peerFull[index] ?? nothing,
      fiveBack: middle(peerFiveBack[index] ?? []),
      growth: growth.theirs[index] ?? { bytes: Number.NaN, files: Number.NaN },
    };
  });
  return { ours, told, theirs };
}

async function grow(folder: string, random: Random, store: string, archiver: Archiver, peers: readonly Peer[]) {
  await archiver.snapshot();
  for (const peer of peers) peer.backup();
  const before = [sizeOf(store), ...peers.map((peer) => peer.size())];
  for (let minute = 0; minute < MINUTES; minute++) {
    const changedPaths = changeFiles(folder, random, 5);
    await archiver.snapshot({ changedPaths });
    for (const peer of peers) peer.backup();
  }
  const after = [sizeOf(store), ...peers.map((peer) => peer.size())];
  const [ours, ...theirs] = after.map(({ bytes, files }, index) => ({
    bytes: bytes - (before[index]?.bytes ?? 0),
    files: files - (before[index]?.files ?? 0),
  }));
  return { ours: ours ?? { bytes: Number.NaN, files: Number.NaN }, theirs };
}

async function measureTables(dir: string) {
  const path = join(dir, 'site.sqlite');
  const random = new Random(2);
  const repository = new Repository(new DiskStore(join(dir, 'store'))).site('owner', 'tables');
  const source = new SqliteSource(path);
  const target = new SqliteTarget(path);
  const archiver = new Archiver({ repository, tables: source });
  const first = await cost(() => archiver.snapshot());
  const unchanged = await costs(() => archiver.snapshot());
  let told: KeySpan[] | undefined;
  const toldArchiver = new Archiver({
    repository: repository,
    tables: {
      version: () => source.version(),
      open: async () => ({
        ...(await source.open()),
        changedSince: async () => told && new Map([['wp_postmeta', told]]),
      }),
      close: () => source.close(),
    },
  });
  const hundred: Cost[] = [];
  const hundredTold: Cost[] = [];
  const hundredBack: Cost[] = [];
  const dump: Cost[] = [];
  const reload: Cost[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    told = undefined;
    await archiver.remember();
    await toldArchiver.snapshot();
    told = changeRows(path, random, POSTS, 100).map((id) => ({ first: [BigInt(id)], last: [BigInt(id)] }));
    hundredTold.push(await cost(() => toldArchiver.snapshot()));
    await toldArchiver.remember();
    changeRows(path, random, POSTS, 100);
    hundred.push(await cost(() => archiver.snapshot()));
    await archiver.remember();
    const before = await repository.snapshotAt();
    changeRows(path, random, POSTS, 100);
    const now = await archiver.snapshot();
    if (!before) throw new Error('There is no snapshot');
    const point = await repository.readSnapshot(before);
    hundredBack.push(
      await cost(async () => {
        const plan = await planRestore(repository, now.snapshot, point);
        await restore(plan, {
          repository,
          staging: join(dir, 'staging'),
          tables: { target, source, version: now.tablesVersion },
        });
      }),
    );
    await archiver.snapshot();
    dump.push(runCommand(`sqlite3 ${path} .dump > ${join(dir, 'dump.sql')}`));
    const one = join(dir, 'one.sql');
    runCommand(`(echo 'DROP TABLE wp_postmeta;'; sqlite3 ${path} '.dump wp_postmeta') > ${one}`);
    reload.push(runCommand(`sqlite3 ${path} < ${one}`));
    await archiver.snapshot();
  }
  await archiver.remember();
  await source.close();
  await target.close();
  return {
    first,
    unchanged,
    hundred: middle(hundred),
    hundredTold: middle(hundredTold),
    hundredBack: middle(hundredBack),
    dump: middle(dump),
    reload: middle(reload),
  };
}

async function cost(work: () => Promise<unknown>): Promise<Cost> {
  const usage = process.cpuUsage();
  const started = performance.now();
  await work();
  const wallSeconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(usage);
  return { cpuSeconds: (user + system) / 1e6, wallSeconds };
}

async function costs(work: () => Promise<unknown>): Promise<Cost> {
  const all: Cost[] = [];
  for (let round = 0; round < ROUNDS; round++) all.push(await cost(work));
  return middle(all);
}

function repeat(work: () => Cost): Cost {
  return middle(Array.from({ length: ROUNDS }, work));
}

function middle(all: readonly Cost[]): Cost {
  if (all.length === 0) return { cpuSeconds: Number.NaN, wallSeconds: Number.NaN };
  return {
    cpuSeconds: median(all.map((each) => each.cpuSeconds)),
    wallSeconds: median(all.map((each) => each.wallSeconds)),
  };
}

function report(
  tree: ReturnType<typeof makeTree>,
  database: ReturnType<typeof makeDatabase>,
  { ours, told, theirs }: Awaited<ReturnType<typeof measureFiles>>,
  tables: Awaited<ReturnType<typeof measureTables>>,
): Report {
  const seconds = (value: number | undefined) =>
    value === undefined || Number.isNaN(value)
      ? ''
      : value < 0.1
        ? `${(value * 1000).toFixed(1)} ms`
        : `${value.toFixed(2)} s`;
  const [restic, borg, git] = theirs as [Figures, Figures, Figures];
  const row = (name: string, of: (figures: Figures) => number, mine: number, mineTold?: number) => [
    name,
    seconds(mine),
    seconds(mineTold),
    ...theirs.map((each) => seconds(of(each))),
  ];
  const cpu = (key: 'first' | 'unchanged' | 'five' | 'full' | 'fiveBack') => (figures: Figures) =>
    figures[key].cpuSeconds;
  const grown = ({ bytes, files }: { bytes: number; files: number }) =>
    `${(bytes / 2 ** 20).toFixed(1)} MiB, ${files} files`;
  const goal = (text: string, ours: number, theirs: number, most: number) => {
    const ratio = ours / theirs;
    const shown = ratio < 0.5 ? `1/${(1 / ratio).toFixed(0)}` : ratio.toFixed(2);
    return { text: `${text} (${shown})`, met: ratio <= most };
  };
  return {
    name: 'bench/timemachine',
    intro: `${tree.files} files in ${tree.folders} folders, ${(tree.bytes / 1e9).toFixed(2)} GB; ${database.posts} posts and ${database.postmeta} postmeta rows, ${(database.bytes / 1e6).toFixed(0)} MB. CPU seconds, median of ${ROUNDS}; \`told\` is with the changed paths, or the keys of the changed rows, known. ${versionsOfPeers()}.`,
    tables: [
      {
        head: ['CPU', 'Siteyard, walking', 'told', 'restic', 'borg', 'git'],
        rows: [
          row('first backup', cpu('first'), ours.first.cpuSeconds),
          row('unchanged minute', cpu('unchanged'), ours.unchanged.cpuSeconds, told.unchanged.cpuSeconds),
          row('5 files changed', cpu('five'), ours.five.cpuSeconds, told.five.cpuSeconds),
          row('full restore', cpu('full'), ours.full.cpuSeconds),
          row('full restore, wall', ({ full }) => full.wallSeconds, ours.full.wallSeconds),
          row(
            'snapshot and restore in place, 5 files differ',
            cpu('fiveBack'),
            ours.fiveBack.cpuSeconds,
            told.fiveBack.cpuSeconds,
          ),
          [
            `growth over ${MINUTES} small minutes`,
            grown(ours.growth),
            '',
            ...theirs.map(({ growth }) => grown(growth)),
          ],
        ],
      },
      {
        head: ['tables, CPU', 'Siteyard', 'sqlite3'],
        rows: [
          ['first backup; dump', seconds(tables.first.cpuSeconds), seconds(tables.dump.cpuSeconds)],
          ['unchanged minute', seconds(tables.unchanged.cpuSeconds), ''],
          [
            '100 rows changed, found by the pages; dump',
            seconds(tables.hundred.cpuSeconds),
            seconds(tables.dump.cpuSeconds),
          ],
          [
            '100 rows changed, told their keys; dump',
            seconds(tables.hundredTold.cpuSeconds),
            seconds(tables.dump.cpuSeconds),
          ],
          [
            'restore of 100 rows; reloading the table',
            seconds(tables.hundredBack.cpuSeconds),
            seconds(tables.reload.cpuSeconds),
          ],
        ],
      },
    ],
    goals: [
      goal(
        'unchanged minute at most 1/12 of restic, walking',
        ours.unchanged.cpuSeconds,
        restic.unchanged.cpuSeconds,
        1 / 12,
      ),
      goal(
        'unchanged minute at most 1/500 of restic, told',
        told.unchanged.cpuSeconds,
        restic.unchanged.cpuSeconds,
        1 / 500,
      ),
      goal('5 files changed at most 1/200 of restic, told', told.five.cpuSeconds, restic.five.cpuSeconds, 1 / 200),
      goal('5 files changed at most 1/20 of git, told', told.five.cpuSeconds, git.five.cpuSeconds, 1 / 20),
      goal(
        'restore of 5 files at most 1/100 of restic, told',
        told.fiveBack.cpuSeconds,
        restic.fiveBack.cpuSeconds,
        1 / 100,
      ),
      goal('restore of 5 files at most 1/5 of git, told', told.fiveBack.cpuSeconds, git.fiveBack.cpuSeconds, 1 / 5),
      goal('first backup at most 0.4 of restic', ours.first.cpuSeconds, restic.first.cpuSeconds, 0.4),
      goal('first backup at most 0.9 of borg', ours.first.cpuSeconds, borg.first.cpuSeconds, 0.9),
      goal('full restore at most as long as restic', ours.full.wallSeconds, restic.full.wallSeconds, 1),
      goal('growth at most that of restic', ours.growth.bytes, restic.growth.bytes, 1),
      goal('files of growth at most a tenth of git', ours.growth.files, git.growth.files, 0.1),
      goal(
        '100 rows changed at most 1/30 of a dump, told',
        tables.hundredTold.cpuSeconds,
        tables.dump.cpuSeconds,
        1 / 30,
      ),
      goal(
        'restore of 100 rows at most 1/100 of reloading',
        tables.hundredBack.cpuSeconds,
        tables.reload.cpuSeconds,
        1 / 100,
      ),
    ],
  };
}
