import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createLog } from '#core/log.ts';
import { Pressure } from '#runtimes/turns/pressure.ts';
import { movableClock } from '#testkit/movable-clock.ts';
import { MakingRoom } from './making-room.ts';

/** A machine that is full of sites, each at a request that does not end; it tells whom it asked to go. */
function fullMachine(context: TestContext, names: string[]) {
  const clock = movableClock(context);
  const told: string[] = [];
  const never = new Promise<void>(() => {});
  const log = createLog('silent');
  const sites = names.map((id) => ({
    id,
    team: id,
    since: performance.now(),
    startingSince: performance.now() as number | undefined,
    site: {
      isServing: true,
      isIdle: false,
      extraCount: 0,
      yield: () => {
        told.push(id);
        return never;
      },
    },
  }));
  const largestGrown = { kill: () => told.push('largest'), closed: never };
  const workers = { room: 0, isClosed: false, held: new Map(), usedBytes: 2, budgetBytes: 1, largestGrown };
  const nothing = { count: 0, drop: () => undefined };
  const pressure = new Pressure(log);
  // Somebody has waited too long.
  pressure.look({ waiting: 1, longestMs: 60_000, usedBytes: 2, budgetBytes: 1 }, performance.now());
  const options = {
    workers,
    standby: nothing,
    runners: nothing,
    pressure,
    sites: () => sites,
    commands: () => [],
    log,
  };
  const room = new MakingRoom(options as never);
  const ask = () => room.giveWay({ key: 'x', team: 'x', since: 0, isWanted: () => true }, 100);
  return { clock, told, room, sites, ask };
}

test('no turn ends before the first answer, and what is slow to leave holds up nobody', (context) => {
  const { clock, told, room, sites, ask } = fullMachine(context, ['starting', 'one', 'two', 'three', 'four']);
  const [, ...others] = sites;
  clock.tick(12_000);
  for (const known of others) room.answered(known as never);
  // They started slowly, so that their turns are longer than a start usually is.
  clock.tick(5_500);
  assert.equal(ask(), undefined);
  clock.tick(10_000);
  while (ask());
  const atOnce = told.length;
  assert.ok(atOnce > 0 && atOnce <= others.length);
  clock.tick(2_500);
  while (ask());
  assert.equal(told.length, Math.min(2 * atOnce, others.length));
  assert.ok(!told.includes('starting'));
});

test('nothing is ended for want of memory while something leaves already', (context) => {
  const { clock, told, room, sites, ask } = fullMachine(context, ['one']);
  for (const known of sites) room.answered(known as never);
  clock.tick(60_000);
  assert.ok(ask());
  room.keepWithinBudget();
  assert.deepEqual(told, ['one']);
  // It is at a long request, and the memory is needed.
  clock.tick(2_500);
  room.keepWithinBudget();
  room.keepWithinBudget();
  assert.deepEqual(told, ['one', 'largest']);
});
