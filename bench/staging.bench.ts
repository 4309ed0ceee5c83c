import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { mergeRules } from '#runtimes/wordpress/merge-rules.ts';
import { Random } from '#testkit/random.ts';
import { SqliteFile } from '../src/runtimes/folders/sqlite-file.ts';
import { keepRules } from '../src/runtimes/wordpress/keep-rules.ts';
import type { MergeWish, SitePlace, SnapshotName } from '../src/timemachine/process/protocol.ts';
import { TimeMachine } from '../src/timemachine/process/time-machine.ts';
import { cpuSecondsOfTree } from './proc.ts';
import type { Report } from './report.ts';
import { fillDatabase, installPeers, makeWordPress } from './staging-peers.ts';
import { type Cost, run as runCommand } from './timemachine-peers.ts';
import { changeFiles, makeTree } from './timemachine-site.ts';

/**
 * A staging site of a big site: made, compared and committed, against the usual way (`cp -a` and wp-cli's search-replace on native
 * PHP) and against `rsync -a` of the same difference. FILES and POSTS make it smaller.
 */
const FILES = Number(process.env.FILES ?? 20_000);
const POSTS = Number(process.env.POSTS ?? 50_000);
const ROWS = 100;
const [LIVE, STAGE] = ['https://example.com', 'https://stage.example.com'];

