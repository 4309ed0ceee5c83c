import type { CallOptions, Client, Event } from './client.ts';
import { sleep } from './sleep.ts';
import { messages, messagesIn, openStream } from './stream.ts';

const STREAM = { method: 'GET', path: '/f/api/v1/event/stream' };
const POLL_MS = 1_000;

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
      const stream = await openStream(client, STREAM, { signal: within });
      const event = await look();
      onProgress?.(event);
      if (event.finished_at !== null) return ended(event);
      if (!stream) await sleep(POLL_MS, signal);
      else
        for await (const { data } of messagesIn(stream)) {
          const next = data as Event | undefined;
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

/** All that happens from now on, until the signal is aborted. */
export function events(client: Client, options: { signal?: AbortSignal } = {}): AsyncGenerator<Event, void, undefined> {
  return messages(client, STREAM, options) as AsyncGenerator<Event, void, undefined>;
}
