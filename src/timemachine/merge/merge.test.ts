import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { moveText } from '#runtimes/wordpress/address.ts';
import { mergeRules } from '#runtimes/wordpress/merge-rules.ts';
import { FULL, Random, SEED } from '#testkit/random.ts';
import { FAULTS, FaultyOperations } from '#testkit/snapshots/faulty-operations.ts';
import { suiteStore } from '#testkit/snapshots/gateway-store.ts';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import { expectedMerge, named, unnamed } from '../../../test/merge/oracle.ts';
import { EditedSite } from '../../../test/merge/two-sides.ts';
import { Archiver } from '../archive/archiver.ts';
import { check } from '../maintenance/checker.ts';
import { Repository } from '../repository.ts';
import { recover } from '../restore/recover.ts';
import { restore } from '../restore/restorer.ts';
import type { Snapshot } from '../snapshot.ts';
import { SqliteSource } from '../sources/sqlite.ts';
import { withNumbersOf } from '../sources/sqlite-schema.ts';
import { shapeOf } from '../sources/sqlite-shape.ts';
import { SqliteTarget } from '../sources/sqlite-target.ts';
import { addressesBy } from './addresses.ts';
import { idOfComparison } from './comparison.ts';
import { mergingBy } from './merge-rules.ts';
import { type MergeOptions, type MergePlan, planMerge } from './plan-merge.ts';

/** A site and its copy, each edited, merged and edited again: 500 histories in the long form. */
const HISTORIES = FULL ? 500 : 5;
const COMMITS = 3;

const [LIVE, STAGE] = ['https://shop.example.com', 'http://stage-shop.localhost:8080'];
const rules = mergingBy(mergeRules('wp_'));

const addresses = addressesBy({ ours: LIVE, oursThen: LIVE, theirs: STAGE }, moveText);
const OPTIONS: MergeOptions = {
  addresses,
  rules,
  shapeOf,
  withNumbersOf,
  isReplaced: false,
  conflictsTo: 'theirs',
  keepTables: [],
  takeTables: [],
  keepFiles: [],
};

/** A site and its copy with all that keeps them. */
async function makeSides(t: TestContext, seed: number) {
  const folder = scratchFolder(t);
  const repository = new Repository(suiteStore(folder));
  const live = await EditedSite.make(join(folder, 'live'), LIVE, new Random(seed));
  const stage = await live.copyTo(join(folder, 'stage'), STAGE, new Random(seed + 1));
  const keeperOf = (name: string, site: EditedSite) => {
    const source = new SqliteSource(site.database);
    const archiver = new Archiver({ repository: repository.site('ada', name), folder: site.folder, tables: source });
    return { source, cut: () => archiver.snapshot() };
  };
  const [liveKeeper, stageKeeper] = [keeperOf('live', live), keeperOf('stage', stage)];
  const apply = async (
    options: Partial<MergeOptions>,
    bases: { ours: Snapshot; theirs: Snapshot },
    faults?: Random,
  ) => {
    const [own, other] = [await liveKeeper.cut(), await stageKeeper.cut()];
    const site = repository.site('ada', 'live');
    const states = {
      ours: { base: bases.ours, now: own.snapshot },
      theirs: { base: bases.theirs, now: other.snapshot },
    };
    const plan = await planMerge(site, states, { ...OPTIONS, ...options });
    const target = new SqliteTarget(live.database);
    const tables = { source: liveKeeper.source, target, version: own.tablesVersion };
    const faulty = new FaultyOperations();
    const staging = join(folder, 'staging');
    const targets = { repository: site, folder: live.folder, staging, tables, operations: faulty.operations };
    const before = stateOf(live);
    if (faults) faulty.arm(faults.below(40), faults.pick(FAULTS));
    const isDone = await restore(plan, targets).then(
      () => true,
      (error: unknown) => {
        if (!faults) throw error;
        return false;
      },
    );
    faulty.revive();
    if (!isDone) await recover(targets);
    // What ended before the journal has changed nothing, and the plan still holds.
    if (!isDone && isDeepStrictEqual(stateOf(live), before)) await restore(plan, targets);
    await target.close();
    return plan;
  };
  const cutBoth = async () => ({ ours: (await liveKeeper.cut()).snapshot, theirs: (await stageKeeper.cut()).snapshot });
  return { repository, live, stage, apply, cutBoth };
}

