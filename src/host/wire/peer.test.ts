import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, suite, test } from 'node:test';
import { SiteFailure } from '#runtimes/runtime.ts';
import { eventually } from '#testkit/expect.ts';
import { pause } from '#testkit/pause.ts';
import { TimeMachineFailure } from '#timemachine/failure.ts';
import { HostUnreachable } from '../host-unreachable.ts';
import { dial, greeted, greeting } from './host-address.ts';
import { Peer } from './peer.ts';

const TOKEN = 'a token that nobody else knows';
/** What the side that is asked does. */
const acts = {
  echo: async (...args: unknown[]) => args,
  fail: async (error: 'site' | 'time machine' | 'other') => {
    if (error === 'site') throw new SiteFailure('overload', 'too many');
    if (error === 'time machine') throw new TimeMachineFailure('outdated_plan', 'changed');
    throw new Error('plain');
  },
  plan: async (options: { onPlanned(plan: string, list: (n: number) => Promise<number[]>): Promise<string> }) =>
    options.onPlanned('a plan', async (n) => Array.from({ length: n }, (_, index) => index)),
  wait: ({ signal }: { signal: AbortSignal }) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve('called off'), { once: true })),
  tell: async ({ onProgress }: { onProgress(): void }) => {
    for (let n = 0; n < 100; n++) {
      onProgress();
      await pause(10);
    }
  },
  mirror: async () => new PassThrough(),
  forever: () => new Promise(() => {}),
  stream: async (size: number) => Readable.from(pieces(size), { objectMode: false }),
  broken: async () => Readable.from(breaking(), { objectMode: false }),
};

async function* pieces(size: number) {
  for (let left = size; left > 0; left -= 65_536) yield Buffer.alloc(Math.min(left, 65_536), 7);
}
async function* breaking() {
  yield Buffer.alloc(1000);
  throw new Error('the disk is gone');
}

