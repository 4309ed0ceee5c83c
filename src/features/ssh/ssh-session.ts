import type { Socket } from 'node:net';
import { constants } from 'node:os';
import type { PseudoTtyInfo, ServerChannel, Session } from 'ssh2';
import type { Caller } from '#core/auth/caller.ts';
import { AppError } from '#core/errors.ts';
import { takeForCaller } from '#core/http/rate-limits.ts';
import { requireVerified } from '#core/policy.ts';
import type { Services } from '#core/services.ts';
import { findSiteById, markStorageStale, type SiteRow, specOf } from '#features/instance/instance.ts';
import { noteCommand, roomFor } from '#features/site-shell/site-shell.ts';
import { noteOpened, requireOpenSite } from '#features/terminal/terminal.ts';
import type { ProgramEnd, ProgramWish } from '#host/site-host.ts';
import { type ProgramWork, SiteFailure, type TerminalSize } from '#runtimes/runtime.ts';
import { SentBytes } from './sent-bytes.ts';

/** Who came in, and to which site. */
export interface Guest {
  caller: Caller;
  site: SiteRow;
}

/** What a client may say of its surroundings, and how much of it. */
const NAMES = /^(?:LANG|LC_[A-Z]{1,20})$/;
const VALUE = /^[\w.@:-]{1,64}$/;
const MOST_NAMES = 20;
/** To find the processes that one is for costs us more than whoever sends it. */
const SIGNAL_EVERY_MS = 100;
const MOST_COLUMNS = 500;
const MOST_ROWS = 300;
const TAKEN_BYTES = 512 * 1024;
const GO_ON_BYTES = 128 * 1024;
/** Smaller packets than anybody uses would make a few bytes very many. */
const LEAST_PACKET = 1_024;
/** What ssh itself ends with where something is wrong. */
const FAILED = 255;
const SAID: Record<Exclude<ProgramEnd['why'], 'exit' | 'left'>, string> = {
  idle: 'Nothing happened for half an hour, so this was ended.',
  stopped: 'The site is being worked on; try again in a moment.',
  full: 'The team has 30 terminals open; close some first.',
};

/** One session of a connection: a shell, a command or SFTP. It begins one thing, once. */
export class SshSession {
  /** Resolves when nothing of it runs any more. */
  readonly ended: Promise<void>;
  readonly #services: Services;
  readonly #guest: Guest;
  readonly #socket: Socket;
  readonly #endConnection: () => void;
  readonly #end: () => void;
  readonly #gone = new AbortController();
  readonly #env: Record<string, string> = {};
  #channel: ServerChannel | undefined;
  #size: TerminalSize | undefined;
  #signalledAt = Number.NEGATIVE_INFINITY;
  #resize: (size: TerminalSize) => void = () => {};
  #signal: (name: NodeJS.Signals) => void = () => {};

  constructor(services: Services, guest: Guest, session: Session, socket: Socket, endConnection: () => void) {
    this.#services = services;
    this.#guest = guest;
    this.#socket = socket;
    this.#endConnection = endConnection;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#end = resolve;
    session.once('close', () => this.leave());
    this.#listen(session);
  }

