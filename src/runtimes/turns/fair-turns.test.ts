import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '#core/log.ts';
import { eventually } from '#testkit/expect.ts';
import { pause } from '#testkit/pause.ts';
import { mayBePutToSleep, nextInTurn, turnMs, whoIsEnded } from './fair-turns.ts';
import { Leaving } from './leaving.ts';
import { Places } from './places.ts';
import { Pressure } from './pressure.ts';

const MB = 1024 * 1024;
const now = 100_000;
const held = new Map(Object.entries({ large: 1_200 * MB, one: 400 * MB, two: 420 * MB }));

test('a site serves for a while before it makes way, and for no longer than others can wait', () => {
  const turn = turnMs(5, 7, 3_000);
  assert.ok(turn > 3_000 && turn < 25_000);
  assert.ok(turnMs(5, 100, 3_000) >= 3_000, 'not less than what a start takes');
  const site = { team: 'one', since: now - turn + 1_000 };
  assert.equal(nextInTurn({ team: 'new', since: now }, [site], held, turn, now), undefined);
  assert.equal(nextInTurn({ team: 'new', since: now }, [site], held, turn, now + 2_000), site);
  // Between two pages of one visitor a site has nothing to do; that is no reason to put it to sleep.
  assert.equal(mayBePutToSleep({ lastUsedAt: now - 50, since: now - 2_000 }, turn, now), false);
  assert.equal(mayBePutToSleep({ lastUsedAt: now - 2_000, since: now - 3_000 }, turn, now), true);
});

test('of those whose turn is over, the team with most goes first, and none that has less than whoever asks', () => {
  const turns = ['one', 'large', 'two'].map((team) => ({ team, since: 0 }));
  assert.equal(nextInTurn({ team: 'new', since: 0 }, turns, held, 1_000, now)?.team, 'large');
  assert.equal(nextInTurn({ team: 'large', since: 0 }, turns, held, 1_000, now)?.team, 'large');
});

test('what takes long is ended for whoever has less and has waited, the longest of the team with most', () => {
  const busy = [
    { team: 'large', spentMs: 9_000, isRead: true },
    { team: 'large', spentMs: 12_000, isRead: true },
    { team: 'one', spentMs: 55_000, isRead: true },
  ];
  assert.equal(whoIsEnded({ team: 'new', since: now - 1_000 }, busy, held, now), undefined, 'a little patience');
  assert.equal(whoIsEnded({ team: 'new', since: now - 5_000 }, busy, held, now), busy[1]);
  assert.equal(whoIsEnded({ team: 'large', since: 0 }, busy, held, now), undefined, 'nothing of those who have less');
  const ends = (asking: string, team: string, spentMs: number, isRead = true) =>
    whoIsEnded({ team: asking, since: 0 }, [{ team, spentMs, isRead }], held, now) !== undefined;
  // Who has nothing and waits for a process would have as much as somebody with one.
  assert.equal(ends('new', 'one', 14_000), false);
  assert.equal(ends('new', 'one', 16_000), true);
  assert.equal(ends('two', 'one', 60_000), false, 'they would have twice as much');
  assert.equal(ends('new', 'large', 14_000, false), false, 'what changes something has longer');
  assert.equal(ends('new', 'large', 16_000, false), true);
  assert.equal(ends('one', 'one', 60_000), false);
});

test('whoever waited longest is next, also when they were turned away before', async () => {
  const ground = {
    places: 0,
    leaving: new Leaving(),
    startMs: 0,
    hasPlace: () => ground.places > 0,
    giveWay: () => undefined,
    endBusy: () => undefined,
  };
  const places = new Places(ground, new Pressure(createLog('silent')));
  const served: string[] = [];
  const claim = (key: string, isWanted = () => true) =>
    places.take({ key, team: key, isWanted }, async () => {
      ground.places--;
      served.push(key);
    });
  let isWanted = true;
  const left = claim('left', () => isWanted);
  const turnedAway = claim('turned away');
  await pause(5);
  isWanted = false;
  // A start would take so long now that whoever waits could not be answered in time.
  ground.startMs = 30_000;
  await Promise.all([assert.rejects(left), assert.rejects(turnedAway)]);
  ground.startMs = 0;
  const second = claim('second');
  // A timer may be a little early.
  await pause(10);
  const others = [claim('left'), claim('turned away')];
  assert.ok(places.longestMs(performance.now()) >= 5);
  for (const count of [1, 2, 3]) {
    ground.places = 1;
    places.look();
    await eventually(async () => served.length === count);
  }
  await Promise.all([second, ...others]);
  assert.deepEqual(served, ['turned away', 'second', 'left']);
  places.close();
});
