import { once } from 'node:events';
import WebSocket from 'ws';
import type { Person } from '../app/people.ts';
import type { TestApp } from '../app/test-app.ts';
import { eventually } from '../expect.ts';

interface Options {
  /** Acknowledges what comes; a page that does not is one that can not keep up. */
  acknowledges?: boolean;
  query?: Record<string, string | number>;
  headers?: Record<string, string>;
}

/** What a page does at the other end of a terminal, without drawing anything. */
export class TerminalClient {
  readonly socket: WebSocket;
  readonly messages: Record<string, unknown>[] = [];
  shown = '';
  bytes = 0;
  closed: { code: number; reason: string } | undefined;

  constructor(socket: WebSocket, acknowledges: boolean) {
    this.socket = socket;
    socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) return void this.messages.push(JSON.parse(data.toString()));
      this.bytes += data.length;
      this.shown = (this.shown + data.toString('latin1')).slice(-200_000);
      if (acknowledges) this.acknowledge(data.length);
    });
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
    });
    socket.on('error', () => {});
  }

  acknowledge(n: number): void {
    this.send({ t: 'ack', n });
  }

  send(message: object): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(JSON.stringify(message));
  }

  type(d: string): void {
    this.send({ t: 'in', d });
  }

  /** Waits until this is shown after what is typed, and forgets what was shown before. */
  async expect(what: string | RegExp, typed?: string): Promise<void> {
    if (typed !== undefined) {
      this.shown = '';
      this.type(typed);
    }
    await eventually(
      async () => (typeof what === 'string' ? this.shown.includes(what) : what.test(this.shown)),
      15_000,
    ).catch(() => {
      throw new Error(
        `${what} was not shown, but ${JSON.stringify(this.shown.slice(-500))}, ${JSON.stringify(this.closed)}`,
      );
    });
  }

  async gone(): Promise<{ code: number; reason: string }> {
    return eventually(async () => this.closed);
  }

  message(kind: string): Record<string, unknown> | undefined {
    return this.messages.find(({ t }) => t === kind);
  }
}

export async function connect(
  app: TestApp,
  path: string,
  ticket: string,
  { acknowledges = true, query = {}, headers = {} }: Options = {},
): Promise<TerminalClient> {
  const url = new URL(path, app.url.replace('http', 'ws'));
  for (const [name, value] of Object.entries({ ticket, columns: 80, rows: 24, ...query }))
    url.searchParams.set(name, String(value));
  const socket = new WebSocket(url, { headers });
  const client = new TerminalClient(socket, acknowledges);
  await once(socket, 'open');
  return client;
}

/** The status and the code of the refusal of a socket. */
export async function refusal(app: TestApp, path: string, ticket: string, headers: Record<string, string> = {}) {
  const url = new URL(path, app.url.replace('http', 'ws'));
  url.searchParams.set('ticket', ticket);
  const socket = new WebSocket(url, { headers });
  socket.on('error', () => {});
  const [, response] = await once(socket, 'unexpected-response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return [response.statusCode, JSON.parse(Buffer.concat(chunks).toString()).code];
}

/** A terminal of somebody, opened or taken up again as a page does. */
export async function openTerminal(
  app: TestApp,
  person: Pick<Person, 'api'>,
  fqdn: string,
  { session, ...options }: Options & { session?: string } = {},
): Promise<TerminalClient & { session: string }> {
  const body = session === undefined ? {} : { session_id: session };
  const { ticket, socket_path, session_id } = await person.api.createTerminal({ params: { fqdn }, body });
  const client = await connect(app, socket_path, ticket, options);
  return Object.assign(client, { session: session_id });
}
