import { ApiError } from '#sdk';
import { api, isStatus } from '../api/client.ts';

/**
 * The way between a page and a shell: a ticket, a socket, and another one when that breaks. What is to be drawn goes to `draw`, which says when it
 * has: the service lets only so much be under way, so a flood waits for the page instead of filling it.
 */
export type ConnectionState =
  | { kind: 'connecting' | 'open' | 'reconnecting' }
  /** It is over; another shell can be opened where `canBegin`. */
  | { kind: 'over'; message: string; canBegin: boolean };

export interface TerminalPlace {
  fqdn: string;
  forStage: boolean;
  /** Where the page has no session to ask for one with. */
  ticket?: string | null;
}

export interface Screen {
  /** Resolves when it is drawn. */
  draw(bytes: Uint8Array): Promise<void>;
  clear(): void;
  size(): { columns: number; rows: number };
}

const ACKNOWLEDGE_BYTES = 32 * 1024;
const INPUT_CHARACTERS = 8 * 1024;
const RETRY_MS = [300, 1_000, 2_000, 4_000, 8_000];
/** As long as a shell waits for its page. */
const GIVE_UP_MS = 5 * 60_000;

const CLOSED: Record<number, string> = {
  4001: 'This terminal was opened in another window.',
  4002: 'The terminal was closed, because nothing happened in it for a long time.',
  4003: 'The terminal was ended.',
  4004: 'The site is being worked on, so its terminals were closed.',
  4005: 'The terminal has ended.',
  4006: 'The team has as many terminals open as it may. Close some first.',
  4008: 'You may no longer use a terminal of this site.',
};
const UNAVAILABLE = 4007;

export class TerminalConnection {
  readonly #place: TerminalPlace;
  readonly #screen: Screen;
  readonly #onState: (state: ConnectionState) => void;
  #socket: WebSocket | undefined;
  #ticket: string | undefined;
  #session: string | undefined;
  /** How much of the session came here. */
  #received: number | undefined;
  #attempts = 0;
  #lostAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  #isOpen = false;
  #typed = '';

  constructor(place: TerminalPlace, screen: Screen, onState: (state: ConnectionState) => void) {
    this.#place = place;
    this.#screen = screen;
    this.#onState = onState;
    this.#ticket = place.ticket ?? undefined;
    // A page that is loaded anew goes on with the shell that it had.
    this.#session = recall(place);
  }

  open(): void {
    this.#onState({ kind: 'connecting' });
    void this.#connect();
  }

  /** A new shell, when the one before is over. */
  begin(): void {
    this.#session = undefined;
    this.#received = undefined;
    this.#screen.clear();
    this.open();
  }

  /** Leaves it; the shell waits for a while. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#socket?.close();
  }

  /** What is typed while the connection is away is kept until it is back. */
  type(text: string): void {
    if (!this.#isOpen) {
      this.#typed = (this.#typed + text).slice(0, INPUT_CHARACTERS);
      return;
    }
    for (let at = 0; at < text.length; at += INPUT_CHARACTERS)
      this.#send({ t: 'in', d: text.slice(at, at + INPUT_CHARACTERS) });
  }

  resize(columns: number, rows: number): void {
    this.#send({ t: 'size', columns, rows });
  }