const stateOf = (site: EditedSite) => ({ tables: site.tables(), files: site.files() });

test(`nothing of either side is lost in ${HISTORIES} histories of ${COMMITS} merges (seed ${SEED})`, async (t) => {
  const seen = { conflicts: 0, rows: 0 };
  for (let history = 0; history < HISTORIES; history++) {
    const random = new Random(SEED + 10_000 * history);
    const { repository, live, stage, apply, cutBoth } = await makeSides(t, SEED + 1000 * history);
    for (let commit = 0; commit < COMMITS; commit++) {
      const bases = await cutBoth();
      const before = stateOf(stage);
      live.live(random.below(25));
      stage.live(random.below(25));
      const side = random.pick(['ours', 'theirs'] as const);
      const expected = expectedMerge(before, stateOf(stage), stateOf(live), side);
      const { comparison } = await apply({ conflictsTo: side }, bases, random);
      const where = `history ${history}, merge ${commit}, to ${side}`;
      const found = stateOf(live);
      assert.deepEqual(named(found.tables), expected.tables, where);
      assert.deepEqual(unnamed(found.tables), expected.unnamed, where);
      assert.deepEqual(found.files, expected.files, where);
      const told = comparison.tables.flatMap(({ name, rows }) =>
        rows.filter((row) => row.side === 'both').map(() => name),
      );
      const files = comparison.files.filter((file) => file.side === 'both').map(({ path }) => `file ${path}`);
      const tablesOf = expected.conflicts.filter((each) => !each.startsWith('file ')).map((each) => each.split(' ')[0]);
      assert.deepEqual(
        [...told, ...files].sort(),
        [...tablesOf, ...expected.conflicts.filter((each) => each.startsWith('file '))].sort(),
        where,
      );
      seen.conflicts += expected.conflicts.length;
      seen.rows += comparison.tables.reduce((sum, { rows }) => sum + rows.length, 0);
      await stage.spreadNumbers(live);
    }
    assert.deepEqual((await check(repository)).faults, []);
  }
  assert.ok(seen.conflicts > HISTORIES && seen.rows > 20 * HISTORIES, JSON.stringify(seen));
});

suite('a table', () => {
  const ordersOf = (site: EditedSite) => site.query((db) => db.prepare('SELECT * FROM wp_wc_orders ORDER BY id').all());
  const tablesOf = (site: EditedSite) => Object.keys(site.tables());
  const problemsOf = ({ comparison }: MergePlan) =>
    comparison.tables.filter(({ problem }) => problem).map(({ name, problem }) => [name, problem]);

  test('that only the copy has comes, with its addresses moved, and one that it dropped goes', async (t) => {
    const { live, stage, apply, cutBoth } = await makeSides(t, SEED);
    const bases = await cutBoth();
    stage.query((db) => {
      db.exec('CREATE TABLE wp_new (id integer primary key autoincrement, link text); DROP TABLE wp_lookup');
      for (let id = 0; id < 500; id++) db.prepare('INSERT INTO wp_new (link) VALUES (?)').run(`${STAGE}/${id}`);
    });
    await apply({}, bases);
    assert.ok(tablesOf(live).includes('wp_new') && !tablesOf(live).includes('wp_lookup'));
    const [last] = live.query((db) => db.prepare('SELECT count(*) AS rows, max(link) AS link FROM wp_new').all());
    assert.deepEqual({ ...last }, { rows: 500, link: `${LIVE}/99` });
  });

  test('that the copy made anew has the rows of both, also those that live added in the old shape', async (t) => {
    const { live, stage, apply, cutBoth } = await makeSides(t, SEED);
    const bases = await cutBoth();
    const before = ordersOf(live).length;
    stage.query((db) => {
      db.exec("ALTER TABLE wp_wc_orders ADD COLUMN currency text not null default 'EUR'");
      db.exec("INSERT INTO wp_wc_orders (status, currency) VALUES ('by the stage', 'USD')");
    });
    live.query((db) => db.exec("INSERT INTO wp_wc_orders (status) VALUES ('by live')"));
    await apply({}, bases);
    const orders = ordersOf(live).slice(before);
    assert.deepEqual(
      orders.map(({ status, currency }) => [status, currency]),
      [
        ['by live', 'EUR'],
        ['by the stage', 'USD'],
      ],
    );
  });

  test('that live made anew takes the rows of the copy', async (t) => {
    const { live, stage, apply, cutBoth } = await makeSides(t, SEED);
    const bases = await cutBoth();
    live.query((db) => db.exec("ALTER TABLE wp_wc_orders ADD COLUMN currency text not null default 'EUR'"));
    stage.query((db) => db.exec("INSERT INTO wp_wc_orders (status) VALUES ('by the stage')"));
    await apply({}, bases);
    const { status, currency } = ordersOf(live).at(-1) ?? {};
    assert.deepEqual([status, currency], ['by the stage', 'EUR']);
  });

  test('that can not be merged is told, and stays until somebody says whose it is', async (t) => {
    const { live, stage, apply, cutBoth } = await makeSides(t, SEED);
    live.query((db) => db.exec('CREATE TABLE wp_odd (rowid, oid, _rowid_, a)'));
    stage.query((db) => db.exec('CREATE TABLE wp_odd (rowid, oid, _rowid_, a)'));
    const bases = await cutBoth();
    stage.query((db) => {
      db.exec('DROP TABLE wp_lookup; ALTER TABLE wp_wc_orders ADD COLUMN mine text');
      db.exec("INSERT INTO wp_odd VALUES (1, 2, 3, 'stage')");
    });
    live.query((db) => {
      db.exec("INSERT INTO wp_lookup (sku) VALUES ('new'); ALTER TABLE wp_wc_orders ADD COLUMN yours text");
      db.exec("INSERT INTO wp_odd VALUES (1, 2, 3, 'live')");
    });
    const before = live.tables();
    const plan = await apply({}, bases);
    assert.deepEqual(problemsOf(plan).sort(), [
      ['wp_lookup', 'gone'],
      ['wp_odd', 'keyless'],
      ['wp_wc_orders', 'made'],
    ]);
    assert.deepEqual(live.tables(), before);
    await apply({ takeTables: ['wp_lookup', 'wp_odd', 'wp_wc_orders'] }, bases);
    assert.ok(!tablesOf(live).includes('wp_lookup'));
    assert.deepEqual(live.tables().wp_wc_orders, stage.tables().wp_wc_orders);
    assert.deepEqual(live.tables().wp_odd, stage.tables().wp_odd);
  });
});

