import type { Command } from 'commander';
import { type ApiError, messagesIn } from '../../../sdk/index.ts';
import type { Cli } from '../cli.ts';
import { explain } from '../explain.ts';
import type { GetCli } from './shared.ts';

const ROUTE = { method: 'POST', path: '/mcp', once: true } as const;
const INTERNAL_ERROR = -32603;

type Id = string | number;

interface Message {
  id?: Id;
  method?: string;
  params?: { requestId?: Id; _meta?: Record<string, unknown>; [name: string]: unknown };
  result?: { protocolVersion?: string };
}

export function build(command: Command, getCli: GetCli): void {
  command.addHelpText('after', MCP_HELP).action(async () => {
    const cli = await getCli();
    // A client that starts us learns at once that nobody is signed in, and not with its first call.
    cli.token();
    const bridge = new Bridge(cli);
    const pending = new Set<Promise<void>>();
    for await (const line of linesOf(process.stdin.setEncoding('utf8'))) {
      if (line.trim() === '') continue;
      const messages = parse(line);
      const answering = bridge.pass(line, messages);
      pending.add(answering);
      void answering.finally(() => pending.delete(answering));
      // What comes after the greeting needs what the greeting agreed on.
      if (messages.some(({ method }) => method === 'initialize')) await answering;
    }
    await Promise.all(pending);
  });
}

const MCP_HELP = `
Passes messages between a program that speaks MCP and the platform, with the token of the last sign-in. In the settings of such a program:

  { "command": "siteyard", "args": ["mcp"] }`;

/** Each line is a request of its own to the server's endpoint; answers come as they are ready, and what asks is always answered. */
class Bridge {
  readonly #cli: Cli;
  #version: string | undefined;
  readonly #asked = new Map<Id, AbortController>();

  constructor(cli: Cli) {
    this.#cli = cli;
  }

  /** `messages` is what the line says: one, or several where it is a batch. */
  async pass(line: string, messages: Message[]): Promise<void> {
    const [{ method, params } = {}] = messages;
    // The server knows a request by its connection alone: to leave that is to cancel.
    if (method === 'notifications/cancelled' && params?.requestId !== undefined)
      return this.#asked.get(params.requestId)?.abort(params.requestId);
    const leave = new AbortController();
    // What has an id and no method is itself an answer.
    const unanswered = new Set(messages.flatMap((each) => (each.method && each.id !== undefined ? [each.id] : [])));
    for (const id of unanswered) this.#asked.set(id, leave);
    const asked = [...unanswered];
    try {
      await this.#ask(line, messages, leave.signal, unanswered);
      if (unanswered.size > 0) throw new Error(BROKEN);
    } catch (error) {
      // With the connection went all that was asked along with what was cancelled, which alone wants no answer.
      if (leave.signal.aborted) unanswered.delete(leave.signal.reason as Id);
      if (!leave.signal.aborted) this.#refuse(error, unanswered);
      else if (unanswered.size > 0) this.#refuse(new Error(LEFT), unanswered);
    } finally {
      for (const id of asked) this.#asked.delete(id);
    }
  }

  async #ask(line: string, messages: Message[], signal: AbortSignal, unanswered: Set<Id>): Promise<void> {
    const response = await this.#cli.client.request(ROUTE, {
      body: line,
      signal,
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...(this.#version && { 'mcp-protocol-version': this.#version }),
        ...(messages.length === 1 && headersOf(messages[0] as Message)),
      },
    });
    const write = (data: unknown) => {
      for (const { id, method } of [data].flat() as Message[]) if (id !== undefined && !method) unanswered.delete(id);
      this.#write(data);
    };
    const type = response.headers.get('content-type') ?? '';
    if (type.includes('event-stream')) {
      for await (const { data } of messagesIn(response)) if (data !== undefined) write(data);
    } else if (type.includes('json')) write(await response.json());
  }

  /** What the server says in its protocol is passed on as it is; all else is told in words. */
  #refuse(error: unknown, unanswered: ReadonlySet<Id>): void {
    const { lines } = explain(error, this.#cli.host());
    const told = (error as Partial<ApiError>).data?.error;
    const isProtocol = typeof told === 'object' && told !== null;
    const said: { message?: string } = isProtocol ? told : { code: INTERNAL_ERROR, message: lines.join(' ') };
    if (unanswered.size === 0) this.#cli.screen.note(said.message ?? lines.join(' '));
    for (const id of unanswered) this.#write({ jsonrpc: '2.0', id, error: said });
  }

  #write(message: unknown): void {
    this.#version = (message as Message).result?.protocolVersion ?? this.#version;
    process.stdout.write(`${JSON.stringify(message)}\n`);
  }
}

/** Node's readline would also split at U+2028 and U+2029, which JSON has as they are. */
async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let begun: string[] = [];
  for await (const chunk of text) {
    const [first = '', ...others] = chunk.split('\n');
    begun.push(first);
    for (const next of others) {
      yield begun.join('');
      begun = [next];
    }
  }
  yield begun.join('');
}

const BROKEN = 'The connection broke before the answer came; what was asked for may have been done.';
const LEFT = 'Something that was asked for along with this was cancelled; what was asked for may have been done.';
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
/** Which field a message of the revision 2026-07-28 names in its header, by its method. */
const NAMED_BY = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

/** From 2026-07-28 on, a message says its version itself, and its headers repeat what it is. */
function headersOf({ method = '', params }: Message): Record<string, string> | undefined {
  const version = params?._meta?.[VERSION_KEY];
  if (typeof version !== 'string') return undefined;
  const name = params?.[NAMED_BY.get(method) ?? ''];
  return {
    'mcp-protocol-version': version,
    'mcp-method': fieldValue(method),
    ...(typeof name === 'string' && { 'mcp-name': fieldValue(name) }),
  };
}

/** What a header can not carry as it is goes in base64, marked as such. */
const fieldValue = (text: string) =>
  /^(?:[!-~](?:[\t -~]*[!-~])?)?$/.test(text) && !text.startsWith('=?base64?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`;

function parse(line: string): Message[] {
  try {
    return [JSON.parse(line)].flat().filter((each) => typeof each === 'object' && each !== null);
  } catch {
    return [];
  }
}
