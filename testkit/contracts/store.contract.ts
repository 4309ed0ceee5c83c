import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Store } from '#timemachine/stores/store.ts';

/** What every store must do; each one's test calls this. */
export function testStore(name: string, makeStore: () => Promise<Store>): void {
  describe(`the store ${name}`, () => {
    test('gives back what was put, whole, in parts and from its end', async () => {
      const store = await makeStore();
      await store.put('a/b/object', [Buffer.from('hello '), Buffer.from(''), Buffer.from('world')]);
      assert.equal(`${await store.get('a/b/object')}`, 'hello world');
      assert.equal(`${await store.get('a/b/object', { start: 3, length: 5 })}`, 'lo wo');
      assert.equal(`${await store.get('a/b/object', { last: 5 })}`, 'world');
      assert.equal(`${await store.get('a/b/object', { last: 500 })}`, 'hello world');
      assert.equal((await store.get('a/b/object', { start: 11, length: 0 })).length, 0);
      assert.equal(`${await store.get('a/b/object', { start: 6, atMost: 100 })}`, 'world');
      assert.equal(`${await store.get('a/b/object', { start: 6, atMost: 2 })}`, 'wo');
    });

    test('keeps empty objects and big ones', async () => {
      const store = await makeStore();
      await store.put('empty', []);
      assert.equal((await store.get('empty')).length, 0);
      const big = Buffer.alloc(9_000_000, 'big object ');
      const parts = Array.from({ length: 3000 }, (_, index) => big.subarray(index * 3000, (index + 1) * 3000));
      await store.put('big', parts);
      assert.ok((await store.get('big')).equals(big));
      for (const [start, length] of [
        [65_530, 12],
        [65_536, 65_536],
        [8_999_999, 1],
        [123, 1_000_000],
      ] as const) {
        const part = await store.get('big', { start, length });
        assert.ok(part.equals(big.subarray(start, start + length)), `${start}, ${length}`);
      }
      assert.ok((await store.get('big', { last: 70_000 })).equals(big.subarray(-70_000)));
      const [listed] = (await store.list('')).filter(({ key }) => key === 'big');
      assert.equal(listed?.sizeBytes, big.length);
    });

    test('says that an object is missing or too short, and never gives fewer bytes than asked for', async () => {
      const store = await makeStore();
      await assert.rejects(store.get('nothing'), { code: 'missing_object' });
      await store.put('short', [Buffer.from('12345')]);
      await assert.rejects(store.get('short', { start: 3, length: 3 }), { code: 'short_object' });
    });

    test('lists exactly what is below a prefix, sorted', async () => {
      const store = await makeStore();
      for (const key of ['p/b', 'p/a/2', 'p/a/1', 'pp/x']) await store.put(key, [Buffer.from(key)]);
      const listed = await store.list('p');
      assert.deepEqual(
        listed.map(({ key, sizeBytes }) => [key, sizeBytes]),
        [
          ['p/a/1', 5],
          ['p/a/2', 5],
          ['p/b', 3],
        ],
      );
      assert.ok(listed.every(({ storedAtMs }) => Math.abs(Date.now() - storedAtMs) < 60_000));
      assert.deepEqual(await store.names('p'), ['a', 'b']);
      assert.deepEqual(await store.list('none'), []);
      assert.deepEqual(await store.names('none'), []);
    });

    test('forgets what is deleted, and minds no second time', async () => {
      const store = await makeStore();
      await store.put('gone', [Buffer.from('x')]);
      await store.get('gone');
      await store.delete('gone');
      await store.delete('gone');
      await assert.rejects(store.get('gone'), { code: 'missing_object' });
      assert.deepEqual(await store.list('gone'), []);
    });

    test('takes the same object twice, also at once', async () => {
      const store = await makeStore();
      const put = () => store.put('twice', [Buffer.from('same')]);
      await Promise.all([put(), put(), put()]);
      await put();
      assert.equal(`${await store.get('twice')}`, 'same');
    });

    test('refuses keys that lead elsewhere', async () => {
      const store = await makeStore();
      for (const key of ['../x', 'a/../../x', '/x', 'a//b', '', '.hidden', 'a b']) {
        await assert.rejects(store.put(key, []), key);
        await assert.rejects(store.get(key), key);
      }
    });
  });
}
