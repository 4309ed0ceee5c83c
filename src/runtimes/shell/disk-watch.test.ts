import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { heldBytes } from '#sandbox/held-files.ts';
import { eventually } from '#testkit/expect.ts';
import { DiskWatch } from './disk-watch.ts';

const MB = 1024 * 1024;
const GB = 1024 * MB;

suite('the disk while people work in sites', () => {
  const folder = mkdtempSync(join(tmpdir(), 'disk-watch-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  function make() {
    const state = {
      used: (100 * MB) as number | Error,
      free: { bytes: 50 * GB, allBytes: 100 * GB, names: 1e6 },
      counts: 0,
    };
    const watch = new DiskWatch({
      folder,
      free: async () => ({ ...state.free }),
      usageBytes: async () => {
        state.counts++;
        if (state.used instanceof Error) throw state.used;
        return state.used;
      },
    });
    const begin = async (maxBytes: number) => {
      const told: string[] = [];
      const { room, watch: start } = await watch.seat('a', maxBytes);
      const stop = start({ pid: () => undefined, tell: (message) => void told.push(message) });
      return { room, told, stop };
    };
    return { state, watch, begin };
  }

  test('no file may become larger than what the plan and the machine have left', async () => {
    const { state, watch } = make();
    const fileBytes = async (maxBytes?: number) => (await watch.seat('a', maxBytes)).room.fileBytes;
    assert.equal(await fileBytes(300 * MB), 200 * MB);
    assert.equal(await fileBytes(100 * GB), 2 * GB);
    assert.equal(await fileBytes(50 * MB), 0);
    state.free.bytes = 4 * GB;
    assert.equal(await fileBytes(100 * GB), GB / 2);
    state.free.bytes = GB;
    assert.equal(await fileBytes(100 * GB), 0);
    state.free = { bytes: 50 * GB, allBytes: 100 * GB, names: 10 };
    assert.equal(await fileBytes(), 0);
    state.free.names = 1e6;
    state.used = Object.assign(new Error('hidden'), { code: 'EACCES' });
    assert.equal(await fileBytes(100 * GB), 0);
  });

  test('a site is counted at once when the disk fills, and ends beyond its limit alone', async () => {
    const { state, begin } = make();
    const { told, stop } = await begin(300 * MB);
    state.free.bytes -= 150 * MB;
    await eventually(async () => state.counts === 2);
    assert.deepEqual(told, []);
    state.used = 301 * MB;
    state.free.bytes -= 151 * MB;
    await eventually(async () => told.length > 0);
    assert.match(told[0] ?? '', /no room left/);
    stop();
  });

  test('where the machine is nearly full those end that took room, and then all that can write', async () => {
    const { state, begin } = make();
    const [writer, reader] = [await begin(300 * MB), await begin(50 * MB)];
    state.used = 120 * MB;
    state.free.bytes = 1.9 * GB;
    await eventually(async () => writer.told.length > 0);
    state.used = 100 * MB;
    const late = await begin(300 * MB);
    assert.equal(late.room.fileBytes, 0);
    state.free.bytes = 0.5 * GB;
    const [before, told] = [reader.told.length, writer.told.length];
    await eventually(async () => writer.told.length > told);
    assert.equal(reader.told.length, before, 'whoever can only delete goes on');
    for (const { stop } of [writer, reader, late]) stop();
  });

  test('what is deleted and still open counts', async () => {
    const file = join(folder, 'gone');
    const fd = openSync(file, 'w');
    const { dev } = statSync(folder);
    const before = await heldBytes([process.pid], dev);
    writeSync(fd, Buffer.alloc(MB, 1));
    rmSync(file);
    assert.ok((await heldBytes([process.pid, process.pid], dev)) - before >= MB);
    assert.ok((await heldBytes([process.pid], dev)) - before < 2 * MB);
    closeSync(fd);
    // Others of this process may let go of something too.
    assert.ok((await heldBytes([process.pid], dev)) - before < MB);
  });
});
