import { ApiError } from './api-error.ts';
import type { CallOptions, Client, Event } from './client.ts';
import { sleep } from './sleep.ts';

const STREAM = { method: 'GET', path: '/f/api/v1/event/stream' };
const POLL_MS = 1_000;
const AGAIN_MS = 1_000;

/** Work that ended without having its effect; `event.detail` says more. */
export class WorkFailed extends Error {
  readonly event: Event;

  constructor(event: Event) {
    super(String(event.detail.failure ?? event.description ?? event.activity));
    this.name = 'WorkFailed';
    this.event = event;
  }
}

/** Calls an operation whose work goes on after its answer, and says which event tells of it: what `waitFor` takes. */
export async function start<Args extends [input?: CallOptions], Output>(
  call: (...args: Args) => Promise<Output>,
  ...args: Args
): Promise<{ answer: Output; eventId: string | undefined }> {
  let eventId: string | undefined;
  const onAnswer: CallOptions['onAnswer'] = (answer) => {
    eventId = answer.headers.get('operation-id') ?? undefined;
    args[0]?.onAnswer?.(answer);
  };
  const answer = await call(...([{ ...args[0], onAnswer }] as unknown as Args));
  return { answer, eventId };
}

export interface WaitOptions {
  /** Ends the waiting, not the work. */
  signal?: AbortSignal;
  /** Sees the event each time that it changes. */
  onProgress?: (event: Event) => void;
}

/** Waits for the end of work by the stream of events, or by asking where there is none. Throws WorkFailed where it failed. */
export async function waitFor(
  client: Client,
  eventId: string,
  { signal, onProgress }: WaitOptions = {},
): Promise<Event> {
  const leave = new AbortController();
  const within = signal ? AbortSignal.any([signal, leave.signal]) : leave.signal;
  const look = () => client.getEvent({ params: { event_id: eventId }, signal: within });
  try {
    for (;;) {
      // The stream is open before the question is asked, so an end between the two is seen by one of them.
      const stream = await openStream(client, undefined, within);
      const event = await look();
      onProgress?.(event);
      if (event.finished_at !== null) return ended(event);
      if (!stream) await sleep(POLL_MS, signal);
      else
        for await (const { event: next } of eventsIn(stream)) {
          if (next?.id !== eventId) continue;
          onProgress?.(next);
          if (next.finished_at !== null) return ended(next);
        }
    }
  } finally {
    leave.abort();
  }
}

function ended(event: Event): Event {
  if (event.detail.failure !== undefined) throw new WorkFailed(event);
  return event;
}

/** All that happens from now on, for ever: what breaks is taken up where it broke. Ends when the signal is aborted. */
export async function* events(
  client: Client,
  { signal }: { signal?: AbortSignal } = {},
): AsyncGenerator<Event, void, undefined> {
  let place: string | undefined;
  const leave = new AbortController();
  const within = signal ? AbortSignal.any([signal, leave.signal]) : leave.signal;
  try {
    while (!signal?.aborted) {
      const stream = await openStream(client, place, within);
      if (stream)
        for await (const { id, event } of eventsIn(stream)) {
          place = id ?? place;
          if (event) yield event;
        }
      await sleep(AGAIN_MS, signal);
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  } finally {
    leave.abort();
  }
}

/** Undefined where one has to do without for now; a credential that does not count is an error. */
async function openStream(
  client: Client,
  place: string | undefined,
  signal: AbortSignal,
): Promise<Response | undefined> {
  const headers = { accept: 'text/event-stream', ...(place && { 'last-event-id': place }) };
  try {
    return await client.request(STREAM, { headers, signal });
  } catch (error) {
    if (signal.aborted || (error instanceof ApiError && error.status < 500 && error.status !== 429)) throw error;
    return undefined;
  }
}

/** Server-Sent Events, until the stream ends or breaks. */
async function* eventsIn({ body }: Response): AsyncGenerator<{ id: string | undefined; event: Event | undefined }> {
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
      const data = /^data: (.*)$/m.exec(block)?.[1];
      yield { id: /^id: (.*)$/m.exec(block)?.[1], event: data === undefined ? undefined : (JSON.parse(data) as Event) };
    }
  }
}
