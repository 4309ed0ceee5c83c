import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { testStore } from '#testkit/contracts/store.contract.ts';
import { pause } from '#testkit/pause.ts';
import { MemoryS3 } from '#testkit/servers/memory-s3.ts';
import { QueuedStore } from './queued.ts';
import { S3Store } from './s3.ts';
import type { Store } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'queued-store-'));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Options {
  cacheBytes?: number;
  queueBytes?: number;
  owner?: string;
  at?: string;
}

async function makeStore(t: Parameters<typeof MemoryS3.start>[0], options: Options = {}) {
  const server = await MemoryS3.start(t);
  const at = options.at ?? mkdtempSync(join(folder, 'store-'));
  return { server, at, store: open(server, { ...options, at }) };
}

function open(server: MemoryS3, { at = mkdtempSync(join(folder, 'store-')), ...options }: Options = {}): QueuedStore {
  const queue = { cacheBytes: 1e6, queueBytes: 1e9, owner: 'us', ...options };
  const store = new QueuedStore(new S3Store(server.account), { folder: at, ...queue });
  after(() => store.close());
  return store;
}

testStore('with a queue that stands', async () => (await makeStore({ after })).store);

/** Everything is where it belongs before the next thing is done. */
class Prompt implements Store {
  readonly #store: QueuedStore;
  constructor(store: QueuedStore) {
    this.#store = store;
  }
  async put(...args: Parameters<Store['put']>) {
    await this.#store.put(...args);
    await this.#store.upload();
  }
  async delete(key: string) {
    await this.#store.delete(key);
    await this.#store.upload();
  }
  get = (...args: Parameters<Store['get']>) => this.#store.get(...args);
  list = (prefix: string) => this.#store.list(prefix);
  names = (prefix: string) => this.#store.names(prefix);
}

testStore('with a queue that is empty', async () => new Prompt((await makeStore({ after }, { cacheBytes: 0 })).store));

test('while the store is away puts, lists, reads and deletions go on, and everything arrives in its order', async (t) => {
  const { server, at, store } = await makeStore(t);
  await store.put('owners/a/packs/0', [Buffer.from('0')]);
  assert.equal((await store.upload()).objects, 0);
  await server.stop();
  for (const n of [1, 2, 3]) {
    await store.put(`owners/a/packs/${n}`, [Buffer.from(`${n}`)]);
    await store.put(`owners/a/sites/s/snapshots/day/${n}`, [Buffer.from(`s${n}`)]);
  }
  await store.delete('owners/a/packs/0');
  await store.delete('owners/a/packs/2');
  const state = await store.upload();
  assert.equal(state.objects, 7);
  assert.match(state.trouble ?? '', /can not be reached: ECONNREFUSED/);
  assert.ok(Date.now() - (state.oldestMs ?? 0) < 60_000);
  assert.deepEqual(await store.names('owners/a/packs'), ['1', '3']);
  assert.equal(`${await store.get('owners/a/packs/3')}`, '3');

  // Another process, after a kill, when the store is back.
  const next = open(server, { at });
  assert.equal(`${await next.get('owners/a/packs/3', { start: 0, length: 1 })}`, '3');
  await server.start();
  assert.deepEqual(await next.upload(), { objects: 0, bytes: 0, oldestMs: null, trouble: null });
  // The pack between the first two snapshots is gone, so these go side by side.
  const arrived = server.puts.slice(2);
  assert.deepEqual(
    [arrived[0], ...arrived.slice(1, 3).sort(), ...arrived.slice(3)],
    [1, 2, 3].flatMap((n) => (n === 2 ? [] : [`owners/a/packs/${n}`]).concat(`owners/a/sites/s/snapshots/day/${n}`)),
  );
  assert.deepEqual(
    [...server.objects.keys()].filter((key) => key.includes('packs')),
    ['owners/a/packs/1', 'owners/a/packs/3'],
  );
  assert.deepEqual(readdirSync(join(at, 'queue')), []);
});

