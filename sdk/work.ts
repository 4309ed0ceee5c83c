import type { CallOptions, Client, Event } from './client.ts';
import { sleep } from './sleep.ts';
import { isRefusal, messages, messagesIn, openStream } from './stream.ts';

const STREAM = { method: 'GET', path: '/f/api/v1/event/stream' };
const POLL_MS = 1_000;
/** How long a service may be away, as while it is restarted. */
const PATIENCE_MS = 5 * 60_000;

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
  /** For how long it may not be reached at all before that is an error; five minutes unless said otherwise. */
  patienceMs?: number;
}

/**
 * Waits for the end of work by the stream of events, or by asking where there is none, and goes on when the service was away for some
 * minutes. Throws WorkFailed where it failed.
 */
export async function waitFor(client: Client, eventId: string, options: WaitOptions = {}): Promise<Event> {
  const { signal, patienceMs = PATIENCE_MS } = options;
  let lostAt: number | undefined;
  for (;;) {
    const leave = new AbortController();
    const within = signal ? AbortSignal.any([signal, leave.signal]) : leave.signal;
    try {
      // The stream is open before the question is asked, so an end between the two is seen by one of them.
      const stream = await openStream(client, STREAM, { signal: within });
      const event = await client.getEvent({ params: { event_id: eventId }, signal: within }).catch((error) => {
        lostAt ??= Date.now();
        if (within.aborted || isRefusal(error) || Date.now() - lostAt >= patienceMs) throw error;
      });
      if (event) {
        lostAt = undefined;
        const last = await lastOf(event, stream, options);
        if (last) return ended(last);
      }
    } finally {
      leave.abort();
    }
    await sleep(POLL_MS, signal);
  }
}

/** The event once it has ended, or undefined where the stream ends before. */
async function lastOf(
  event: Event,
  stream: Response | undefined,
  { onProgress }: WaitOptions,
): Promise<Event | undefined> {
  onProgress?.(event);
  if (event.finished_at !== null) return event;
  if (!stream) return undefined;
  for await (const { data } of messagesIn(stream)) {
    const next = data as Event | undefined;
    if (next?.id !== event.id) continue;
    onProgress?.(next);
    if (next.finished_at !== null) return next;
  }
  return undefined;
}

function ended(event: Event): Event {
  if (event.detail.failure !== undefined) throw new WorkFailed(event);
  return event;
}

/** All that happens from now on, until the signal is aborted. */
export function events(client: Client, options: { signal?: AbortSignal } = {}): AsyncGenerator<Event, void, undefined> {
  return messages(client, STREAM, options) as AsyncGenerator<Event, void, undefined>;
}