suite('what one side removed', () => {
  test('takes nothing with it that the other one has added to it since', async (t) => {
    const { live, stage, apply, cutBoth } = await makeSides(t, SEED);
    const bases = await cutBoth();
    rmSync(join(stage.folder, 'plugins/shop'), { recursive: true });
    live.write('plugins/shop/added.php', '<?php // by live');
    const { comparison } = await apply({}, bases);
    const { 'plugins/shop/added.php': added, 'plugins/shop/shop.php': removed } = live.files();
    assert.deepEqual([added, removed], ['<?php // by live', undefined]);
    assert.deepEqual(
      comparison.files.map(({ path, side }) => [path, side]),
      [
        ['plugins/shop/added.php', 'ours'],
        ['plugins/shop/shop.php', 'theirs'],
      ],
    );
  });

  test('of the columns of a table is told where the other one has written to them', async (t) => {
    const { live, stage, apply, cutBoth } = await makeSides(t, SEED);
    const bases = await cutBoth();
    stage.query((db) => db.exec('ALTER TABLE wp_wc_orders DROP COLUMN total'));
    live.query((db) => db.exec("INSERT INTO wp_wc_orders (status, total) VALUES ('by live', 77)"));
    const { comparison } = await apply({}, bases);
    assert.equal(comparison.tables.find(({ name }) => name === 'wp_wc_orders')?.problem, 'made');
    assert.equal(live.tables().wp_wc_orders?.at(-1)?.total, 77);
  });
});

