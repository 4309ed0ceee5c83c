import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '#core/log.ts';
import { eventually } from '../../../test/expect.ts';
import { mayBePutToSleep, nextInTurn, turnMs, whoIsEnded } from './fair-turns.ts';
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
    { team: 'large', spentMs: 9_000 },
    { team: 'large', spentMs: 12_000 },
    { team: 'one', spentMs: 55_000 },
  ];
  assert.equal(whoIsEnded({ team: 'new', since: now - 1_000 }, busy, held, now), undefined, 'a little patience');
  assert.equal(whoIsEnded({ team: 'new', since: now - 5_000 }, busy, held, now), busy[1]);
  assert.equal(whoIsEnded({ team: 'large', since: 0 }, busy, held, now), undefined, 'nothing of those who have less');
  const equals = [{ team: 'one', spentMs: 10_000 }];
  assert.equal(whoIsEnded({ team: 'two', since: 0 }, equals, held, now), undefined);
  assert.ok(whoIsEnded({ team: 'two', since: 0 }, [{ team: 'one', spentMs: 16_000 }], held, now));
  assert.equal(whoIsEnded({ team: 'one', since: 0 }, [{ team: 'one', spentMs: 60_000 }], held, now), undefined);
});

test('whoever waited longest is next, also when they were turned away before', async () => {
  const ground = { places: 0, hasPlace: () => ground.places > 0, giveWay: () => undefined, endBusy: () => undefined };
  const places = new Places(ground, new Pressure(createLog('silent')));
  const served: string[] = [];
  const claim = (key: string, isWanted = () => true) =>
    places.take({ key, team: key, isWanted }, async () => {
      ground.places--;
      served.push(key);
    });
  let isWanted = true;
  const gone = claim('first', () => isWanted);
  await new Promise((later) => setTimeout(later, 5));
  const second = claim('second');
  // Its visitors leave, and come again.
  isWanted = false;
  await assert.rejects(gone);
  const first = claim('first');
  ground.places = 1;
  places.look();
  await eventually(async () => served.length === 1);
  ground.places = 1;
  places.look();
  await Promise.all([first, second]);
  assert.deepEqual(served, ['first', 'second']);
  places.close();
});
