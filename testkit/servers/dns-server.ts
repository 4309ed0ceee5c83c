import { createSocket } from 'node:dgram';
import { createServer, type Socket } from 'node:net';
import {
  type Answer,
  AUTHORITATIVE_ANSWER,
  decode,
  encode,
  type Packet,
  type Question,
  streamEncode,
  TRUNCATED_RESPONSE,
} from 'dns-packet';
import { freePort } from '../free-port.ts';

/** What a server says about one question; `authorities` holds the SOA of the zone where there is no such record. */
export interface DnsResponse {
  rcode: 'NOERROR' | 'NXDOMAIN';
  answers: Answer[];
  authorities?: Answer[];
}

export interface DnsServer {
  /** For DNS_SERVERS. */
  address: string;
  close(): Promise<void>;
}

/** The largest UDP response for a client that does not say how much it can take (RFC 1035, 4.2.1). */
const PLAIN_UDP_BYTES = 512;
const RCODES = { NOERROR: 0, NXDOMAIN: 3 };

/** Speaks DNS on loopback, over UDP and TCP, and asks `respond` for the response to each question. */
export async function startDnsServer(respond: (question: Question) => DnsResponse): Promise<DnsServer> {
  const port = await freePort();
  const udp = createSocket('udp4', (message, client) => {
    const query = decode(message);
    const whole = responseTo(query, respond);
    if (!whole) return;
    const isTooLong = encode(whole).length > acceptedBytes(query);
    // The client asks again over TCP when it sees the flag.
    const flags = (whole.flags ?? 0) | TRUNCATED_RESPONSE;
    udp.send(
      encode(isTooLong ? { ...whole, flags, answers: [], authorities: [] } : whole),
      client.port,
      client.address,
    );
  });
  await new Promise<void>((resolve) => udp.bind(port, '127.0.0.1', resolve));

  const connections = new Set<Socket>();
  const tcp = createServer((socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket)).on('error', () => {});
    let received = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      // Each message follows its length in two bytes.
      for (let end = endOf(received); end <= received.length; end = endOf(received)) {
        const whole = responseTo(decode(received.subarray(2, end)), respond);
        if (whole) socket.write(streamEncode(whole));
        received = received.subarray(end);
      }
    });
  });
  await new Promise<void>((resolve) => tcp.listen(port, '127.0.0.1', resolve));

  return {
    address: `127.0.0.1:${port}`,
    async close() {
      for (const socket of connections) socket.destroy();
      await Promise.all([
        new Promise<void>((resolve) => udp.close(resolve)),
        new Promise((resolve) => tcp.close(resolve)),
      ]);
    },
  };
}

const endOf = (received: Buffer) => (received.length < 2 ? Number.POSITIVE_INFINITY : 2 + received.readUInt16BE());

function responseTo(query: Packet, respond: (question: Question) => DnsResponse): Packet | undefined {
  const [question] = query.questions ?? [];
  if (!question) return undefined;
  const { rcode, ...sections } = respond(question);
  const flags = AUTHORITATIVE_ANSWER | RCODES[rcode];
  return { type: 'response', id: query.id ?? 0, flags, questions: [question], ...sections };
}

function acceptedBytes({ additionals = [] }: Packet): number {
  const edns = additionals.find((record) => record.type === 'OPT');
  return edns ? Math.max(PLAIN_UDP_BYTES, edns.udpPayloadSize) : PLAIN_UDP_BYTES;
}