test('what describes a table goes with it, whoever it is taken from', async (t) => {
  const { live, stage, apply, cutBoth } = await makeSides(t, SEED);
  for (const site of [live, stage])
    site.query((db) => {
      db.exec('CREATE TABLE _wp_columns (TABLE_NAME text, COLUMN_NAME text, PRIMARY KEY (TABLE_NAME, COLUMN_NAME))');
      db.exec("INSERT INTO _wp_columns VALUES ('wp_lookup', 'sku'), ('wp_wc_orders', 'total')");
    });
  const bases = await cutBoth();
  const addColumn = (site: EditedSite, table: string, column: string) =>
    site.query((db) =>
      db.exec(`ALTER TABLE ${table} ADD COLUMN ${column}; INSERT INTO _wp_columns VALUES ('${table}', '${column}')`),
    );
  for (const table of ['wp_lookup', 'wp_wc_orders']) {
    addColumn(live, table, 'ours text');
    addColumn(stage, table, 'theirs text');
  }
  await apply({ keepTables: ['wp_lookup'], takeTables: ['wp_wc_orders'] }, bases);
  const described = live.query((db) => db.prepare('SELECT * FROM _wp_columns ORDER BY 1, 2').all());
  assert.deepEqual(
    described.map(({ TABLE_NAME, COLUMN_NAME }) => `${TABLE_NAME}.${COLUMN_NAME}`),
    ['wp_lookup.ours text', 'wp_lookup.sku', 'wp_wc_orders.theirs text', 'wp_wc_orders.total'],
  );
});

test('live gives no number that a row of its copy has which did not come', async (t) => {
  const { live, stage, apply, cutBoth } = await makeSides(t, SEED);
  const bases = await cutBoth();
  const add = (site: EditedSite, sku: string) =>
    site.query((db) => db.prepare('INSERT INTO wp_lookup (sku) VALUES (?) RETURNING id').get(sku)?.id);
  add(live, 'same');
  add(stage, 'first');
  const blocked = add(stage, 'SAME');
  await apply({ conflictsTo: 'ours' }, bases);
  assert.notEqual(add(live, 'next'), blocked);
});

test('a row that another one is in the way of is told as changed in both', async (t) => {
  const { live, stage, apply, cutBoth } = await makeSides(t, SEED);
  const bases = await cutBoth();
  live.query((db) => db.exec("INSERT INTO wp_lookup (sku, stock) VALUES ('same', 1)"));
  stage.query((db) => db.exec("INSERT INTO wp_lookup (sku, stock) VALUES ('SAME', 2)"));
  const { comparison } = await apply({}, bases);
  const rows = comparison.tables.find(({ name }) => name === 'wp_lookup')?.rows ?? [];
  assert.deepEqual(
    rows.map(({ side, now }) => [side, now !== undefined]),
    [['both', true]],
  );
});

test('live becomes what its copy is where that is wished, but for what each has of its own', async (t) => {
  const { live, stage, apply, cutBoth } = await makeSides(t, SEED);
  const bases = await cutBoth();
  live.live(40);
  stage.live(40);
  live.query((db) => db.exec("REPLACE INTO wp_options (option_name, option_value) VALUES ('cron', 'live')"));
  await apply({ isReplaced: true }, bases);
  const [own, other] = [stateOf(live), stateOf(stage)];
  const isShared = ([name]: [string, unknown]) => !/transient|^cron$/.test(name);
  const without = ({ wp_options, wp_usermeta, ...rest }: ReturnType<typeof named>) => ({
    ...rest,
    wp_options: Object.fromEntries(Object.entries(wp_options ?? {}).filter(isShared)),
    wp_usermeta: Object.values(wp_usermeta ?? {}).filter(({ meta_key }) => meta_key !== 'session_tokens'),
  });
  assert.deepEqual(without(named(own.tables)), without(named(other.tables)));
  assert.deepEqual(unnamed(own.tables), unnamed(other.tables));
  assert.deepEqual(own.files, other.files);
  assert.equal(named(own.tables).wp_options?.cron?.option_value, 'live');
});

test('what a comparison is called changes with whatever either side changes, and with nothing else', async (t) => {
  const { live, stage, apply, cutBoth } = await makeSides(t, SEED);
  const bases = await cutBoth();
  stage.query((db) => db.exec("UPDATE wp_options SET option_value = 'x' WHERE option_name = 'blogname'"));
  const idNow = async (choice: Partial<MergeOptions> = {}) =>
    idOfComparison((await apply({ keepTables: ['wp_options'], ...choice }, bases)).comparison);
  const first = await idNow();
  assert.equal(await idNow({ takeTables: ['wp_posts'], keepFiles: ['uploads'], conflictsTo: 'ours' }), first);
  live.query((db) => db.exec("REPLACE INTO wp_options (option_name, option_value) VALUES ('_transient_x', 'y')"));
  assert.equal(await idNow(), first);
  live.query((db) => db.exec("UPDATE wp_posts SET post_title = 'z' WHERE ID = (SELECT min(ID) FROM wp_posts)"));
  assert.notEqual(await idNow(), first);
});
