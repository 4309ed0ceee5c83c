import { once } from 'node:events';
import type { Server } from 'node:net';
import type { Metrics } from '#core/http/metrics.ts';
import type { News, PortName, ToFirst, ToFurther, Welcome } from './messages.ts';
import type { PortGroup } from './port-group.ts';

/** One of the processes that the first one has started. It ends when that one does, however that was. */
export class FurtherProcess implements PortGroup {
  readonly visitorSeed: number;
  readonly ticketKeys: Buffer;
  /** What its environment lacks. It came over the channel, since environments can be read by others of the same user. */
  readonly env: { DATABASE_URL: string; SECRET_KEY: string; EDGE_PROCESSES: string };
  readonly replaced = 0;
  readonly #listeners: ((news: News) => void)[] = [];
  readonly #pages = new Map<number, (page: string | null) => void>();
  readonly #ports = new Map<PortName, (server: Server) => void>();
  #metrics: Pick<Metrics, 'read'> | undefined;
  #asked = 0;

  private constructor({ databaseUrl, secretKey, processes, visitorSeed, ticketKeys }: Welcome) {
    this.visitorSeed = visitorSeed;
    this.ticketKeys = Buffer.from(ticketKeys, 'base64');
    this.env = { DATABASE_URL: databaseUrl, SECRET_KEY: secretKey, EDGE_PROCESSES: String(processes) };
    process.on('message', (message: ToFurther, handle) => this.#take(message, handle as Server | undefined));
  }

  /** Reports to the first process, and resolves with what it says. */
  static async join(): Promise<FurtherProcess> {
    process.once('disconnect', () => process.exit(1));
    if (!process.connected) process.exit(1);
    const welcomed = once(process, 'message') as Promise<[ToFurther]>;
    say({ t: 'hello' });
    const [message] = await welcomed;
    if (message.t !== 'welcome') throw new Error(`a process that shares a port was told ${message.t} first`);
    return new FurtherProcess(message.welcome);
  }

  tell(news: News): void {
    say({ t: 'news', news });
  }

  hear(listener: (news: News) => void): void {
    this.#listeners.push(listener);
  }

  portOf(name: PortName): Promise<Server> {
    return new Promise((resolve) => {
      this.#ports.set(name, resolve);
      say({ t: 'port', name });
    });
  }

  share(): void {}

  /** Whichever process is asked, the answer is the same: counters that fall would be taken for a restart. */
  async pageOf(): Promise<string> {
    const id = this.#asked++;
    const page = await new Promise<string | null>((resolve) => {
      this.#pages.set(id, resolve);
      say({ t: 'page', id });
    });
    if (page === null) throw new Error('the first process could not tell the figures');
    return page;
  }

  answerFigures(metrics: Pick<Metrics, 'read'>): void {
    this.#metrics = metrics;
  }

  async start(): Promise<() => Promise<void>> {
    return async () => undefined;
  }

  #take(message: ToFurther, handle: Server | undefined): void {
    if (message.t === 'news') for (const listener of this.#listeners) listener(message.news);
    else if (message.t === 'page') this.#answerPage(message.id, message.page);
    else if (message.t === 'figures') void this.#sayFigures(message.id);
    else if (message.t === 'port' && handle) this.#ports.get(message.name)?.(handle);
  }

  #answerPage(id: number, page: string | null): void {
    this.#pages.get(id)?.(page);
    this.#pages.delete(id);
  }

  async #sayFigures(id: number): Promise<void> {
    const figures = await this.#metrics?.read().catch(() => undefined);
    say({ t: 'figures', id, figures: figures ?? [] });
  }
}

function say(message: ToFirst): void {
  // Where nobody hears it, the end of the channel ends this process.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}
