import type { ServerResponse } from 'node:http';
import type { Caller } from '#core/auth/caller.ts';
import { type Cursor, formatCursor, parseCursor, type StreamedEvent } from '#core/events/hub.ts';
import type { Services } from '#core/services.ts';
import { type EventRow, readCursorOf } from './event.sql.ts';
import { completeEvents } from './event.ts';

const HEARTBEAT_MS = 15_000;
const MAX_BACKLOG = 10_000;

/**
 * Server-Sent Events, written by hand: a stream must end with the process and with the caller's rights. It first sends
 * what came after Last-Event-ID, then what comes live; both have the same order, so the seam shows no gap and no double.
 */
export async function streamEvents(
  services: Services,
  caller: Caller,
  lastEventId: string | undefined,
  response: ServerResponse,
): Promise<void> {
  const { events, db, log } = services;
  const queue: StreamedEvent[] = [];
  let ended = false;
  let wake = () => {};
  const end = () => {
    ended = true;
    wake();
  };
  response.on('close', end);
  let unsubscribe = () => {};
  const expiry = endAtExpiry(caller, end);
  const heartbeat = setInterval(() => response.write(': still here\n\n'), HEARTBEAT_MS);

  let cursor: Cursor | undefined;
  const send = async (batch: StreamedEvent[]) => {
    const fresh = batch.filter((event) => cursor === undefined || isAfter(event, cursor));
    const readTo = await readCursorOf(db, caller.userId);
    const rows = fresh.map((event) => ({
      ...event,
      unread: event.user_id !== caller.userId && event.seq > readTo,
    })) as unknown as EventRow[];
    const completed = await completeEvents(db, rows);
    for (const [index, event] of completed.entries()) {
      cursor = fresh[index] as StreamedEvent;
      const written = response.write(
        `id: ${formatCursor(cursor)}\nevent: event\ndata: ${JSON.stringify(toWire(event))}\n\n`,
      );
      if (!written && !ended) await drained(response);
    }
  };

  try {
    unsubscribe = await events.subscribe({
      caller,
      receive(event) {
        // A reader this far behind comes back with Last-Event-ID instead of filling our memory.
        if (queue.push(event) > MAX_BACKLOG) end();
        wake();
      },
      end,
    });
    response.write('retry: 1000\n\n');
    const asked = parseCursor(lastEventId);
    cursor = asked ?? (await events.now());
    // Without Last-Event-ID the stream starts now, and its first id says where that is.
    if (!asked) response.write(`id: ${formatCursor(cursor)}\n\n`);
    for (
      let missed = asked ? await events.since(caller, cursor) : [];
      missed.length > 0 && !ended;
      missed = await events.since(caller, cursor)
    ) {
      await send(missed);
    }
    while (!ended) {
      if (queue.length > 0) await send(queue.splice(0));
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } catch (error) {
    log.warn({ err: error }, 'an event stream broke off');
  } finally {
    unsubscribe();
    clearInterval(heartbeat);
    clearTimeout(expiry);
    response.end();
  }
}

/** What JSON.stringify would send besides the contract's fields stays here. */
function toWire({
  seq: _seq,
  xid: _xid,
  position: _position,
  ...event
}: Record<string, unknown>): Record<string, unknown> {
  return event;
}

const isAfter = (event: Cursor, cursor: Cursor): boolean =>
  event.xid === cursor.xid ? event.position > cursor.position : BigInt(event.xid) > BigInt(cursor.xid);

const drained = (response: ServerResponse) =>
  new Promise<void>((resolve) => {
    response.once('drain', resolve);
    response.once('close', resolve);
  });

const MAX_TIMER_MS = 2 ** 31 - 1;

function endAtExpiry(caller: Caller, end: () => void): NodeJS.Timeout | undefined {
  const { expiresAt } = caller.credential;
  if (!expiresAt) return undefined;
  return setTimeout(end, Math.min(MAX_TIMER_MS, Math.max(0, expiresAt.getTime() - Date.now()))).unref();
}
