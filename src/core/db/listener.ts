import pg from 'pg';
import type { Log } from '#core/log.ts';
import { Client } from './client.ts';

const RETRY_MS = 500;
/** With all that is listened to; a database may stop answering at any point of it. */
const CONNECT_MS = 4_000;
/** So often the database is asked for a sign of life, and after so many times without an answer it is taken for gone. */
const BEAT_MS = 500;
const BEATS_MISSED = 8;

const listen = (channel: string) => `listen ${pg.escapeIdentifier(channel)}`;

/**
 * One connection per process that hears the database's announcements (LISTEN) for everybody in it. It comes back by
 * itself; who could have missed something meanwhile asks for onReconnect.
 *
 * It also finds out whether the database answers at all. One that hangs (stopped, out of reach without a word) breaks no
 * connection, so nobody would ever be told: four seconds of silence are taken for its end.
 */
export class Listener {
  readonly #url: string;
  readonly #log: Log;
  readonly #handlers = new Map<string, Set<(payload: string) => void>>();
  readonly #reconnectHandlers = new Set<() => void>();
  readonly #silenceHandlers = new Set<() => void>();
  #client: Client | undefined;
  #heart: NodeJS.Timeout | undefined;
  #lastListen: Promise<unknown> = Promise.resolve();
  #closed = false;
  connected = false;
  /** The database has stopped answering and has not come back yet. */
  isSilent = false;

  constructor(url: string, log: Log) {
    this.#url = url;
    this.#log = log;
  }

  async on(channel: string, handler: (payload: string) => void): Promise<void> {
    const handlers = this.#handlers.get(channel) ?? new Set();
    this.#handlers.set(channel, handlers.add(handler));
    if (handlers.size > 1 || !this.connected) return;
    // One after another, as pg wants it. When it fails the connection is gone, and the next one listens to everything.
    this.#lastListen = this.#lastListen.then(() => this.#client?.query(listen(channel))).catch(() => {});
    await this.#lastListen;
  }

  onReconnect(handler: () => void): void {
    this.#reconnectHandlers.add(handler);
  }

  onSilence(handler: () => void): void {
    this.#silenceHandlers.add(handler);
  }

  async connect(): Promise<void> {
    const client = new Client({
      connectionString: this.#url,
      application_name: 'siteyard listener',
      keepAlive: true,
    });
    client.on('notification', ({ channel, payload }) => {
      for (const handler of this.#handlers.get(channel) ?? []) handler(payload ?? '');
    });
    client.on('error', (error) => this.#lost(client, error));
    client.on('end', () => this.#lost(client, undefined));
    const limit = setTimeout(() => client.cut(), CONNECT_MS);
    try {
      await client.connect();
      for (const channel of this.#handlers.keys()) await client.query(listen(channel));
      if (this.#closed) throw new Error('closed meanwhile');
    } catch (error) {
      client.cut();
      throw error;
    } finally {
      clearTimeout(limit);
    }
    this.#client = client;
    this.connected = true;
    this.isSilent = false;
    this.#beat(client);
  }

  /**
   * Beats are counted and not reckoned in time: where it was this process that stood still, one beat is missed and the answer
   * read before the next.
   */
  #beat(client: Client): void {
    let missed = 0;
    let isAsked = false;
    const beat = () => {
      missed = isAsked ? missed + 1 : 0;
      if (missed >= BEATS_MISSED) return this.#silent(client);
      this.#heart = setTimeout(beat, BEAT_MS).unref();
      if (isAsked) return;
      isAsked = true;
      const answered = () => {
        isAsked = false;
      };
      // Where it fails the connection is gone, which is told elsewhere.
      this.#lastListen = this.#lastListen.then(() => client.query('select 1')).then(answered, () => {});
    };
    clearTimeout(this.#heart);
    beat();
  }

  #silent(client: Client): void {
    if (this.#closed || this.#client !== client) return;
    this.isSilent = true;
    client.cut();
    this.#lost(client, new Error('The database does not answer'));
    for (const handler of this.#silenceHandlers) handler();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.connected = false;
    clearTimeout(this.#heart);
    await this.#client?.end().catch(() => {});
  }

  #lost(client: Client, error: Error | undefined): void {
    if (this.#closed || this.#client !== client) return;
    this.connected = false;
    this.#client = undefined;
    clearTimeout(this.#heart);
    this.#log.warn({ err: error }, 'lost the connection that hears the database; connecting again');
    client.cut();
    this.#reconnect();
  }

  /** Not all processes at the same moment. */
  #reconnect(): void {
    const inMs = RETRY_MS * (0.5 + Math.random());
    setTimeout(async () => {
      if (this.#closed) return;
      try {
        await this.connect();
        for (const handler of this.#reconnectHandlers) handler();
      } catch {
        this.#reconnect();
      }
    }, inMs).unref();
  }
}
