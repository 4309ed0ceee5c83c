import { type Dir, lstatSync, opendirSync, realpathSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { AwakeSite } from '#runtimes/desks/awake-site.ts';
import type { SiteRequestEnd } from '#runtimes/folders/listeners.ts';
import { findScript } from '#runtimes/php/find-script.ts';
import { SiteFailure, type SiteSpec } from '#runtimes/runtime.ts';
import { type ErrorMessage, ErrorStream } from './error-stream.ts';
import { ExchangeBroken, exchange, type RequestBody, readBody } from './fpm-exchange.ts';
import { FpmMaster } from './fpm-master.ts';
import { PhpAnswer } from './php-answer.ts';
import { newMark, type PhpEntry } from './php-home.ts';
import { cgiVariables } from './php-request.ts';

export interface FpmSiteOptions {
  site: SiteSpec;
  folders: { core: string; content: string; outbox: string };
  requestTimeoutMs: number;
  /** How many requests at once. */
  requestsAtOnce: number;
  newSocket(): string;
  /** A path for a file that nobody has. */
  newFile(): string;
  /** Starts PHP when there is room for it; it is given up with the signal. */
  whenRoom<T>(signal: AbortSignal, start: () => Promise<T>): Promise<T>;
  /** Makes ready what PHP starts in. */
  enter(): Promise<PhpEntry>;
  touched(): void;
  finished(end: SiteRequestEnd): void;
  logged(messages: readonly ErrorMessage[], request: string): void;
  broken(failure: SiteFailure, request: string | null): void;
}

/** PHP-FPM looks at times now and then: whoever takes too long is ended up to a third later, and by us where even that does not happen. */
const LATE = 4 / 3;
const LATE_MS = 5_000;
/** It counts from when it took the request, and in whole seconds. */
const NEARLY_MS = 1_500;
const JUST_NOW_MS = 1_000;
/** What can be asked for again without harm. */
const READS = /^(GET|HEAD)$/;
const NAMES_LIMIT = 1_000;
const MAX_REQUEST_NAME = 2_000;
const CONTENT = '/wp-content';

/** A site that is awake: its PHP-FPM, and the desks at which requests are handed to it. */
export class FpmSite {
  readonly #options: FpmSiteOptions;
  readonly awake: AwakeSite;
  #starting: Promise<FpmMaster> | undefined;
  readonly #stopping = new AbortController();
  master: FpmMaster | undefined;

  constructor(options: FpmSiteOptions) {
    this.#options = options;
    const { site, requestTimeoutMs, requestsAtOnce, newSocket, touched, broken } = options;
    this.awake = new AwakeSite(
      { requestTimeoutMs: requestTimeoutMs * LATE + LATE_MS, desks: requestsAtOnce },
      {
        newSocket,
        ready: async () => void (await this.#master()),
        touched,
        answer: (request, response, signal) => this.#answer(request, response, signal),
        broken: (failure, request) => broken(failure, site.isOffline ? null : request),
      },
    );
  }

  /** Lets what runs finish for a moment; resolves when nothing of the site is left. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    await this.awake.stop(graceMs);
    await this.#starting?.catch(() => undefined);
    await this.master?.kill();
  }

  /** It is on its way out for good. */
  get isLeaving(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Makes way for other sites; whoever waits for it makes it start again when there is room. Resolves with how many requests it broke off. */
  rest(graceMs: number, why: string, ended: () => void): Promise<number> {
    return this.awake.rest(graceMs, why, async () => {
      await this.master?.kill();
      ended();
    });
  }

  /** The one that runs, or a new one where there is none. */
  async #master(): Promise<FpmMaster> {
    if (this.master?.isAlive) return this.master;
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(): Promise<FpmMaster> {
    const before = this.master;
    await before?.kill();
    const { signal } = this.#stopping;
    return this.#options.whenRoom(signal, async () => {
      if (signal.aborted) throw new SiteFailure('stopped', 'The site was stopped.');
      this.master = await FpmMaster.start(await this.#options.enter());
      return this.master;
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> {
    let body: RequestBody;
    try {
      body = await readBody(request, () => this.#options.newFile());
    } catch {
      // It broke off before PHP saw it.
      response.destroy();
      return;
    }
    const { site, folders, finished, logged } = this.#options;
    const mark = newMark();
    const script = findScript(request.url ?? '/', (path) => this.#isFile(path));
    const variables = { ...cgiVariables(request, script, body.bytes), ...mark.variables };
    const answer = new PhpAnswer(response, request.method === 'HEAD');
    const errors = new ErrorStream();
    try {
      await this.#exchange(variables, body, response, { answer, errors }, signal);
    } finally {
      await body.close();
      answer.drop();
      const messages = errors.finish();
      const name = `${request.method} ${request.url}`.slice(0, MAX_REQUEST_NAME);
      if (messages.length > 0 && !site.isOffline) logged(messages, name);
    }
    const outbox = site.isOffline ? [] : readOutbox(folders.outbox);
    const changed = !site.isOffline && isThere(join(folders.outbox, mark.name));
    if (changed) await rm(join(folders.outbox, mark.name), { recursive: true, force: true });
    answer.finish({ complaints: errors.complaints, isFatal: errors.isFatal, purge: changed });
    if (!site.isOffline) finished({ changed, outbox });
  }

  async #exchange(
    variables: Record<string, string>,
    body: RequestBody,
    response: ServerResponse,
    { answer, errors }: { answer: PhpAnswer; errors: ErrorStream },
    signal: AbortSignal,
  ): Promise<void> {
    const startedAt = performance.now();
    const events = { stdout: (part: Buffer) => answer.take(part), stderr: (part: Buffer) => errors.take(part) };
    const once = async () => {
      const socket = (await this.#master()).connect();
      answer.onSlow(() => socket.pause());
      await exchange(socket, variables, body, response, events, signal);
    };
    try {
      await once().catch((error) => {
        const mayRepeat = error instanceof ExchangeBroken && !body.rest && !answer.hasHead;
        // The site may have ended its own PHP in the moment before, or somebody stopped a process as it took the request.
        if (mayRepeat && (!error.wasSent || (this.#wasEnded && READS.test(variables.REQUEST_METHOD ?? ''))))
          return once();
        throw error;
      });
      if (!answer.hasHead) throw new SiteFailure('crash', 'PHP ended without an answer.');
    } catch (error) {
      if (signal.aborted) return this.#calledOff(signal.reason);
      throw error instanceof ExchangeBroken ? this.#failure(performance.now() - startedAt) : error;
    }
  }

  /** All of its PHP is gone, or a process was ended right now because somebody had stopped it. */
  get #wasEnded(): boolean {
    if (!this.master?.isAlive) return true;
    return performance.now() - (this.master?.endedStoppedAt ?? Number.NEGATIVE_INFINITY) < JUST_NOW_MS;
  }

  /** Where PHP-FPM has not ended it in time, somebody has stopped that too. */
  async #calledOff(reason: unknown): Promise<never> {
    if (reason instanceof SiteFailure && reason.reason === 'timeout') await this.master?.kill();
    throw reason;
  }

  #failure(spentMs: number): SiteFailure {
    const { requestTimeoutMs } = this.#options;
    const seconds = Math.round(requestTimeoutMs / 1000);
    return spentMs > requestTimeoutMs - NEARLY_MS
      ? new SiteFailure('timeout', `The site took longer than ${seconds} seconds to answer.`)
      : new SiteFailure('crash', 'PHP ended in the middle of a request.');
  }

  /** Links are the site's own doing, and lead nowhere else than inside of its sandbox. */
  #isFile(path: string): boolean {
    const { core, content } = this.#options.folders;
    const isOwn = path.startsWith(`${CONTENT}/`);
    const root = isOwn ? content : core;
    const file = join(root, isOwn ? path.slice(CONTENT.length) : path);
    try {
      if (!statSync(file).isFile()) return false;
      return !isOwn || realpathSync(file).startsWith(`${realpathSync(root)}/`);
    } catch {
      return false;
    }
  }
}

/**
 * The site's own PHP writes there, as much as it likes; so many names at most are read. It has just looked there itself, so that this takes
 * microseconds, where threads that look take ten times of that.
 */
function readOutbox(outbox: string): string[] {
  const names: string[] = [];
  let folder: Dir | undefined;
  try {
    folder = opendirSync(outbox);
    for (let entry = folder.readSync(); entry && names.push(entry.name) < NAMES_LIMIT; ) entry = folder.readSync();
  } catch {
    // The site was deleted meanwhile.
  } finally {
    folder?.closeSync();
  }
  return names;
}

/** Links count as what they are. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
