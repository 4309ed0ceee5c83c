import { type WebSocket, WebSocketServer } from 'ws';
import type { Caller } from '#core/auth/caller.ts';
import type { Upgrade } from '#core/http/operation.ts';
import type { Services } from '#core/services.ts';
import { specOf } from '#features/instance/instance.ts';
import { roomFor } from '#features/site-shell/site-shell.ts';
import type { TerminalEnd } from '#host/site-host.ts';
import type { SiteFailure, TerminalSize } from '#runtimes/runtime.ts';
import { EarlyInput } from './early-input.ts';
import { comeBack, watchWhileAlone } from './left-alone.ts';
import { CLOSED, MAX_MESSAGE_BYTES, readMessage, type ToPage } from './terminal.protocol.ts';
import { issueTicket, noteOpened, type Seat, stillMay } from './terminal.ts';
import { UnderWay } from './under-way.ts';

/** Proxies close what is silent, and a machine that vanished says nothing. */
const ALIVE_MS = 25_000;

const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });

interface View extends TerminalSize {
  from?: number | undefined;
}

/** Joins a page and a terminal until one of them ends. What is typed and shown is nobody else's, and is written down nowhere. */
export async function connectTerminal(
  services: Services,
  caller: Caller,
  seat: Seat,
  view: View,
  { request, socket, head }: Upgrade,
): Promise<void> {
  const page = await new Promise<WebSocket>((resolve) => sockets.handleUpgrade(request, socket, head, resolve));
  const connection = new Connection(services, caller, seat, page);
  const end = await connection.run(view);
  if (end.why === 'left') await watchWhileAlone(services, caller, seat);
}

class Connection {
  readonly #services: Services;
  readonly #caller: Caller;
  readonly #seat: Seat;
  readonly #page: WebSocket;
  readonly #underWay = new UnderWay();
  readonly #gone = new AbortController();
  readonly #early = new EarlyInput();
  #size: TerminalSize | undefined;
  #type: (bytes: Buffer) => void = (bytes) => this.#early.add(bytes);
  #resize: (size: TerminalSize) => void = (size) => {
    this.#size = size;
  };

  constructor(services: Services, caller: Caller, seat: Seat, page: WebSocket) {
    this.#services = services;
    this.#caller = caller;
    this.#seat = seat;
    this.#page = page;
    page.on('error', () => {});
    page.on('close', () => this.#gone.abort());
    page.on('message', (data, isBinary) => {
      try {
        this.#hear(data as Buffer, isBinary);
      } catch (error) {
        services.log.warn({ err: error }, 'a terminal could not take what was sent');
        page.close(CLOSED.unavailable);
      }
    });
  }

  async run({ columns, rows, from }: View): Promise<TerminalEnd> {
    const { hosts, log } = this.#services;
    const { site, sessionId, mayOpen } = this.#seat;
    const stopWatching = this.#watch();
    try {
      const end = await hosts.terminal(specOf(this.#services, site), {
        session: sessionId,
        owner: this.#caller.userId,
        mayOpen,
        columns,
        rows,
        maxDiskBytes: await roomFor(this.#services.db, site),
        ...(from !== undefined && { from }),
        onOpen: (start, type, resize) => this.#begin(start, type, resize),
        onOutput: (bytes) => this.#show(bytes),
        signal: this.#gone.signal,
      });
      this.#close(end);
      return end;
    } catch (error) {
      const { reason, message } = error as Partial<SiteFailure>;
      if (reason === undefined) log.warn({ err: error, siteId: site.id }, 'a terminal could not be opened or broke');
      const isWorkedOn = reason === 'stopped';
      this.#page.close(isWorkedOn ? CLOSED.stopped : CLOSED.unavailable, reason && message ? cut(message) : '');
      return { why: 'stopped' };
    } finally {
      stopWatching();
    }
  }

  #begin(
    { place, isNew }: { place: number; isNew: boolean },
    type: (bytes: Buffer) => void,
    resize: (size: TerminalSize) => void,
  ): void {
    comeBack(this.#seat.sessionId);
    this.#tell({ t: 'open', session: this.#seat.sessionId, place, is_new: isNew });
    this.#type = type;
    this.#resize = resize;
    if (this.#size) resize(this.#size);
    const early = this.#early.take();
    if (early.length > 0) type(early);
    const { db, log } = this.#services;
    const { site } = this.#seat;
    const note = async () => {
      if (isNew) await noteOpened(db, this.#caller, site);
      if (this.#seat.carriesOn) await this.#giveNextTicket();
    };
    note().catch((error) => log.warn({ err: error, siteId: site.id }, 'could not note that a terminal was opened'));
  }

  async #giveNextTicket(): Promise<void> {
    const { site, sessionId } = this.#seat;
    const wanted = { site, sessionId, carriesOn: true };
    const { ticket } = await issueTicket(this.#services.db, this.#caller, wanted);
    this.#tell({ t: 'ticket', ticket });
  }

  async #show(bytes: Buffer): Promise<void> {
    if (this.#page.readyState !== this.#page.OPEN) throw new Error('the page is gone');
    this.#page.send(bytes);
    await this.#underWay.add(bytes.length);
  }

  #hear(data: Buffer, isBinary: boolean): void {
    const message = isBinary ? undefined : readMessage(data.toString());
    if (!message) this.#page.close(1007);
    else if (message.t === 'in') this.#type(Buffer.from(message.d));
    else if (message.t === 'ack') this.#underWay.acknowledge(message.n);
    else this.#resize({ columns: message.columns, rows: message.rows });
  }

  #tell(message: ToPage): void {
    if (this.#page.readyState === this.#page.OPEN) this.#page.send(JSON.stringify(message));
  }

  #close(end: TerminalEnd): void {
    if (end.why === 'exit') this.#tell({ t: 'exit', code: end.exitCode });
    if (end.why === 'left' || end.why === 'exit') this.#page.close(1000);
    else this.#page.close(CLOSED[end.why]);
    // Who does not answer to that is not waited for.
    setTimeout(() => this.#page.terminate(), ALIVE_MS).unref();
  }

  /** Ends what nobody answers any more. A change of rights is heard of at once; that the site went to another team, by looking. */
  #watch(): () => void {
    let isAlive = true;
    this.#page.on('pong', () => {
      isAlive = true;
    });
    const look = async () => {
      if (!isAlive) return this.#page.terminate();
      isAlive = false;
      this.#page.ping();
      if (await stillMay(this.#services, this.#caller, this.#seat.site.id)) return;
      this.#page.close(CLOSED.rights);
      this.#page.terminate();
    };
    const clock = setInterval(() => look().catch(() => {}), ALIVE_MS).unref();
    return () => clearInterval(clock);
  }
}

/** A reason has 123 bytes (RFC 6455, 5.5). */
function cut(message: string): string {
  return Buffer.from(message)
    .subarray(0, 120)
    .toString()
    .replace(/\uFFFD+$/, '');
}
