import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { messagesIn } from '../../../sdk/index.ts';
import type { Cli } from '../cli.ts';
import { explain } from '../explain.ts';
import type { GetCli } from './shared.ts';

const ROUTE = { method: 'POST', path: '/mcp', once: true } as const;
const INTERNAL_ERROR = -32603;

interface Message {
  id?: string | number;
  method?: string;
  params?: { requestId?: string | number };
  result?: { protocolVersion?: string };
}

export function build(command: Command, getCli: GetCli): void {
  command.addHelpText('after', MCP_HELP).action(async () => {
    const cli = await getCli();
    // A client that starts us learns at once that nobody is signed in, and not with its first call.
    cli.token();
    const bridge = new Bridge(cli);
    const pending = new Set<Promise<void>>();
    for await (const line of createInterface({ input: process.stdin })) {
      if (line.trim() === '') continue;
      const answering = bridge.pass(line);
      pending.add(answering);
      void answering.finally(() => pending.delete(answering));
      // What comes after the greeting needs what the greeting agreed on.
      if (line.includes('"initialize"')) await answering;
    }
    await Promise.all(pending);
  });
}

const MCP_HELP = `
Passes messages between a program that speaks MCP and the platform, with the token of the last sign-in. In the settings of such a program:

  { "command": "siteyard", "args": ["mcp"] }`;

/** Each message is a request of its own to the server's endpoint; answers come as they are ready. */
class Bridge {
  readonly #cli: Cli;
  #session: string | undefined;
  #version: string | undefined;
  readonly #asked = new Map<string | number, AbortController>();

  constructor(cli: Cli) {
    this.#cli = cli;
  }

  async pass(line: string): Promise<void> {
    const message = parse(line);
    const cancelledId = message?.method === 'notifications/cancelled' ? message.params?.requestId : undefined;
    // The server knows a request by its connection alone: to leave that is to cancel.
    if (cancelledId !== undefined) return this.#asked.get(cancelledId)?.abort();
    const leave = new AbortController();
    if (message?.id !== undefined) this.#asked.set(message.id, leave);
    try {
      const response = await this.#cli.client.request(ROUTE, {
        body: line,
        signal: leave.signal,
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          ...(this.#session && { 'mcp-session-id': this.#session }),
          ...(this.#version && { 'mcp-protocol-version': this.#version }),
        },
      });
      this.#session = response.headers.get('mcp-session-id') ?? this.#session;
      const type = response.headers.get('content-type') ?? '';
      if (type.includes('event-stream')) for await (const { data } of messagesIn(response)) this.#write(data);
      else if (type.includes('json')) this.#write(await response.json());
    } catch (error) {
      if (leave.signal.aborted) return;
      const { lines } = explain(error, this.#cli.host());
      if (message?.id === undefined) this.#cli.screen.note(lines.join(' '));
      else this.#write({ jsonrpc: '2.0', id: message.id, error: { code: INTERNAL_ERROR, message: lines.join(' ') } });
    } finally {
      if (message?.id !== undefined) this.#asked.delete(message.id);
    }
  }

  #write(message: unknown): void {
    if (message === undefined) return;
    this.#version = (message as Message).result?.protocolVersion ?? this.#version;
    process.stdout.write(`${JSON.stringify(message)}\n`);
  }
}

function parse(line: string): Message | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