  async #connect(): Promise<void> {
    const ticket = await this.#nextTicket().catch((error: unknown) => this.#refused(error));
    if (ticket === undefined || this.#isClosed) return;
    const { columns, rows } = this.#screen.size();
    const query = new URLSearchParams({ ticket, columns: String(columns), rows: String(rows) });
    if (this.#received !== undefined) query.set('from', String(this.#received));
    const origin = location.origin.replace(/^http/, 'ws');
    const socket = new WebSocket(`${origin}/f/api/v1/site/${this.#place.fqdn}/terminal/socket?${query}`);
    socket.binaryType = 'arraybuffer';
    this.#socket = socket;
    let drawn = 0;
    socket.onmessage = ({ data }) => {
      if (typeof data === 'string') return this.#hear(JSON.parse(data));
      const bytes = new Uint8Array(data);
      this.#received = (this.#received ?? 0) + bytes.length;
      void this.#screen.draw(bytes).then(() => {
        drawn += bytes.length;
        if (drawn < ACKNOWLEDGE_BYTES || socket !== this.#socket) return;
        this.#send({ t: 'ack', n: drawn });
        drawn = 0;
      });
    };
    socket.onclose = ({ code, reason }) => {
      if (socket === this.#socket) this.#lost(code, reason);
    };
  }

  async #nextTicket(): Promise<string> {
    if (this.#ticket !== undefined) {
      const ticket = this.#ticket;
      this.#ticket = undefined;
      return ticket;
    }
    if (this.#place.ticket) throw new NoTicket();
    const { fqdn, forStage } = this.#place;
    const body = { for_stage: forStage, ...(this.#session && { session_id: this.#session }) };
    const { ticket } = await api.createTerminal({ params: { fqdn }, body });
    return ticket;
  }

  #refused(error: unknown): undefined {
    if (error instanceof NoTicket) this.#over('The connection is lost. Open the page again.', false);
    else if (isStatus(error, 401)) this.#over('You are signed out.', false);
    else if (error instanceof ApiError && error.code === 'terminal.not_found') this.#sessionIsOver();
    else if (isStatus(error, 403, 404)) this.#over('You may no longer use a terminal of this site.', false);
    else if (error instanceof ApiError && error.status < 500) this.#over(error.message, true);
    else this.#tryAgain();
  }

  /** Whoever loads the page long after gets a new shell; whoever saw the old one end is told. */
  #sessionIsOver(): void {
    const isFirst = this.#received === undefined;
    this.#session = undefined;
    if (isFirst) void this.#connect();
    else this.#over('The terminal has ended.', true);
  }

  #hear(message: { t: string; session: string; place: number; ticket: string; code: number }): void {
    if (message.t === 'ticket') this.#ticket = message.ticket;
    else if (message.t === 'exit') this.#over(`The shell has ended (${message.code}).`, true);
    else if (message.t === 'open') {
      this.#attempts = 0;
      this.#session = message.session;
      remember(this.#place, message.session);
      if (this.#received !== message.place) this.#screen.clear();
      this.#received = message.place;
      const { columns, rows } = this.#screen.size();
      this.resize(columns, rows);
      this.#isOpen = true;
      this.type(this.#typed);
      this.#typed = '';
      this.#onState({ kind: 'open' });
    }
  }

  #lost(code: number, reason: string): void {
    this.#isOpen = false;
    if (this.#isClosed) return;
    const message = code === UNAVAILABLE ? reason || 'No terminal is available right now.' : CLOSED[code];
    if (message !== undefined) this.#over(message, code !== 4008);
    else this.#tryAgain();
  }

  #tryAgain(): void {
    if (this.#isClosed) return;
    if (this.#attempts === 0) this.#lostAt = performance.now();
    if (performance.now() - this.#lostAt > GIVE_UP_MS) this.#over('The connection is lost.', true);
    else {
      this.#onState({ kind: 'reconnecting' });
      const waitMs = RETRY_MS[Math.min(this.#attempts++, RETRY_MS.length - 1)];
      this.#timer = setTimeout(() => void this.#connect(), waitMs);
    }
  }

  #over(message: string, canBegin: boolean): void {
    this.#socket = undefined;
    this.#isOpen = false;
    this.#typed = '';
    remember(this.#place, undefined);
    this.#onState({ kind: 'over', message, canBegin: canBegin && !this.#place.ticket });
  }

  #send(message: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}

class NoTicket extends Error {}

const keyOf = ({ fqdn, forStage }: TerminalPlace) => `siteyard.terminal ${fqdn}${forStage ? ' stage' : ''}`;

function recall(place: TerminalPlace): string | undefined {
  try {
    return sessionStorage.getItem(keyOf(place)) ?? undefined;
  } catch {
    return undefined;
  }
}

function remember(place: TerminalPlace, session: string | undefined): void {
  try {
    if (session === undefined) sessionStorage.removeItem(keyOf(place));
    else sessionStorage.setItem(keyOf(place), session);
  } catch {
    // Blocked storage: a page that is loaded anew begins anew.
  }
}
