import assert from 'node:assert/strict';
import { test } from 'node:test';
import { movableClock } from '#testkit/movable-clock.ts';
import { Random, SEED } from '#testkit/random.ts';
import { MaxHeap } from './max-heap.ts';
import { type Kept, MemoryBudget } from './memory-budget.ts';

const LIMIT_BYTES = 1_000;

/** A budget, and the names of what it stores at the moment. */
function openBudget() {
  const budget = new MemoryBudget(LIMIT_BYTES);
  const stored = new Map<string, Kept>();
  const add = (name: string, sizeBytes = 10): Kept => {
    const item = { sizeBytes, used: false, forget: () => void stored.delete(name) };
    stored.set(name, item);
    budget.add(item, name.split(' ')[0] as string);
    return item;
  };
  const count = (owner: string) => [...stored.keys()].filter((name) => name.startsWith(`${owner} `)).length;
  return { budget, stored, add, count };
}

test('one owner uses all of the memory while no other needs it', () => {
  const { budget, add, count } = openBudget();
  for (let index = 0; index < 500; index++) add(`large ${index}`);
  assert.deepEqual([count('large'), budget.sizeBytes], [100, LIMIT_BYTES]);
});

test('the largest owner evicts its own items, never those of a smaller owner', () => {
  const { budget, add, count } = openBudget();
  for (let index = 0; index < 5; index++) add(`first ${index}`);
  for (let index = 0; index < 500; index++) add(`large ${index}`);
  for (let index = 0; index < 20; index++) add(`last ${index}`);
  for (let index = 500; index < 1_000; index++) add(`large ${index}`);
  assert.deepEqual([count('first'), count('last'), count('large')], [5, 20, 75]);
  for (let index = 0; index < 500; index++) add(`equal ${index}`);
  assert.deepEqual([count('first'), count('last'), budget.sizeBytes], [5, 20, LIMIT_BYTES]);
  assert.ok(Math.abs(count('large') - count('equal')) <= 1, 'the two largest share the rest');
});

test('growth of an item counts for its owner; removed and evicted items no longer count', () => {
  const { budget, stored, add } = openBudget();
  const grown = add('growing 0', 100);
  add('growing 1', 100);
  add('other 0', 500);
  budget.grow(grown, 700);
  assert.deepEqual([...stored.keys()], ['growing 1', 'other 0']);
  budget.grow(grown, 700);
  budget.remove(grown);
  assert.equal(budget.sizeBytes, 600);
  for (const item of stored.values()) budget.remove(item);
  assert.equal(budget.sizeBytes, 0);
});

test('the oldest item of an owner is evicted first, unless it was used since', () => {
  const { stored, add } = openBudget();
  const used = add('site 0');
  for (let index = 1; index < 100; index++) add(`site ${index}`);
  used.used = true;
  add('site 100');
  assert.deepEqual([stored.has('site 0'), stored.has('site 1'), stored.has('site 2')], [true, false, true]);
  for (let index = 101; index < 300; index++) add(`site ${index}`);
  assert.equal(stored.has('site 0'), false, 'it was used once');
});

test('items unused for an hour are evicted first, regardless of their owner', (t) => {
  const clock = movableClock(t);
  const { add, count } = openBudget();
  const used = add('used 0');
  for (let index = 0; index < 5; index++) add(`unused ${index}`);
  clock.tick(61 * 60_000);
  for (let index = 0; index < 94; index++) add(`large ${index}`);
  assert.equal(count('unused'), 5, 'there is memory for all');
  used.used = true;
  for (let index = 94; index < 99; index++) add(`large ${index}`);
  assert.deepEqual([count('used'), count('unused'), count('large')], [1, 0, 99]);
  add('large 99');
  assert.deepEqual([count('used'), count('large')], [1, 99]);
});

test('the largest of many items is at the top, however their sizes change', () => {
  const random = new Random(SEED);
  const heap = new MaxHeap<{ sizeBytes: number }>();
  const items = Array.from({ length: 50 }, () => ({ sizeBytes: 0 }));
  const placed = new Set<{ sizeBytes: number }>();
  for (let step = 0; step < 5_000; step++) {
    const item = items[random.below(items.length)] as { sizeBytes: number };
    if (random.below(10) < 3) {
      heap.delete(item);
      placed.delete(item);
    } else {
      item.sizeBytes = random.below(100);
      heap.place(item);
      placed.add(item);
    }
    const largest = Math.max(...[...placed].map(({ sizeBytes }) => sizeBytes));
    assert.equal(heap.max()?.sizeBytes ?? -Infinity, largest);
  }
});