test('what is throttled half-way is neither lost nor put before what came first', async (t) => {
  const { server, store } = await makeStore(t);
  await store.names('');
  for (let n = 0; n < 20; n++) await store.put(`owners/a/packs/${n}`, [Buffer.alloc(1000, n)]);
  await store.put('owners/a/sites/s/snapshots/day/1', [Buffer.from('s')]);
  server.trouble = { status: 503, code: 'SlowDown' };
  assert.match((await store.upload()).trouble ?? '', /503 SlowDown/);
  server.trouble = undefined;
  assert.equal((await store.upload()).trouble, null);
  assert.equal(server.puts.at(-1), 'owners/a/sites/s/snapshots/day/1');
  assert.equal(new Set(server.puts).size, server.objects.size);
});

test('no more waits on this disk than it may', async (t) => {
  const { server, store } = await makeStore(t, { queueBytes: 1000 });
  await store.put('a', [Buffer.alloc(900)]);
  await assert.rejects(store.put('b', [Buffer.alloc(200)]), {
    code: 'store_away',
    message: /queue of 1000 bytes is full/,
  });
  await store.upload();
  await store.put('b', [Buffer.alloc(200)]);
  assert.deepEqual([...server.objects.keys()], ['owner', 'a']);
});

test('packs that are hot are read from this disk, up to so many bytes, and a check reads what is far away', async (t) => {
  const { server, at, store } = await makeStore(t, { cacheBytes: 10_000 });
  for (const n of [1, 2, 3]) {
    await store.put(`shared/packs/${n}`, [Buffer.alloc(4_000, n)]);
    await store.upload();
    await pause(5);
  }
  const kept = readdirSync(join(at, 'cache'));
  assert.equal(kept.length, 2, 'those that were stored last');
  const reads = async (key: string) => {
    server.trouble = { status: 400, code: 'NoAnswer' };
    const isHere = await store.get(key, { start: 5, length: 10 }).then(
      () => true,
      () => false,
    );
    server.trouble = undefined;
    return isHere;
  };
  assert.deepEqual([await reads('shared/packs/1'), await reads('shared/packs/3')], [false, true]);
  // Asked for again and again it comes here as a whole, and another one goes.
  for (let n = 0; n < 4; n++) await store.get('shared/packs/1', { start: n, length: 1 });
  assert.equal(await reads('shared/packs/1'), true);
  assert.equal(readdirSync(join(at, 'cache')).length, 2);
  server.objects.set('shared/packs/1', { body: Buffer.from('rotten'), at: new Date() });
  assert.equal(`${await store.get('shared/packs/1')}`, 'rotten');
});

test('what vanished from the store, or came by another way, is known after another look', async (t) => {
  const { server, store } = await makeStore(t);
  for (const name of ['a', 'b']) await store.put(`shared/packs/${name}`, [Buffer.from(name)]);
  await store.upload();
  await store.put('shared/packs/waits', [Buffer.from('w')]);
  server.objects.delete('shared/packs/a');
  server.objects.set('shared/packs/c', { body: Buffer.from('c'), at: new Date() });
  assert.deepEqual(await store.names('shared/packs'), ['a', 'b', 'waits']);
  await store.lookAgain('shared');
  assert.deepEqual(await store.names('shared/packs'), ['b', 'c', 'waits']);
  // A new disk knows what arrived.
  assert.deepEqual(await open(server).names('shared/packs'), ['b', 'c']);
});

test('a place that is another host’s is refused', async (t) => {
  const { server, store } = await makeStore(t);
  await store.names('');
  await assert.rejects(open(server, { owner: 'others' }).names(''), /belongs to another host/);
});

test('what kills left behind on this disk goes after a day, and nothing that waits', async (t) => {
  const { at, store } = await makeStore(t);
  await store.put('a', [Buffer.from('waits')]);
  for (const name of ['queue/999', 'queue/.new-1', 'cache/.new-2']) writeFileSync(join(at, name), 'left behind');
  const left = () => [...readdirSync(join(at, 'queue')), ...readdirSync(join(at, 'cache'))].sort();
  await store.removeAbandoned(Date.now() + 3600_000);
  assert.equal(left().length, 4);
  await store.removeAbandoned(Date.now() + 25 * 3600_000);
  assert.deepEqual(left(), ['1']);
  assert.equal(`${await store.get('a')}`, 'waits');
});
