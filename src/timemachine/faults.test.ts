import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FULL, type Random, SEED } from '#testkit/random.ts';
import { FAULTS, type Fault } from '#testkit/snapshots/faulty-operations.ts';
import { HOUR_MS, MINUTE_MS, World } from '#testkit/snapshots/faulty-world.ts';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import { failedBy } from './failure.ts';
import { check } from './maintenance/checker.ts';
import { prune } from './maintenance/pruner.ts';
import { recover } from './restore/recover.ts';
import { planRestore, restore } from './restore/restorer.ts';

/** The same 20 in every whole run; FULL=1 for the long form. */
const COUNT = FULL ? 500 : 20;

const faultAt = (random: Random, index: number): [number, Fault] => [
  random.below(index % 3 === 0 ? 40 : 14),
  random.pick(FAULTS),
];

test(`${COUNT} faults in the middle of snapshots lose no finished snapshot and break nothing (seed ${SEED})`, async (t) => {
  const world = new World(scratchFolder(t), SEED);
  await world.snapshot();
  let missed = 0;
  for (let index = 0; index < COUNT; index++) {
    world.site.minute();
    const before = world.past.length;
    world.faulty.arm(...faultAt(world.random, index));
    await world.snapshot();
    if (world.past.length === before) missed++;
    if (index % 8 === 0) await world.assertNothingLost();
  }
  await world.snapshot();
  await world.assertNothingLost();
  assert.ok(missed > COUNT / 10, `only ${missed} snapshots failed`);
});

test(`${COUNT} faults in the middle of restores leave all of the old state or, once recovered, all of the new one (seed ${SEED})`, async (t) => {
  const world = new World(scratchFolder(t), SEED);
  for (let minute = 0; minute < 12; minute++) {
    world.site.minute();
    await world.snapshot();
  }
  const outcomes = { finished: 0, undone: 0, done: 0 };
  for (let index = 0; index < COUNT; index++) {
    world.site.minute();
    const before = world.truth();
    const point = world.random.pick(world.past);
    const staging = join(world.folder, 'staging');
    const done = await world.process(async ({ site, archiver, source, target }) => {
      world.nowMs += MINUTE_MS;
      const now = await archiver.snapshot();
      const plan = await planRestore(site, now.snapshot, await site.readSnapshot(point.id), { deleteExtraFiles: true });
      world.faulty.arm(world.random.below(index % 4 === 0 ? 400 : 40), world.random.pick(FAULTS));
      const tables = { target, source, version: now.tablesVersion };
      const { operations } = world.faulty;
      await restore(plan, { repository: site, folder: world.site.folder, staging, tables, operations });
      return 'done' as const;
    });
    // The one that recovers may die as well.
    world.faulty.arm(world.random.below(30), 'kill');
    const recoverOnce = () =>
      world.process(({ site, source, target }) => {
        const { operations } = world.faulty;
        return recover({
          repository: site,
          folder: world.site.folder,
          staging,
          tables: { source, target },
          operations,
        });
      });
    let outcome = await recoverOnce();
    world.faulty.revive();
    outcome ??= await recoverOnce();
    assert.ok(outcome);
    const after = world.truth();
    // One that went as far as removing its journal finds nothing to finish, and is told as undone.
    if (done || outcome === 'finished') assert.deepEqual(after, point.truth, `fault ${index}`);
    else assert.ok(isEqual(after, before) || isEqual(after, point.truth), `fault ${index}: neither old nor new`);
    outcomes[done ?? outcome]++;
  }
  assert.ok(outcomes.undone > 0 && outcomes.finished > 0 && outcomes.done > 0, JSON.stringify(outcomes));
});

test(`${COUNT} faults in the middle of prunes never remove what a snapshot needs (seed ${SEED})`, async (t) => {
  const world = new World(scratchFolder(t), SEED);
  world.nowMs = Date.now();
  const pruneNow = () =>
    world.process(({ repository }) =>
      prune(repository, { windowMs: () => HOUR_MS, nowMs: world.nowMs, graceMs: HOUR_MS / 2 }),
    );
  let died = 0;
  for (let index = 0; index < COUNT; index++) {
    world.site.minute();
    await world.snapshot();
    world.nowMs += 10 * MINUTE_MS;
    world.faulty.arm(...faultAt(world.random, index));
    const pruned = await pruneNow();
    if (!pruned || pruned.troubles.length > 0) died++;
    if (index % 5 === 0) await world.assertNothingLost(keptAt(world));
  }
  assert.ok(died > COUNT / 10, `only ${died} prunes died`);

  // Those that are let be finish what the dead ones began: one condemns, one deletes when the grace is over.
  world.nowMs += HOUR_MS;
  await pruneNow();
  world.nowMs += HOUR_MS;
  const last = await pruneNow();
  assert.ok(last && last.packsDeleted > 0, JSON.stringify(last));
  const kept = keptAt(world).map(({ id }) => id.hash);
  const found = await world.process(async ({ site }) => (await site.snapshots()).map(({ hash }) => hash));
  assert.deepEqual(found, kept);
  await world.assertNothingLost(keptAt(world));
});

