import { type Kysely, sql } from 'kysely';
import { type Caller, roleOnMatter } from '#core/auth/caller.ts';
import { isAmong } from '#core/auth/limited.ts';
import type { Listener } from '#core/db/listener.ts';
import type { DB } from '#core/db/schema.generated.ts';
import type { Log } from '#core/log.ts';

/**
 * The live side of events. Each process reads every new state of an event once, however many streams are open, and
 * hands it to those who may see it. The order is that of (transaction, position): a reader never goes past the oldest
 * transaction still running, so nothing that commits late is stepped over, and any cursor can be taken up again.
 */
export interface StreamedEvent {
  id: string;
  xid: string;
  position: number;
  seq: number;
  team_id: string | null;
  user_id: string | null;
  site_live_id: string | null;
  finished_at: Date | null;
  [column: string]: unknown;
}

export interface Cursor {
  xid: string;
  position: number;
}

export interface Subscriber {
  caller: Caller;
  /** It is none of the caller's streams, but watches over their rights. */
  isWatch?: true;
  receive(event: StreamedEvent): void;
  /** The stream ends: the process stops, or the caller's rights changed and must be looked at anew. */
  end(): void;
}

const BATCH = 500;
const GATED_RETRY_MS = 50;
const SAFETY_POLL_MS = 10_000;

