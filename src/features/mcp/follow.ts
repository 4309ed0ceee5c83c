import { unauthenticated } from '#core/errors.ts';
import type { StreamedEvent } from '#core/events/hub.ts';
import { hasFreeStream } from '#core/http/event-stream.ts';
import type { Session } from './session.ts';

/** Those who hear how far it is wait for long; others give up by themselves after a minute. */
const TOLD_MS = 600_000;
const UNTOLD_MS = 45_000;

/** Waits for the end of work that goes on after its answer, and tells how far it is. Leaving ends the waiting alone. */
export async function follow(
  { services, caller }: Pick<Session, 'services' | 'caller'>,
  eventId: string,
  { signal, tell }: { signal: AbortSignal; tell: ((message: string) => void) | undefined },
): Promise<void> {
  const { events, credentials } = services;
  // Of calls that came all at once each found one free. The work has begun by now, so it is the waiting that there is no room for.
  if (!hasFreeStream(events, caller)) return;
  const leave = await events.subscribe({
    caller,
    receive: (event) => void (event.id === eventId && !event.finished_at && tell?.(describe(event))),
    // Rights that have changed are looked at below.
    end: () => {},
  });
  tell?.('Begun');
  const left = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  try {
    await Promise.race([events.waitUntilFinished(eventId, tell ? TOLD_MS : UNTOLD_MS), left]);
  } finally {
    leave();
  }
  if (!(await credentials.renew(caller))) throw unauthenticated();
}

function describe({ activity, detail }: StreamedEvent): string {
  const { progress } = (detail ?? {}) as { progress?: Record<string, unknown> };
  if (!progress) return String(activity ?? 'At work');
  const { step, files, files_total, tables, tables_total } = progress;
  const of = (done: unknown, total: unknown, noun: string) =>
    typeof done === 'number' && done > 0 ? [`${done}${typeof total === 'number' ? ` of ${total}` : ''} ${noun}`] : [];
  return [String(step ?? 'At work'), ...of(files, files_total, 'files'), ...of(tables, tables_total, 'tables')].join(
    ', ',
  );
}