/** What a prune leaves: the snapshots in the window, the one that stands for its start, and four hours of days' last ones. */
function keptAt({ past, nowMs }: World): World['past'] {
  const start = nowMs - HOUR_MS;
  const standsForStart = past.findLast(({ id }) => id.timeMs <= start);
  const dayOf = ({ id }: World['past'][0]) => new Date(id.timeMs).toISOString().slice(0, 10);
  return past.filter((each, index) => {
    const next = past[index + 1];
    const endsDay = next !== undefined && dayOf(next) !== dayOf(each);
    const { timeMs } = each.id;
    return timeMs > start || each === standsForStart || (endsDay && timeMs >= start - 4 * HOUR_MS);
  });
}

test(`prunes beside running snapshots remove nothing that these build on (seed ${SEED})`, async (t) => {
  const world = new World(scratchFolder(t), SEED);
  await world.process(async ({ repository, site, archiver }) => {
    for (let index = 0; index < COUNT; index++) {
      world.nowMs += MINUTE_MS;
      const truth = world.truth();
      // Each prune is an hour after the one before, so it deletes what that one condemned.
      const nowMs = Date.now() + index * HOUR_MS;
      const pruned = prune(repository, { windowMs: () => 1, nowMs, graceMs: HOUR_MS });
      const [result] = await Promise.all([archiver.snapshot(), pruned]);
      const newest = await site.snapshotAt();
      assert.equal(newest?.hash, result.id.hash);
      if (index % 4 === 0) assert.deepEqual(await world.copyOf(site, result.id), truth);
      // Content that comes back after a while was condemned or deleted meanwhile.
      if (index % 3 === 0) writeFileSync(join(world.site.folder, 'comes-and-goes'), `content ${index % 2}`);
      if (index % 3 === 1) rmSync(join(world.site.folder, 'comes-and-goes'), { force: true });
      if (index % 3 === 2) world.site.minute();
    }
    assert.deepEqual((await check(repository)).faults, []);
  });
});

test(`check finds every one of ${COUNT} corruptions, and no restore delivers a wrong byte (seed ${SEED})`, async (t) => {
  const world = new World(scratchFolder(t), SEED);
  for (let minute = 0; minute < 15; minute++) {
    await world.snapshot();
    world.site.minute();
  }
  const store = join(world.folder, 'store');
  const files = (readdirSync(store, { recursive: true }) as string[])
    .map((name) => join(store, name))
    .filter((path) => statSync(path).isFile() && statSync(path).size > 0);
  let refused = 0;
  for (let index = 0; index < COUNT; index++) {
    const path = world.random.pick(files);
    const sound = readFileSync(path);
    writeFileSync(path, corrupt(sound, world.random));
    await world.process(async ({ repository, site }) => {
      const { faults } = await check(repository);
      assert.notDeepEqual(faults, [], `corruption ${index} of ${path} was not found`);
      const some = world.random.pick(world.past);
      const copy = await world.copyOf(site, some.id).catch((error) => {
        assert.ok(failedBy(error, 'corrupt_object', 'short_object', 'missing_object'), error.stack);
        refused++;
      });
      if (copy) assert.deepEqual(copy, some.truth, `corruption ${index} of ${path} was delivered`);
    });
    writeFileSync(path, sound);
  }
  assert.ok(refused > 0);
  await world.assertNothingLost();
});

function corrupt(sound: Buffer, random: Random): Buffer {
  const bytes = Buffer.from(sound);
  const at = random.below(bytes.length);
  switch (random.below(4)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes, random.bytes(1 + random.below(20))]);
    case 2: {
      const length = Math.min(bytes.length - at, 1 + random.below(600));
      bytes.set(random.bytes(length), at);
      // Chance may have written what was there.
      if (bytes.equals(sound)) bytes[at] = (bytes[at] as number) ^ 1;
      return bytes;
    }
    default:
      bytes[at] = (bytes[at] as number) ^ (1 << random.below(8));
      return bytes;
  }
}

function isEqual(a: unknown, b: unknown): boolean {
  try {
    assert.deepEqual(a, b);
    return true;
  } catch {
    return false;
  }
}
