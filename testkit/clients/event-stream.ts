import type { Event } from '#sdk';
import type { TestApp } from '../app/test-app.ts';

/**
 * A reader of /event/stream over plain fetch that does as an EventSource does: when the server ends the stream, which it
 * does whenever the reader's rights changed, it comes back with Last-Event-ID.
 */
export interface EventReader {
  /** The next event; fails when none comes. */
  next(timeoutMs?: number): Promise<{ id: string; event: Event }>;
  lastId: string;
  /** Resolves when the server ends the stream for the first time. */
  ended: Promise<void>;
  close(): void;
}

export async function openStream(app: Pick<TestApp, 'api'>, token: string, lastEventId?: string): Promise<EventReader> {
  // Without a place to go on from, a reader wants what happens from now on. A transaction of another test's database can
  // hold earlier events back so long that they come only now.
  const since = lastEventId === undefined ? Date.now() : 0;
  const abort = new AbortController();
  const queue: { id: string; event: Event }[] = [];
  const ended = Promise.withResolvers<void>();
  let wake = () => {};

  const reader: EventReader = {
    lastId: lastEventId ?? '',
    ended: ended.promise,
    async next(timeoutMs = 30_000) {
      const end = Date.now() + timeoutMs;
      for (;;) {
        const first = queue.shift();
        if (first) return first;
        if (Date.now() >= end) throw new Error('no event came');
        await new Promise<void>((resolve) => {
          wake = resolve;
          setTimeout(resolve, end - Date.now());
        });
      }
    },
    close: () => abort.abort(),
  };

  const connect = async () => {
    const resume = reader.lastId === '' ? {} : { 'last-event-id': reader.lastId };
    const headers = { authorization: `Bearer ${token}`, ...resume };
    const response = await fetch(`${app.api}/event/stream`, { headers, signal: abort.signal });
    if (response.status !== 200 || !response.body) throw new Error(`the stream answered ${response.status}`);
    return response.body;
  };

  const read = async (body: ReadableStream<Uint8Array>) => {
    let text = '';
    for await (const chunk of body.pipeThrough(new TextDecoderStream() as never) as AsyncIterable<string>) {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        reader.lastId = /^id: (.*)$/m.exec(block)?.[1] ?? reader.lastId;
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data === undefined) continue;
        const event = JSON.parse(data) as Event;
        if (Date.parse(String(event.created_at)) >= since) queue.push({ id: reader.lastId, event });
      }
      wake();
    }
  };

  const follow = async (body: ReadableStream<Uint8Array>) => {
    for (let current = body; !abort.signal.aborted; current = await connect()) {
      await read(current).catch(() => {});
      ended.resolve();
    }
  };

  follow(await connect()).catch(() => {});
  // The first id says that the stream has begun; what is written from here on comes through it.
  while (reader.lastId === '') await new Promise((resolve) => setTimeout(resolve, 5));
  return reader;
}
