import { ApiError } from './api-error.ts';
import type { Client, RawInput, Route } from './client.ts';
import { sleep } from './sleep.ts';

const AGAIN_MS = 1_000;

interface Message {
  id: string | undefined;
  data: unknown;
}

/** What an operation streams (Server-Sent Events), for ever: what breaks is taken up where it broke. Ends with the signal. */
export async function* messages(
  client: Client,
  route: Route,
  input: RawInput = {},
): AsyncGenerator<unknown, void, undefined> {
  const { signal } = input;
  const leave = new AbortController();
  const within = signal ? AbortSignal.any([signal, leave.signal]) : leave.signal;
  let place: string | undefined;
  try {
    while (!signal?.aborted) {
      const stream = await openStream(client, route, { ...input, signal: within }, place);
      if (stream)
        for await (const { id, data } of messagesIn(stream)) {
          place = id ?? place;
          if (data !== undefined) yield data;
        }
      await sleep(AGAIN_MS, signal);
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  } finally {
    leave.abort();
  }
}

/** Undefined where one has to do without for now; a refusal that stands is an error. */
export async function openStream(
  client: Client,
  route: Route,
  input: RawInput & { signal: AbortSignal },
  place?: string,
): Promise<Response | undefined> {
  const headers = { accept: 'text/event-stream', ...(place && { 'last-event-id': place }) };
  try {
    return await client.request(route, { ...input, headers });
  } catch (error) {
    if (input.signal.aborted || isRefusal(error)) throw error;
    return undefined;
  }
}

/** What asking again would not change; a service that is away for a moment, or busy, is no such thing. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status < 500 && error.status !== 429;

/** Until the stream ends or breaks. */
export async function* messagesIn({ body }: Response): AsyncGenerator<Message, void, undefined> {
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() as string;
    for (const block of blocks) {
      // A line ends at a line feed alone: to a regular expression U+2028 is an end too, and JSON has that as it is.
      const lines = block.split('\n');
      const field = (name: string) => lines.find((line) => line.startsWith(name))?.slice(name.length);
      const data = field('data: ');
      yield { id: field('id: '), data: data === undefined ? undefined : JSON.parse(data) };
    }
  }
}
