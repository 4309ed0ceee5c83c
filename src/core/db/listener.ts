import pg from 'pg';
import type { Log } from '#core/log.ts';

const RETRY_MS = 500;

const listen = (channel: string) => `listen ${pg.escapeIdentifier(channel)}`;

/**
 * One connection per process that hears the database's announcements (LISTEN) for everybody in it. It comes back by
 * itself; who could have missed something meanwhile asks for onReconnect.
 */
export class Listener {
  readonly #url: string;
  readonly #log: Log;
  readonly #handlers = new Map<string, Set<(payload: string) => void>>();
  readonly #reconnectHandlers = new Set<() => void>();
  #client: pg.Client | undefined;
  #lastListen: Promise<unknown> = Promise.resolve();
  #closed = false;
  connected = false;

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

  async connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: 'siteyard listener',
      keepAlive: true,
    });
    client.on('notification', ({ channel, payload }) => {
      for (const handler of this.#handlers.get(channel) ?? []) handler(payload ?? '');
    });
    client.on('error', (error) => this.#lost(client, error));
    client.on('end', () => this.#lost(client, undefined));
    try {
      await client.connect();
      for (const channel of this.#handlers.keys()) await client.query(listen(channel));
      if (this.#closed) throw new Error('closed meanwhile');
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
    this.#client = client;
    this.connected = true;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.connected = false;
    await this.#client?.end().catch(() => {});
  }

  #lost(client: pg.Client, error: Error | undefined): void {
    if (this.#closed || this.#client !== client) return;
    this.connected = false;
    this.#client = undefined;
    this.#log.warn({ err: error }, 'lost the connection that hears the database; connecting again');
    client.end().catch(() => {});
    this.#reconnect();
  }

  #reconnect(): void {
    setTimeout(async () => {
      if (this.#closed) return;
      try {
        await this.connect();
        for (const handler of this.#reconnectHandlers) handler();
      } catch {
        this.#reconnect();
      }
    }, RETRY_MS).unref();
  }
}
