import type { Event } from '#sdk';
import type { TestApp } from './app.ts';

/** A reader of /event/stream that speaks the protocol over plain fetch, as an EventSource would. */
export interface EventReader {
  /** The next event; fails when none comes. */
  next(timeoutMs?: number): Promise<{ id: string; event: Event }>;
  lastId: string;
  ended: Promise<void>;
  close(): void;
}

export async function openStream(app: Pick<TestApp, 'api'>, token: string, lastEventId?: string): Promise<EventReader> {
  const abort = new AbortController();
  const response = await fetch(`${app.api}/event/stream`, {
    headers: { authorization: `Bearer ${token}`, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
    signal: abort.signal,
  });
  if (response.status !== 200 || !response.body) throw new Error(`the stream answered ${response.status}`);
  const queue: { id: string; event: Event }[] = [];
  let wake = () => {};
  let opened = () => {};
  const isOpen = new Promise<void>((resolve) => {
    opened = resolve;
  });

  const reader: EventReader = {
    lastId: lastEventId ?? '',
    ended: read(response.body).then(
      () => wake(),
      () => wake(),
    ),
    async next(timeoutMs = 10_000) {
      const end = Date.now() + timeoutMs;
      for (;;) {
        const first = queue.shift();
        if (first) return first;
        if (Date.now() >= end) throw new Error('no event came');
        await Promise.race([
          new Promise<void>((resolve) => (wake = resolve)),
          new Promise((resolve) => setTimeout(resolve, end - Date.now())),
        ]);
      }
    },
    close: () => abort.abort(),
  };

  async function read(body: ReadableStream<Uint8Array>): Promise<void> {
    let text = '';
    for await (const chunk of body.pipeThrough(new TextDecoderStream() as never) as AsyncIterable<string>) {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const id = /^id: (.*)$/m.exec(block)?.[1];
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (id !== undefined) reader.lastId = id;
        if (data !== undefined) queue.push({ id: reader.lastId, event: JSON.parse(data) as Event });
        opened();
      }
      wake();
    }
  }

  await isOpen;
  // The first id says that the stream has begun; what is written from here on comes through it.
  if (lastEventId === undefined) while (reader.lastId === '') await new Promise((resolve) => setTimeout(resolve, 5));
  return reader;
}
