import { Resolver } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import { type Dns, DnsFailed, type RecordType } from '#core/dns.ts';

const TRY_MS = 2000;
const TRIES = 2;
/** Two tries at each of several servers must not add up. */
const LIMIT_MS = 6000;
/** There is no such name, it has no such record, or nobody could publish it because it is no name. */
const NOTHING = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'EBADQUERY']);

/** Asks the servers named, or the machine's own where there are none. */
export function createDns(servers: readonly string[]): Dns {
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  return {
    async find(type, name) {
      // RFC 6761: this name is the machine's own wherever it is asked for, and most servers do not know it.
      if (name === 'localhost' || name.endsWith('.localhost')) return type === 'A' ? ['127.0.0.1'] : [];
      try {
        return (await withinLimit(ask(resolver, type, name))).sort();
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code ?? '';
        if (NOTHING.has(code)) return [];
        throw new DnsFailed(`${type} of ${name}: ${code}`, { isTimeout: code === 'ETIMEOUT', cause: error });
      }
    },
  };
}

async function ask(resolver: Resolver, type: RecordType, name: string): Promise<string[]> {
  switch (type) {
    case 'A':
      return resolver.resolve4(name);
    case 'AAAA':
      return (await resolver.resolve6(name)).map((address) => ipaddr.parse(address).toString());
    case 'CNAME':
      return (await resolver.resolveCname(name)).map(plainName);
    case 'NS':
      return (await resolver.resolveNs(name)).map(plainName);
    case 'TXT':
      return (await resolver.resolveTxt(name)).map((pieces) => pieces.join(''));
  }
}

const plainName = (name: string) => name.toLowerCase().replace(/\.$/, '');

function withinLimit<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error('no answer in time'), { code: 'ETIMEOUT' })), LIMIT_MS);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
