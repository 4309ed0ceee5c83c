import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** One call that came in. */
interface ReceivedCall {
  headers: Record<string, string>;
  body: string;
}

// biome-ignore lint/suspicious/noExplicitAny: the tests look into payloads of every shape
type Payload = any;

/** Somebody else's server on this machine, which keeps what it is sent and checks it with the library of the standard. */
export interface WebhookReceiver {
  url: string;
  port: number;
  calls: ReceivedCall[];
  connections: number;
  /** How the next calls are answered: 200 unless a test says otherwise. */
  answer: (response: ServerResponse, call: ReceivedCall) => unknown;
  /** The payload, if it was signed with this secret within the last minutes; throws otherwise. */
  verify(call: ReceivedCall, secret: string): Payload;
  close(): Promise<void>;
}

export async function startReceiver(port = 0): Promise<WebhookReceiver> {
  const server = createServer(async (request, response) => {
    const call = { headers: request.headers as Record<string, string>, body: await bodyOf(request) };
    receiver.calls.push(call);
    await receiver.answer(response, call);
  });
  server.on('connection', () => receiver.connections++);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const receiver: WebhookReceiver = {
    port: (server.address() as AddressInfo).port,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    calls: [],
    connections: 0,
    answer: (response) => response.end('thanks'),
    verify: ({ body, headers }, secret) => new Webhook(secret).verify(body, headers),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
