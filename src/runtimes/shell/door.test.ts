import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createLog } from '#core/log.ts';
import { type Answer, Door } from './door.ts';
import { FRAME, FrameReader, frame } from './frames.ts';

const DONE = { exitCode: 0, stdout: '', stderr: '', truncated: false, durationMs: 0 };
const WISH = frame(FRAME.wish, Buffer.from(JSON.stringify({ program: 'wp', args: [], cwd: '/' })));

describe('frames', () => {
  it('are found whatever the pieces are, and cost no more for small ones', () => {
    const long = Buffer.alloc(1024 * 1024, 'x');
    const bytes = Buffer.concat([
      frame(FRAME.wish, long),
      frame(FRAME.inputEnd),
      frame(FRAME.input, Buffer.from('ab')),
    ]);
    for (const size of [1, 7, bytes.length]) {
      const startedAt = performance.now();
      const reader = new FrameReader();
      const found = [];
      for (let at = 0; at < bytes.length; at += size) found.push(...reader.read(bytes.subarray(at, at + size)));
      assert.deepEqual(
        found.map(({ kind, bytes: { length } }) => [kind, length]),
        [
          [FRAME.wish, long.length],
          [FRAME.inputEnd, 0],
          [FRAME.input, 2],
        ],
      );
      assert.ok(found[0]?.bytes.equals(long));
      assert.ok(performance.now() - startedAt < 10_000);
    }
  });

  it('are not longer than they may be', () => {
    const read = (kind: number, length: number) =>
      [...new FrameReader().read(frame(kind, Buffer.alloc(length)))].length;
    assert.equal(read(FRAME.input, 64 * 1024), 1);
    assert.throws(() => read(FRAME.input, 64 * 1024 + 1));
    assert.throws(() => read(FRAME.wish, 1024 * 1024 + 1));
  });
});

describe('the door', () => {
  async function open(t: TestContext, answer: Answer): Promise<() => Promise<Socket>> {
    const folder = mkdtempSync(join(tmpdir(), 'door-'));
    const file = join(folder, 'door/tools.sock');
    const door = await Door.open(file, answer, createLog('silent'));
    t.after(() => {
      door.close();
      rmSync(folder, { recursive: true });
    });
    return async () => {
      const socket = connect(file);
      await once(socket, 'connect');
      return socket;
    };
  }

  it('closes on whoever has asked for nothing after a while', { timeout: 10_000 }, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let answered = () => {};
    const asked = Promise.withResolvers<void>();
    const dial = await open(t, async () => {
      asked.resolve();
      await new Promise<void>((resolve) => (answered = resolve));
      return DONE;
    });
    const silent = (await dial()).resume();
    silent.write(WISH.subarray(0, 8));
    const asking = (await dial()).resume();
    asking.write(WISH);
    await asked.promise;
    t.mock.timers.tick(9_000);
    assert.equal(silent.destroyed, false);
    const closed = once(silent, 'close');
    t.mock.timers.tick(1_000);
    await closed;
    assert.equal(asking.destroyed, false);
    answered();
    await once(asking, 'close');
  });

  it('leaves nothing behind for each time that it waited for a slow reader', async (t) => {
    let most = 0;
    const dial = await open(t, async ({ onOutput, signal }) => {
      for (let count = 0; count < 20; count++) await onOutput?.('stdout', Buffer.alloc(1024 * 1024));
      most = getEventListeners(signal as AbortSignal, 'abort').length;
      return DONE;
    });
    const socket = (await dial()).resume();
    socket.write(WISH);
    await once(socket, 'close');
    assert.equal(most, 0);
  });
});
