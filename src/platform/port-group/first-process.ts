import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import type { Server } from 'node:net';
import type { MetricFigures, Metrics } from '#core/http/metrics.ts';
import type { Log } from '#core/log.ts';
import type { Stop } from '#core/part.ts';
import { type Config, SHARES_PORTS } from '../../config.ts';
import { ownKey } from '../platform-key.ts';
import type { News, PortName, ToFirst, ToFurther, Welcome } from './messages.ts';
import type { PortGroup } from './port-group.ts';

/** One that ended is started again after a pause, and after a longer one each time that it did not last. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
const LASTS_MS = 60_000;
/** What is being answered has 10 s to end (connections.ts). */
const STOP_MS = 20_000;
/** One that hangs has no figures, and keeps nobody from those of the others. */
const FIGURES_MS = 2_000;

/** What those do that share a port; the rest is done once. */
const ROLES = ['api', 'edge'] as const;

interface Place {
  args: string[];
  told: Omit<Welcome, 'visitorSeed' | 'ticketKeys'>;
  log: Log;
}

/** The process that opened the ports. */
export class FirstProcess implements PortGroup {
  readonly visitorSeed = randomInt(2 ** 32);
  readonly ticketKeys = randomBytes(48);
  readonly #ports = new Map<PortName, Server>();
  /** Those that have said that they are there. */
  readonly #running = new Set<ChildProcess>();
  readonly #listeners: ((news: News) => void)[] = [];
  readonly #figures = new Map<number, (figures: MetricFigures) => void>();
  #metrics: Pick<Metrics, 'render' | 'read'> | undefined;
  readonly #program: string | undefined;
  #asked = 0;
  replaced = 0;

  /** Without the file of the program it stays the only one. */
  constructor(program?: string) {
    this.#program = program;
  }

  tell(news: News): void {
    for (const child of this.#running) say(child, { t: 'news', news });
  }

  hear(listener: (news: News) => void): void {
    this.#listeners.push(listener);
  }

  async portOf(): Promise<undefined> {
    return undefined;
  }

  share(name: PortName, server: Server): void {
    this.#ports.set(name, server);
  }

  async pageOf(metrics: Pick<Metrics, 'render'>): Promise<string> {
    const others = await Promise.all([...this.#running].map((child) => this.#figuresOf(child)));
    return metrics.render(others.filter((figures) => figures.length > 0));
  }

  answerFigures(metrics: Pick<Metrics, 'render' | 'read'>): void {
    this.#metrics = metrics;
  }

  /** Starts the others, and starts them again when they end. Waits for none of them: until they are there, this one answers alone. */
  async start(config: Config, { url: databaseUrl }: { url: string }, log: Log): Promise<Stop> {
    const roles = ROLES.filter((role) => config.roles.has(role));
    const program = roles.length > 0 ? this.#program : undefined;
    if (program === undefined || config.edgeProcesses === 1) return async () => undefined;
    const told = { databaseUrl, secretKey: await ownKey(config), processes: config.edgeProcesses };
    const args = [`--role=${roles.join(',')}`, SHARES_PORTS];
    const further = Array.from({ length: config.edgeProcesses - 1 }, () => this.#keep(program, { args, told, log }));
    return () => Promise.all(further.map((stop) => stop()));
  }

  /** Keeps one of them running. */
  #keep(program: string, { args, told, log }: Place): Stop {
    let child: ChildProcess | undefined;
    let ended: Promise<unknown> = Promise.resolve();
    let pauseMs = FIRST_PAUSE_MS;
    let isStopping = false;
    let pause: NodeJS.Timeout | undefined;
    const start = () => {
      const startedAtMs = performance.now();
      const started = fork(program, args, {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      child = started;
      started.on('message', (message: ToFirst) => this.#take(started, message, told));
      ended = new Promise<void>((resolve) => {
        const end = (code: number | null, signal: NodeJS.Signals | null) => {
          this.#running.delete(started);
          resolve();
          if (isStopping) return;
          this.replaced++;
          if (performance.now() - startedAtMs > LASTS_MS) pauseMs = FIRST_PAUSE_MS;
          log.warn({ pid: started.pid, code, signal, pause_ms: pauseMs }, 'a process that shares the port has ended');
          pause = setTimeout(start, pauseMs);
          pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
        };
        started.once('exit', end);
        started.on('error', (error) => {
          log.warn({ err: error }, 'a process that shares the port is in trouble');
          // One that could not be started has no exit.
          if (started.pid === undefined) end(null, null);
        });
      });
    };
    start();
    return async () => {
      isStopping = true;
      clearTimeout(pause);
      child?.kill('SIGTERM');
      const late = setTimeout(() => child?.kill('SIGKILL'), STOP_MS);
      await ended;
      clearTimeout(late);
    };
  }

  #take(child: ChildProcess, message: ToFirst, told: Place['told']): void {
    const { visitorSeed, ticketKeys } = this;
    if (message.t === 'hello') {
      this.#running.add(child);
      say(child, { t: 'welcome', welcome: { ...told, visitorSeed, ticketKeys: ticketKeys.toString('base64') } });
    } else if (message.t === 'port') say(child, { t: 'port', name: message.name }, this.#ports.get(message.name));
    else if (message.t === 'page') void this.#sayPage(child, message.id);
    else if (message.t === 'figures') this.#figures.get(message.id)?.(message.figures);
    else {
      for (const other of this.#running) if (other !== child) say(other, message);
      for (const listener of this.#listeners) listener(message.news);
    }
  }

  async #sayPage(child: ChildProcess, id: number): Promise<void> {
    const page = this.#metrics && (await this.pageOf(this.#metrics).catch(() => undefined));
    say(child, { t: 'page', id, page: page ?? null });
  }

  async #figuresOf(child: ChildProcess): Promise<MetricFigures> {
    const id = this.#asked++;
    const figures = await new Promise<MetricFigures>((resolve) => {
      const late = setTimeout(() => resolve([]), FIGURES_MS);
      this.#figures.set(id, (told) => {
        clearTimeout(late);
        resolve(told);
      });
      say(child, { t: 'figures', id });
    });
    this.#figures.delete(id);
    return figures;
  }
}

/** One that has ended hears nothing any more, which its end tells. */
function say(child: ChildProcess, message: ToFurther, handle?: Server): void {
  if (child.connected) child.send(message, handle, () => undefined);
}
