import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';
import { type Answer, decode, encode, type Packet } from 'dns-packet';

export interface TrickyNames {
  /** For DNS_SERVERS. */
  address: string;
  /** How often each name was asked for. */
  asked: Map<string, number>;
  close(): Promise<void>;
}

/** A DNS server on loopback whose answers may change from one question to the next. `addressesOf` is asked for each question, with how often the name was asked for before. */
export async function startTrickyNames(
  addressesOf: (name: string, type: 'A' | 'AAAA', before: number) => readonly string[],
): Promise<TrickyNames> {
  const socket = createSocket('udp4');
  const asked = new Map<string, number>();
  socket.on('message', (message, { port, address }) => {
    const query: Packet = decode(message);
    const [question] = query.questions ?? [];
    if (!question) return;
    const { name, type } = question;
    const key = `${name} ${type}`;
    const before = asked.get(key) ?? 0;
    asked.set(key, before + 1);
    const found = type === 'A' || type === 'AAAA' ? addressesOf(name.toLowerCase(), type, before) : [];
    const answers = found.map((data): Answer => ({ type: type as 'A', name, ttl: 0, class: 'IN', data }));
    const flags = found.length > 0 ? 0 : 3;
    socket.send(encode({ type: 'response', id: query.id ?? 0, flags, questions: [question], answers }), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    asked,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}