export class EventHub {
  readonly #db: Kysely<DB>;
  readonly #log: Log;
  readonly #subscribers = new Set<Subscriber>();
  readonly #waiters = new Map<string, Set<() => void>>();
  #cursor: Cursor | undefined;
  #beginning: Promise<Cursor> | undefined;
  #reading = false;
  #again = false;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(db: Kysely<DB>, listener: Listener, log: Log) {
    this.#db = db;
    this.#log = log;
    listener.on('event', () => this.#wake());
    listener.onReconnect(() => this.#wake());
    listener.on('access_changed', (userId) => this.endStreamsOf(userId));
    // Nobody could say whose rights changed while nothing was heard.
    listener.onReconnect(() => this.#endAll());
  }

  streamsOf(userId: string): number {
    return [...this.#subscribers].filter(({ caller, isWatch }) => caller.userId === userId && !isWatch).length;
  }

  get openStreams(): number {
    return this.#subscribers.size;
  }

  /** Where a stream that starts now begins: after everything that can be seen. */
  async now(): Promise<Cursor> {
    const { rows } = await sql<Cursor>`
      select pg_snapshot_xmin(pg_current_snapshot())::text as xid, -1::bigint as position`.execute(this.#db);
    return rows[0] as Cursor;
  }

  /** What this caller may see between a cursor and now, oldest first, at most one batch. */
  async since(caller: Caller, cursor: Cursor): Promise<StreamedEvent[]> {
    const teams = [...caller.roles.keys()];
    const account = seesAccount(caller) ? caller.userId : null;
    return this.#read(
      cursor,
      sql`and (team_id = any(${teams}::uuid[]) or (team_id is null and user_id = ${account})
        or ${isAmong(caller.siteRoles, sql`site_live_id`)})`,
    );
  }

  /** Everything committed after this resolves reaches the subscriber. */
  async subscribe(subscriber: Subscriber): Promise<() => void> {
    const leave = () => void this.#subscribers.delete(subscriber);
    if (this.#closed) subscriber.end();
    else {
      this.#subscribers.add(subscriber);
      await this.#begin().catch((error) => {
        leave();
        throw error;
      });
    }
    return leave;
  }

  /** Called after the commit that took a right away, and by the announcement from other processes. */
  endStreamsOf(userId: string): void {
    // Whoever is told may subscribe anew at once.
    for (const subscriber of [...this.#subscribers]) {
      if (subscriber.caller.userId !== userId) continue;
      this.#subscribers.delete(subscriber);
      subscriber.end();
    }
  }

  /** Resolves when the event has ended, or when the time is over. */
  async waitUntilFinished(eventId: string, timeoutMs: number): Promise<void> {
    let wake = () => {};
    const finished = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const waiters = this.#waiters.get(eventId) ?? new Set();
    this.#waiters.set(eventId, waiters.add(wake));
    const timer = setTimeout(wake, timeoutMs);
    try {
      await this.#begin();
      // Only now that the end could not be missed: the work may have ended before anybody waited.
      if (await this.isFinished(eventId)) return;
      await finished;
    } finally {
      clearTimeout(timer);
      waiters.delete(wake);
      if (waiters.size === 0) this.#waiters.delete(eventId);
    }
  }

  async isFinished(eventId: string): Promise<boolean> {
    const { rows } = await sql<{
      done: boolean;
    }>`select finished_at is not null as done from events where id = ${eventId}`.execute(this.#db);
    return rows[0]?.done ?? false;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#endAll();
    for (const waiters of this.#waiters.values()) for (const wake of waiters) wake();
  }

  #endAll(): void {
    const all = [...this.#subscribers];
    this.#subscribers.clear();
    for (const subscriber of all) subscriber.end();
  }

  get #idle(): boolean {
    return this.#subscribers.size === 0 && this.#waiters.size === 0;
  }

  /** Sets the place from which this process reads, if nobody was listening before. */
  async #begin(): Promise<void> {
    if (!this.#cursor) {
      // Shared, because a second answer could lie beyond what the first listener has yet to read.
      this.#beginning ??= this.now().finally(() => {
        this.#beginning = undefined;
      });
      const cursor = await this.#beginning;
      this.#cursor ??= cursor;
    }
    this.#wake();
  }

  #wake(): void {
    if (this.#reading) this.#again = true;
    else if (!this.#closed) void this.#pump();
  }

  async #pump(): Promise<void> {
    this.#reading = true;
    clearTimeout(this.#timer);
    let delay = SAFETY_POLL_MS;
    try {
      do {
        this.#again = false;
        if (this.#idle) {
          this.#cursor = undefined;
          return;
        }
        if (!this.#cursor) return;
        const events = await this.#read(this.#cursor);
        for (const event of events) this.#deliver(event);
        if (events.length === BATCH) this.#again = true;
      } while (this.#again);
      if (await this.#hasGated()) delay = GATED_RETRY_MS;
    } catch (error) {
      this.#log.warn({ err: error }, 'reading new events failed; trying again');
      delay = 1000;
    } finally {
      this.#reading = false;
      // What was announced during the last look at the database has not been read yet.
      if (this.#again) delay = 0;
      if (!this.#closed && !this.#idle) this.#timer = setTimeout(() => this.#wake(), delay);
    }
  }

  #deliver(event: StreamedEvent): void {
    this.#cursor = { xid: event.xid, position: event.position };
    for (const subscriber of this.#subscribers) if (maySee(subscriber.caller, event)) subscriber.receive(event);
    if (event.finished_at) for (const wake of this.#waiters.get(event.id) ?? []) wake();
  }

  async #read(cursor: Cursor, filter = sql``): Promise<StreamedEvent[]> {
    const { rows } = await sql<StreamedEvent>`
      select *, xid::text as xid from events
      where (xid, position) > (${cursor.xid}::xid8, ${cursor.position}::bigint)
        and xid < pg_snapshot_xmin(pg_current_snapshot()) ${filter}
      order by events.xid, position limit ${BATCH}`.execute(this.#db);
    return rows;
  }

  /** Whether something is written already that an older transaction still keeps from being read in order. */
  async #hasGated(): Promise<boolean> {
    const { rows } = await sql<{ gated: boolean }>`
      select exists (select from events where xid >= pg_snapshot_xmin(pg_current_snapshot())) as gated`.execute(
      this.#db,
    );
    return rows[0]?.gated ?? false;
  }
}

export function maySee(
  caller: Caller,
  event: { team_id: string | null; user_id: string | null; site_live_id: string | null },
): boolean {
  const { team_id, site_live_id: site_id } = event;
  if (team_id !== null) return roleOnMatter(caller, { team_id, site_id }) !== undefined;
  return event.user_id === caller.userId && seesAccount(caller);
}

/** A token bound to one team knows nothing of the account around it. */
export function seesAccount(caller: Caller): boolean {
  return caller.credential.teamId === null;
}

/** Cursors travel as the id of a server-sent event. */
export const formatCursor = ({ xid, position }: Cursor): string => `${xid}-${position}`;

export const CURSOR = /^(\d{1,19})-(-?\d{1,15})$/;

export function parseCursor(text: string | undefined): Cursor | undefined {
  const match = CURSOR.exec(text ?? '');
  return match ? { xid: match[1] as string, position: Number(match[2]) } : undefined;
}