export async function run(): Promise<Report> {
  installPeers();
  // As the service does.
  enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/siteyard'));
  const dir = mkdtempSync(join(tmpdir(), 'siteyard-bench-'));
  const timeMachine = new TimeMachine({ store: { kind: 'disk', folder: join(dir, 'store') }, processes: 1 });
  try {
    const live = placeOf(dir, 'live');
    mkdirSync(join(dir, 'live'), { recursive: true });
    const tree = makeTree(live.content, FILES);
    fillDatabase(live.database.file, POSTS, LIVE);
    runCommand('sync');
    await sleep(2_500);
    const base = (await timeMachine.snapshot(live)).newest;
    const usual = measureUsual(dir);

    const stage = placeOf(dir, 'stage');
    mkdirSync(join(dir, 'stage'), { recursive: true });
    let begun: SnapshotName = base;
    const made = await cost(async () => {
      await timeMachine.copy({ ...live, now: live }, base, stage);
      const file = new SqliteFile(stage.database.file);
      await file.moveTo(STAGE);
      await file.spreadNumbers({});
      file.close();
      begun = (await timeMachine.snapshot(stage)).newest;
    });
    const random = new Random(2);
    const paths = changeFiles(stage.content, random, 5);
    changePosts(stage.database.file, random, 'stage');
    changePosts(live.database.file, random, 'live');
    await sleep(2_500);
    let wish = wishFor(base, begun, begun);
    const compared = await cost(async () => {
      const [now, then] = [(await timeMachine.snapshot(live)).newest, (await timeMachine.snapshot(stage)).newest];
      wish = wishFor(base, begun, then);
      const { counts } = await timeMachine.compareCopy(live, now, wish, { offset: 0, limit: 50 });
      if (counts.theirs.rows + counts.both.rows < ROWS / 2) throw new Error('nothing was compared');
    });
    const committed = await cost(() => timeMachine.restore(live, wish));
    const rsync = runCommand(
      `rsync -a --checksum ${paths.map((path) => join(stage.content, path)).join(' ')} ${join(dir, 'target')}/`,
    );
    return report(tree, { usual, made, compared, committed, rsync });
  } finally {
    await timeMachine.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

function placeOf(dir: string, site: string): SitePlace & { database: { kind: 'sqlite'; file: string } } {
  return {
    space: 'owner',
    site,
    content: join(dir, site, 'content'),
    database: { kind: 'sqlite', file: join(dir, site, 'site.sqlite') },
    rules: keepRules('wp_'),
    staging: join(dir, site, 'staging'),
    state: join(dir, site, 'state.json'),
    isSuspect: false,
    recorded: null,
  };
}

function wishFor(base: SnapshotName, begun: SnapshotName, now: SnapshotName): MergeWish {
  return {
    base,
    copy: { site: 'stage', base: begun, now },
    addresses: { ours: LIVE, oursThen: LIVE, theirs: STAGE },
    rules: mergeRules('wp_'),
    isReplaced: false,
    conflicts: 'theirs',
    keepTables: [],
    keepFiles: [],
    takeTables: [],
    plan: null,
  };
}

function measureUsual(dir: string): Cost {
  const copy = join(dir, 'usual');
  const copied = runCommand(`cp -a ${join(dir, 'live')} ${copy}`);
  const wp = makeWordPress(join(dir, 'wordpress'), join(copy, 'content', 'wp-content'), join(copy, 'site.sqlite'));
  const replaced = runCommand(
    `${wp} search-replace ${LIVE} ${STAGE} --all-tables-with-prefix --skip-plugins --skip-themes --quiet`,
  );
  const db = new DatabaseSync(join(copy, 'site.sqlite'), { readOnly: true });
  const [left] = db.prepare('SELECT count(*) AS posts FROM wp_posts WHERE guid LIKE ?').all(`${STAGE}/%`);
  db.close();
  if (left?.posts !== POSTS) throw new Error(`wp-cli has replaced ${left?.posts} of ${POSTS} addresses`);
  rmSync(copy, { recursive: true });
  return sum(copied, replaced);
}

function changePosts(file: string, random: Random, word: string): void {
  const db = new DatabaseSync(file);
  db.exec('BEGIN');
  const update = db.prepare('UPDATE wp_posts SET post_title = ? WHERE ID = ?');
  for (let count = 0; count < ROWS; count++) update.run(`${word} ${count}`, 10 + random.below(POSTS));
  db.exec('COMMIT');
  db.close();
}

const sum = (a: Cost, b: Cost): Cost => ({
  cpuSeconds: a.cpuSeconds + b.cpuSeconds,
  wallSeconds: a.wallSeconds + b.wallSeconds,
});

/** With the processes that do the work. */
async function cost(work: () => Promise<unknown>): Promise<Cost> {
  const before = cpuSecondsOfTree(process.pid);
  const started = performance.now();
  await work();
  const wallSeconds = (performance.now() - started) / 1000;
  return { cpuSeconds: cpuSecondsOfTree(process.pid) - before, wallSeconds };
}

type Figures = Record<'usual' | 'made' | 'compared' | 'committed' | 'rsync', Cost>;

function report(tree: { files: number; bytes: number }, { usual, made, compared, committed, rsync }: Figures): Report {
  const ratio = (part: number, whole: number) => (part / whole).toFixed(3);
  const row = (name: string, each: Cost) => [
    name,
    each.cpuSeconds.toFixed(2),
    each.wallSeconds.toFixed(2),
    ratio(each.cpuSeconds, usual.cpuSeconds),
    ratio(each.wallSeconds, usual.wallSeconds),
    ratio(each.cpuSeconds, rsync.cpuSeconds),
  ];
  const goal = (name: string, each: Cost, most: number) => ({
    text: `${name} <= ${most} of cp -a and wp-cli's search-replace: ${ratio(each.cpuSeconds, usual.cpuSeconds)} in CPU, ${ratio(each.wallSeconds, usual.wallSeconds)} in wall time`,
    met: each.cpuSeconds <= most * usual.cpuSeconds && each.wallSeconds <= most * usual.wallSeconds,
  });
  return {
    name: 'bench/staging',
    intro: `A staging site of ${tree.files} files (${(tree.bytes / 1e9).toFixed(2)} GB) and ${POSTS * 6} rows: made, compared with ${ROWS} changed rows on each side, and 5 files and ${ROWS} rows committed. The usual way is \`cp -a\` and \`wp search-replace\` on native PHP; rsync brings the same 5 files and nothing of the database.`,
    tables: [
      {
        head: ['', 'CPU s', 'wall s', 'CPU to the usual way', 'wall to the usual way', 'CPU to rsync'],
        rows: [
          row('the usual way', usual),
          row('made', made),
          row('compared', compared),
          row('committed', committed),
          row('rsync', rsync),
        ],
      },
    ],
    goals: [goal('made', made, 0.25), goal('compared', compared, 0.1), goal('committed', committed, 0.05)],
  };
}