let folder: string;
let server: Server;
let address: string;
const connections = new Set<Socket>();
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'peer-'));
  address = `unix:${join(folder, 'sock')}`;
  server = createServer({ allowHalfOpen: true }, async (socket) => {
    connections.add(socket);
    if (!(await greeted(socket, TOKEN))) return;
    const root = (name: keyof typeof acts, ...args: never[]) => (acts[name] as (...args: never[]) => unknown)(...args);
    new Peer(socket, { root });
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(join(folder, 'sock'), resolve));
});
after(async () => {
  for (const socket of connections) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

const connectTo = async () => (await dial([address])) as Socket;

async function ask(name: keyof typeof acts, ...args: unknown[]): Promise<unknown> {
  const socket = await connectTo();
  const peer = new Peer(socket);
  socket.write(greeting(TOKEN));
  return peer.begin([name, ...args]).finally(() => peer.close());
}

suite('a call to another process', () => {
  test('takes along and brings back what JSON can not', async () => {
    const sent = [undefined, new Date(7), Buffer.from([0, 255]), 12n, { deep: { list: [1, null, undefined] } }];
    const [nothing, date, bytes, big, deep] = (await ask('echo', ...sent)) as typeof sent;
    assert.deepEqual([nothing, date, big, deep], [sent[0], sent[1], sent[3], sent[4]]);
    assert.deepEqual(Buffer.from(bytes as Uint8Array), sent[2]);
  });

  test('of many megabytes arrives whole', async () => {
    const large = Buffer.alloc(20_000_000, 3);
    const [back] = (await ask('echo', large)) as [Uint8Array];
    assert.ok(large.equals(back));
  });

  test('is broken off where the other side says more at once than is read of it', async () => {
    const asked = async (maxFrameBytes: number) => {
      const socket = await connectTo();
      const peer = new Peer(socket, { maxFrameBytes });
      socket.write(greeting(TOKEN));
      return peer.begin(['echo', 'x'.repeat(100_000)]).finally(() => peer.close());
    };
    await assert.rejects(asked(50_000), HostUnreachable);
    assert.equal(((await asked(200_000)) as string[])[0]?.length, 100_000);
  });

  test('fails with what it failed with there', async () => {
    await assert.rejects(ask('fail', 'site'), (error) => error instanceof SiteFailure && error.reason === 'overload');
    await assert.rejects(
      ask('fail', 'time machine'),
      (error) => error instanceof TimeMachineFailure && error.code === 'outdated_plan',
    );
    await assert.rejects(ask('fail', 'other'), /plain/);
  });

  test('can call back, and be called back in turn', async () => {
    const onPlanned = async (plan: string, list: (n: number) => Promise<number[]>) => `${plan}: ${await list(3)}`;
    assert.equal(await ask('plan', { onPlanned }), 'a plan: 0,1,2');
  });

  test('that fails by a callback fails with what the callback threw, and nothing like it', async () => {
    const thrown = new RangeError('no more');
    const onPlanned = async () => {
      throw thrown;
    };
    await assert.rejects(ask('plan', { onPlanned }), (error) => error === thrown);
  });

  test('is called off there when it is called off here', async () => {
    const abort = new AbortController();
    const waiting = ask('wait', { signal: abort.signal });
    setTimeout(() => abort.abort(), 50);
    assert.equal(await waiting, 'called off');
    assert.equal(await ask('wait', { signal: AbortSignal.abort() }), 'called off');
  });

  test('ends when the other side is gone', async () => {
    const waiting = ask('forever');
    setTimeout(() => [...connections].at(-1)?.destroy(), 50);
    await assert.rejects(waiting, HostUnreachable);
    assert.equal(await dial([`unix:${join(folder, 'nobody')}`]), undefined);
  });

  test('leaves nothing open behind, whoever hangs up first', async () => {
    for (let n = 0; n < 20; n++) await ask('echo', n);
    const socket = await connectTo();
    const peer = new Peer(socket);
    socket.write(greeting(TOKEN));
    const given = { signal: AbortSignal.timeout(60_000) };
    const waiting = peer.begin(['wait', given]);
    socket.destroy();
    await assert.rejects(waiting, HostUnreachable);
    await eventually(async () => [...connections].every((each) => each.destroyed));
  });

  test('that is told of without waiting does no harm when nobody is left to tell', async () => {
    const socket = await connectTo();
    const peer = new Peer(socket);
    socket.write(greeting(TOKEN));
    const told = Promise.withResolvers<void>();
    const waiting = peer.begin(['tell', { onProgress: () => told.resolve() }]);
    await told.promise;
    socket.destroy();
    await assert.rejects(waiting, HostUnreachable);
    assert.deepEqual(await ask('echo', 'still there'), ['still there']);
  });

  test('that is called off after it became a stream adds nothing to it', async () => {
    const abort = new AbortController();
    const stream = (await ask('mirror', { signal: abort.signal })) as Socket;
    abort.abort();
    stream.end('sent');
    stream.resume();
    const chunks: Buffer[] = [];
    stream.on('data', (chunk) => chunks.push(chunk));
    await once(stream, 'close');
    assert.equal(Buffer.concat(chunks).toString(), 'sent');
  });

  test('answers with a stream of any size, which does not look complete where it was cut off', async () => {
    const size = 9_000_001;
    assert.equal((await buffer((await ask('stream', size)) as Readable)).length, size);
    assert.equal((await buffer((await ask('stream', 0)) as Readable)).length, 0);
    const cut = (await ask('broken')) as Socket;
    await assert.rejects(buffer(cut));
  });

  test('is for the platform alone', async () => {
    for (const words of [greeting('another token'), 'GET / HTTP/1.1\r\n\r\n', 'x'.repeat(1000)]) {
      const socket = await connectTo();
      socket.write(words);
      socket.resume();
      await new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
      assert.equal(socket.bytesRead, 0);
    }
  });
});
