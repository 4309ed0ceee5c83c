import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** An address as it is meant: IPv4 inside IPv6 (`::ffff:1.2.3.4`), as dual-stack sockets report it, is IPv4. */
export function parseAddress(text: string): Address | undefined {
  // A zone names an interface of this machine and is no part of the address.
  const plain = text.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  // Four numbers or hexadecimal groups and nothing looser: ipaddr.js would take `127.1` for an address, too.
  if (!ipaddr.IPv4.isValidFourPartDecimal(plain) && !ipaddr.IPv6.isValid(plain)) return undefined;
  return ipaddr.process(plain);
}

/** Addresses and ranges (IPv4, IPv6, CIDR). An entry that is neither matches nothing. */
export class AddressList {
  readonly #ranges: [Address, number][] = [];

  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      const range = parseRange(entry.trim());
      if (range) this.#ranges.push(range);
    }
  }

  includes(text: string | undefined): boolean {
    if (text === undefined || this.#ranges.length === 0) return false;
    const address = parseAddress(text);
    return address !== undefined && this.#ranges.some((range) => matches(address, range));
  }
}

function parseRange(entry: string): [Address, number] | undefined {
  const [base = '', length] = entry.split('/');
  const address = parseAddress(base);
  if (!address) return undefined;
  const longest = address.kind() === 'ipv4' ? 32 : 128;
  if (length === undefined) return [address, longest];
  if (!/^\d{1,3}$/.test(length)) return undefined;
  // `::ffff:10.0.0.0/104` is written in IPv6's bits and means 10.0.0.0/8.
  const bits = Number(length) - (longest === 32 && base.includes(':') ? 96 : 0);
  return bits >= 0 && bits <= longest ? [address, bits] : undefined;
}

function matches(address: Address, [base, bits]: [Address, number]): boolean {
  if (address.kind() !== base.kind()) return false;
  return address.match(base as never, bits);
}
