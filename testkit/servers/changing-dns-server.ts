import type { Answer } from 'dns-packet';
import { type DnsServer, startDnsServer } from './dns-server.ts';

export interface TrickyNames extends DnsServer {
  /** How often each name was asked for. */
  asked: Map<string, number>;
}

/**
 * A name server on loopback whose answers may change from one question to the next. `addressesOf` is called for each question, with how often
 * the name was asked for before.
 */
export async function startTrickyNames(
  addressesOf: (name: string, type: 'A' | 'AAAA', before: number) => readonly string[],
): Promise<TrickyNames> {
  const asked = new Map<string, number>();
  const server = await startDnsServer(({ name, type }) => {
    const key = `${name} ${type}`;
    const before = asked.get(key) ?? 0;
    asked.set(key, before + 1);
    const found = type === 'A' || type === 'AAAA' ? addressesOf(name.toLowerCase(), type, before) : [];
    const answers = found.map((data): Answer => ({ type: type as 'A', name, ttl: 0, class: 'IN', data }));
    return { rcode: found.length > 0 ? 'NOERROR' : 'NXDOMAIN', answers };
  });
  return { ...server, asked };
}
