import type { ServerResponse } from 'node:http';
import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { type Cursor, formatCursor, parseCursor, type StreamedEvent } from '#core/events/hub.ts';
import { drained } from '#core/http/event-stream.ts';
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
  let queue: StreamedEvent[] = [];
  let ended = false;
  let wake = () => {};
  let unsubscribe = () => {};
  const end = () => {
    ended = true;
    unsubscribe();
    queue = [];
    // Whoever does not read would keep us waiting for ever.
    if (response.writableNeedDrain) response.destroy();
    wake();
  };
  response.on('close', end);
  const expiry = endAtExpiry(caller, end);
  const heartbeat = setInterval(() => response.write(': still here\n\n'), HEARTBEAT_MS);
  let cursor: Cursor | undefined;
  let readTo = 0;

  const send = async (batch: StreamedEvent[]) => {
    const fresh = batch.filter((event) => cursor === undefined || isAfter(event, cursor));
    for (const [index, event] of (await completeOnce(db, fresh)).entries()) {
      if (ended) return;
      const source = fresh[index] as StreamedEvent;
      cursor = source;
      const unread = source.user_id !== caller.userId && source.seq > readTo;
      const data = JSON.stringify({ ...event, unread });
      if (!response.write(`id: ${formatCursor(cursor)}\nevent: event\ndata: ${data}\n\n`)) await drained(response);
    }
  };

  try {
    const leave = await events.subscribe({
      caller,
      receive(event) {
        // A reader this far behind comes back with Last-Event-ID instead of filling our memory.
        if (queue.push(event) > MAX_BACKLOG) end();
        wake();
      },
      end,
    });
    unsubscribe = leave;
    if (ended) leave();
    readTo = await readCursorOf(db, caller.userId);
    response.write('retry: 1000\n\n');
    const asked = parseCursor(lastEventId);
    cursor = asked ?? (await events.now());
    // Without Last-Event-ID the stream starts now, and its first id says where that is.
    if (!asked) response.write(`id: ${formatCursor(cursor)}\n\n`);
    let missed = asked ? await events.since(caller, cursor) : [];
    while (missed.length > 0 && !ended) {
      await send(missed);
      missed = await events.since(caller, cursor);
    }
    while (!ended) {
      if (queue.length > 0) await send(queue.splice(0));
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } catch (error) {
    log.warn({ err: error }, 'an event stream broke off');
  } finally {
    end();
    clearInterval(heartbeat);
    clearTimeout(expiry);
    response.end();
  }
}

const completed = new WeakMap<StreamedEvent, Promise<Record<string, unknown>>>();

/** The hub hands the same event to every stream; who did it is looked up by the first of them, for all. */
function completeOnce(db: Db, events: StreamedEvent[]): Promise<Record<string, unknown>[]> {
  const fresh = events.filter((event) => !completed.has(event));
  const batch = completeEvents(db, fresh as unknown as EventRow[]);
  for (const [index, event] of fresh.entries()) {
    completed.set(
      event,
      batch.then((list) => toWire(list[index] as Record<string, unknown>)),
    );
  }
  return Promise.all(events.map((event) => completed.get(event) as Promise<Record<string, unknown>>));
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

const MAX_TIMER_MS = 2 ** 31 - 1;

function endAtExpiry(caller: Caller, end: () => void): NodeJS.Timeout | undefined {
  const { expiresAt } = caller.credential;
  if (!expiresAt) return undefined;
  return setTimeout(end, Math.min(MAX_TIMER_MS, Math.max(0, expiresAt.getTime() - Date.now()))).unref();
}
