import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request as it came, as far as tests look at it. */
export interface ModelRequest {
  model: string;
  messages: { role: string; content: string; tool_call_id?: string }[];
  tools?: { function: { name: string; parameters: object } }[];
}

/** What the model says: some text, some calls, or something that no model should do. */
export type Turn =
  | { text?: string; calls?: { name: string; input: object | string }[] }
  | 'hang'
  | 'refuse'
  | 'break off';

export interface ModelServer {
  env: Record<string, string>;
  requests: ModelRequest[];
  /** Decides each turn. */
  think: (request: ModelRequest) => Turn;
  close(): Promise<void>;
}

/** A server on loopback that speaks OpenAI's streaming protocol for chats, tool calls and usage included. */
export async function startModelServer(): Promise<ModelServer> {
  const listener = createServer(async (incoming, outgoing) => {
    const request = JSON.parse(await textOf(incoming)) as ModelRequest;
    server.requests.push(request);
    const turn = server.think(request);
    if (turn === 'hang') return;
    if (turn === 'refuse') {
      outgoing.writeHead(500, { 'content-type': 'application/json' });
      return void outgoing.end('{"error":{"message":"overloaded"}}');
    }
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (body: object) =>
      outgoing.write(`data: ${JSON.stringify({ ...HEAD, model: request.model, ...body })}\n\n`);
    const delta = (piece: object, finish_reason: string | null = null) =>
      send({ choices: [{ index: 0, delta: piece, finish_reason }] });
    delta({ role: 'assistant', content: '' });
    if (turn === 'break off') {
      delta({ content: 'I was about to' });
      await sleep(20);
      return void outgoing.destroy();
    }
    // In pieces, as models do: text by a few letters, and the input of a call torn anywhere.
    for (const piece of (turn.text ?? '').match(/[\s\S]{1,12}/g) ?? []) delta({ content: piece });
    for (const [index, { name, input }] of (turn.calls ?? []).entries()) {
      const text = typeof input === 'string' ? input : JSON.stringify(input);
      const half = Math.ceil(text.length / 2);
      const id = `call_${server.requests.length}_${index}`;
      delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
      for (const piece of [text.slice(0, half), text.slice(half)])
        delta({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
    delta({}, turn.calls?.length ? 'tool_calls' : 'stop');
    send({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } });
    outgoing.end('data: [DONE]\n\n');
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  const server: ModelServer = {
    env: {
      ASSISTANT_URL: `http://127.0.0.1:${port}/v1`,
      ASSISTANT_KEY: 'sk-key-of-the-tests',
      ASSISTANT_MODEL: 'tests-1',
      OUTBOUND_ALLOW: '127.0.0.0/8',
    },
    requests: [],
    think: () => ({ text: 'Hello.' }),
    close: () =>
      new Promise((resolve) => {
        listener.closeAllConnections();
        listener.close(() => resolve());
      }),
  };
  return server;
}

const HEAD = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1 };

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