  /** The client is gone, or has closed it. */
  leave(): void {
    this.#gone.abort();
    if (!this.#channel) this.#end();
  }

  /** It never began anything. */
  get isEmpty(): boolean {
    return this.#channel === undefined;
  }

  get unreadBytes(): number {
    return this.#channel?.readableLength ?? 0;
  }

  #listen(session: Session): void {
    session.on('env', (accept, reject, { key, val }) => {
      const isMore = !(key in this.#env) && Object.keys(this.#env).length >= MOST_NAMES;
      if (this.#channel || isMore || !NAMES.test(key) || !VALUE.test(val)) return reject?.();
      this.#env[key] = val;
      accept?.();
    });
    session.on('pty', (accept, _reject, info: PseudoTtyInfo & { term?: string }) => {
      this.#size = sizeOf(info);
      if (VALUE.test(info.term)) this.#env.TERM = info.term;
      accept?.();
    });
    session.on('window-change', (accept, _reject, info) => {
      this.#size &&= sizeOf(info);
      this.#resize(sizeOf(info));
      accept?.();
    });
    session.on('signal', (accept, _reject, { name }) => {
      const signal = `SIG${name}`;
      const isEarly = performance.now() - this.#signalledAt < SIGNAL_EVERY_MS;
      if (signal in constants.signals && !isEarly) {
        this.#signalledAt = performance.now();
        this.#signal(signal as NodeJS.Signals);
      }
      accept?.();
    });
    session.on('shell', (accept) => this.#begin(accept, { kind: 'shell' }));
    session.on('exec', (accept, _reject, { command }) => this.#begin(accept, { kind: 'command', command }));
    session.on('subsystem', (accept, reject, { name }) => {
      if (name === 'sftp') this.#begin(accept, { kind: 'files' });
      else reject();
    });
  }

  /** At once: the library drops what is sent before it is accepted. */
  #begin(accept: () => ServerChannel, work: ProgramWork): void {
    if (this.#channel) return;
    const channel = accept();
    if (!channel) return;
    this.#channel = channel;
    channel.on('error', () => {});
    channel.stderr.on('error', () => {});
    const { outgoing } = channel as ServerChannel & { outgoing: { packetSize: number } };
    if (outgoing.packetSize < LEAST_PACKET) {
      this.#end();
      return void this.#socket.destroy();
    }
    const sent = new SentBytes(channel, this.#socket, this.#gone.signal);
    void this.#run(channel, sent, work).finally(this.#end);
  }

  async #run(channel: ServerChannel, sent: SentBytes, work: ProgramWork): Promise<void> {
    const { log } = this.#services;
    try {
      const end = await this.#program(channel, sent, work);
      if (end.why === 'exit') finish(channel, end.exitCode);
      else if (end.why !== 'left') {
        await sent.write('stderr', Buffer.from(`${SAID[end.why]}\r\n`));
        finish(channel, FAILED);
      }
      if (end.why === 'stopped') this.#endConnection();
    } catch (error) {
      const isTold = error instanceof AppError || error instanceof SiteFailure;
      if (!isTold) log.warn({ err: error, siteId: this.#guest.site.id }, 'a session by ssh broke');
      const message = isTold ? error.message : 'Something went wrong here; try again in a moment.';
      await sent.write('stderr', Buffer.from(`${message}\r\n`)).catch(() => {});
      finish(channel, FAILED);
    }
  }

  async #program(channel: ServerChannel, sent: SentBytes, work: ProgramWork): Promise<ProgramEnd> {
    const { db, hosts } = this.#services;
    const { caller } = this.#guest;
    requireVerified(caller);
    // As each command over HTTP does.
    if (takeForCaller(this.#services.limits, 'write', caller).exceeded)
      throw new SiteFailure('overload', 'These are too many commands; wait a minute.');
    const site = await this.#siteNow();
    const maxDiskBytes = await roomFor(db, site);
    if (work.kind === 'command') await noteCommand(this.#services, caller, site, work.command);
    else await noteOpened(db, caller, site, work.kind === 'files' ? 'files by sftp' : 'a terminal');
    const wish: ProgramWish = {
      work,
      ...(this.#size && { terminal: this.#size }),
      env: { ...this.#env },
      maxDiskBytes,
      onStart: (write, endInput, resize, signal) => {
        this.#resize = resize;
        this.#signal = signal;
        if (this.#size) resize(this.#size);
        feed(channel, write, endInput);
      },
      onOutput: (bytes, stream) => sent.write(stream, bytes),
      signal: this.#gone.signal,
    };
    try {
      return await hosts.program(specOf(this.#services, site), wish);
    } finally {
      await markStorageStale(db, site.id);
    }
  }

  /** Under the name that it was asked for by, and nobody else at work on it. */
  async #siteNow(): Promise<SiteRow> {
    const { site } = this.#guest;
    const now = await findSiteById(this.#services.db, site.id);
    if (now?.fqdn !== site.fqdn) throw new SiteFailure('stopped', 'There is no site of this name any more.');
    requireOpenSite(now);
    return now;
  }
}

function sizeOf({ cols, rows }: { cols: number; rows: number }): TerminalSize {
  const within = (value: number, usual: number, most: number) => Math.min(Math.max(2, value || usual), most);
  return { columns: within(cols, 80, MOST_COLUMNS), rows: within(rows, 24, MOST_ROWS) };
}

/** Hands over what comes, only so far ahead of what the program takes. */
function feed(channel: ServerChannel, write: (bytes: Buffer) => Promise<void>, endInput: () => void): void {
  let underWay = 0;
  channel.on('data', (bytes: Buffer) => {
    underWay += bytes.length;
    if (underWay > TAKEN_BYTES) channel.pause();
    const taken = () => {
      underWay -= bytes.length;
      if (underWay < GO_ON_BYTES) channel.resume();
    };
    write(bytes).then(taken, taken);
  });
  channel.on('end', () => endInput());
}

/** Where the connection is gone there is nobody to tell. */
function finish(channel: ServerChannel, exitCode: number): void {
  // What is sent still is nobody's, and must not pile up.
  channel.resume();
  try {
    channel.exit(exitCode);
    channel.end();
  } catch {}
}
