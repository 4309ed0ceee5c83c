import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MariadbDatabases } from '#runtimes/mariadb/mariadb-databases.ts';
import { testMariadb, withoutMariadb } from '#testkit/drivers/mariadb.ts';
import { Random, SEED } from '#testkit/random.ts';
import { RandomTables } from '#testkit/snapshots/random-tables.ts';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import { truthOfFolder } from '#testkit/snapshots/truth.ts';
import { Archiver } from '../../archive/archiver.ts';
import { check } from '../../maintenance/checker.ts';
import { Repository } from '../../repository.ts';
import { recover } from '../../restore/recover.ts';
import { restoreInto } from '../../restore/restore-into.ts';
import { planRestore, restore } from '../../restore/restorer.ts';
import { DiskStore } from '../../stores/disk.ts';
import { MariadbDatabase } from './mariadb-database.ts';

/** `INSTANTS=1000` for the long form. */
const INSTANTS = Number(process.env.INSTANTS ?? 20);
/** `KILLS=50` for the long form. */
const KILLS = Number(process.env.KILLS ?? 4);
const PROGRAM = join(import.meta.dirname, '../../../../testkit/snapshots/mariadb-restore-process.ts');
const MINUTES = Math.max(20, INSTANTS / 5);

describe('time machine on MariaDB', { skip: withoutMariadb }, () => {
  let databases: MariadbDatabases;
  before(async () => {
    databases = await MariadbDatabases.open({ access: await testMariadb(), secret: 'time machine' });
  });
  after(() => databases?.close());

  /** A site with nothing in it, and everything to take it back. */
  async function makeSite(t: { after(work: () => unknown): void }, folder: string) {
    const id = randomUUID();
    await databases.create(id);
    const description = databases.describe(id);
    const database = new MariadbDatabase(description);
    const source = database.source(() => true);
    const tables = new RandomTables(description, new Random(SEED));
    t.after(async () => {
      await tables.close();
      await databases.drop(id);
    });
    const store = new DiskStore(join(folder, 'store'));
    const repository = new Repository(store).site('ada', id);
    return { id, description, database, source, tables, store, repository };
  }

  it(`${INSTANTS} random instants come back byte by byte and row by row, and undo brings back the state before (seed ${SEED})`, async (t) => {
    const folder = scratchFolder(t);
    const random = new Random(SEED);
    const { id, description, database, source, tables, store, repository } = await makeSite(t, folder);
    // Another one on the same server, whose changes are nobody else's.
    const other = await makeSite(t, join(folder, 'other'));
    await other.tables.make();
    await tables.make();
    const content = join(folder, 'content');
    mkdirSync(content);
    writeFileSync(join(content, 'first'), 'x');
    const clock = { ms: Date.parse('2026-11-15T00:00:00Z') };
    const stateFile = join(folder, 'state');
    const options = { repository, folder: content, tables: source, now: () => clock.ms, stateFile };
    let archiver = new Archiver(options);
    const truth = async () => ({ files: truthOfFolder(content), tables: await tables.truth() });
    const past: { timeMs: number; truth: Awaited<ReturnType<typeof truth>> }[] = [];
    const minute = async () => {
      await tables.minute();
      await other.tables.change(3);
      writeFileSync(join(content, `file${random.below(5)}`), random.text(random.below(300)));
    };
    for (let each = 0; each < MINUTES; each++) {
      await minute();
      const expected = await truth();
      const { snapshot } = await archiver.snapshot();
      assert.equal(snapshot.isConsistent, true);
      past.push({ timeMs: clock.ms, truth: expected });
      clock.ms += 60_000;
      if (random.below(6) > 0) continue;
      // At times the service starts anew, with what it has written down or without.
      if (random.below(2) === 0) await archiver.remember();
      archiver = new Archiver({ ...options, tables: database.source(() => true) });
    }
    const now = database.source(() => true);
    archiver = new Archiver({ ...options, tables: now });
    const restoreTo = async (timeMs: number) => {
      const taken = await archiver.snapshot();
      clock.ms += 60_000;
      const found = await repository.snapshotAt(timeMs);
      assert.ok(found);
      const plan = await planRestore(repository, taken.snapshot, await repository.readSnapshot(found), {
        deleteExtraFiles: true,
      });
      // What others do meanwhile is no reason to break off.
      await other.tables.change(2);
      const target = await database.openTarget();
      try {
        await restore(plan, {
          repository,
          folder: content,
          staging: join(folder, 'staging'),
          tables: { target, source: now, version: taken.tablesVersion },
        });
      } finally {
        await target.close();
      }
      return taken.id.timeMs;
    };
    for (let instant = 0; instant < INSTANTS; instant++) {
      const { timeMs, truth: expected } = random.pick(past);
      if (random.below(2) === 0) await minute();
      const before = await truth();
      const undoPoint = await restoreTo(timeMs + random.below(59_999));
      assert.deepEqual(await truth(), expected, `minute ${timeMs}`);
      if (random.below(3) === 0) {
        await restoreTo(undoPoint);
        assert.deepEqual(await truth(), before, 'undo');
      }
      if (random.below(5) === 0) {
        const copy = { ...description, name: `${description.name}_copy` };
        const target = await new MariadbDatabase(copy).openTarget();
        const found = await repository.snapshotAt(timeMs);
        assert.ok(found);
        await restoreInto(repository, await repository.readSnapshot(found), { tables: target });
        await target.close();
        const copied = new RandomTables(copy, random);
        assert.deepEqual(await copied.truth(), expected.tables);
        await copied.close();
        await new MariadbDatabase(copy).remove();
      }
    }
    assert.deepEqual((await check(new Repository(store))).faults, []);
    assert.ok((await databases.list()).includes(id));
  });

  it(`${KILLS} real kills in the middle of a restore leave, once recovered, all of the old state or all of the new one`, async (t) => {
    const folder = scratchFolder(t);
    const random = new Random(SEED);
    const { id, description, database, source, tables, repository } = await makeSite(t, folder);
    await tables.make();
    const content = join(folder, 'content');
    mkdirSync(content);
    const archiver = new Archiver({ repository, folder: content, tables: source });
    const truth = async () => ({ files: truthOfFolder(content), tables: await tables.truth() });
    const points: { hash: string; truth: Awaited<ReturnType<typeof truth>> }[] = [];
    for (let point = 0; point < 4; point++) {
      for (let more = 0; more < 4; more++) await tables.minute();
      writeFileSync(join(content, `file${point}`), random.text(300));
      const expected = await truth();
      points.push({ hash: (await archiver.snapshot()).id.hash, truth: expected });
    }
    for (let kill = 0; kill < KILLS; kill++) {
      const before = await truth();
      const point = random.pick(points);
      const told = JSON.stringify({ folder, hash: point.hash, site: id, description });
      const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PROGRAM, told], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      // Listened for from the start: a small restore may be over before the kill.
      const exited = once(child, 'exit');
      await once(child.stdout, 'data');
      await sleep(random.below(400));
      child.kill('SIGKILL');
      await exited;
      const target = await database.openTarget();
      await recover({ repository, folder: content, staging: join(folder, 'staging'), tables: { source, target } });
      await target.close();
      const found = await truth();
      const isOld = JSON.stringify(found) === JSON.stringify(before);
      if (!isOld) assert.deepEqual(found, point.truth, `kill ${kill}`);
      await tables.minute();
    }
  });
});
