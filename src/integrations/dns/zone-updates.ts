import { randomInt } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Dns } from '#core/dns.ts';
import { isSigned, sign, type UpdateKey } from './tsig.ts';
import { characterString, domainName, u16, u32 } from './wire.ts';

/**
 * Writes records into a zone that somebody else serves, by RFC 2136: every name server of one's own takes such updates (BIND, Knot, PowerDNS, Windows),
 * and so do some that can be rented.
 */
export interface ZoneServer {
  /** The one that has the zone, and takes updates of it. */
  address: string;
  port: number;
  key: UpdateKey;
}

/** The server did not take it; the message is for operators. */
export class UpdateRefused extends Error {
  override readonly name = 'UpdateRefused';
}

const OPCODE_UPDATE = 0x2800;
const [TYPE_SOA, TYPE_TXT] = [6, 16];
const [CLASS_IN, CLASS_ANY] = [1, 255];
const TTL_SECONDS = 60;
const ANSWER_MS = 10_000;
const ASK_MS = 2_000;
/** Other servers of a zone hear of a change from the first one, and fetch it. */
const SPREAD_MS = 60_000;
const LOOK_MS = 1_000;
const RESULTS: Record<number, string> = {
  1: 'FORMERR',
  2: 'SERVFAIL',
  3: 'NXDOMAIN',
  4: 'NOTIMP',
  5: 'REFUSED: the key may not write this name',
  9: 'NOTAUTH: the key, its name or its algorithm is another there, or the clocks differ',
  10: 'NOTZONE',
};

export class ZoneUpdates {
  readonly #server: ZoneServer;
  readonly #dns: Dns;
  readonly #nameServerPort: number;

  /** `nameServerPort`: where the servers of a zone answer, which tests can not have everywhere. */
  constructor(server: ZoneServer, dns: Dns, nameServerPort = 53) {
    this.#server = server;
    this.#dns = dns;
    this.#nameServerPort = nameServerPort;
  }

  /**
   * Makes this the text of a name, or of the one that it is an alias of, in place of any other, and resolves when every server of the zone that answers
   * has it. What it resolves with takes it away.
   */
  async setText(name: string, text: string, signal: AbortSignal): Promise<() => Promise<void>> {
    const [alias] = await this.#dns.find('CNAME', name).catch(() => []);
    const place = alias ?? name;
    const zone = await this.#zoneOf(place);
    await this.#update(zone, [removal(place), addition(place, text)]);
    const remove = () => this.#update(zone, [removal(place)]);
    try {
      await this.#untilServed(zone, place, text, signal);
    } catch (error) {
      await remove();
      throw error;
    }
    return remove;
  }

  /** The server knows where its zones begin. */
  async #zoneOf(name: string): Promise<string> {
    const { address, port } = this.#server;
    const resolver = resolverAt(address, port);
    const labels = name.split('.');
    for (let first = 0; first < labels.length; first++) {
      const candidate = labels.slice(first).join('.');
      if (await resolver.resolveSoa(candidate).catch(() => undefined)) return candidate;
    }
    throw new UpdateRefused(`The name server at ${address} has no zone with ${name} in it, or does not answer.`);
  }

  async #update(zone: string, changes: Buffer[]): Promise<void> {
    const { key, address, port } = this.#server;
    const counts = [1, 0, changes.length, 0].map(u16);
    const head = [u16(randomInt(0x10000)), u16(OPCODE_UPDATE), ...counts];
    const message = Buffer.concat([...head, domainName(zone), u16(TYPE_SOA), u16(CLASS_IN), ...changes]);
    const { signed, mac } = sign(message, key);
    const answer = await exchange(signed, connect({ host: address, port }));
    const result = answer.readUInt16BE(2) & 0xf;
    if (result !== 0) throw new UpdateRefused(`The name server at ${address} answers ${RESULTS[result] ?? result}.`);
    if (!answer.subarray(0, 2).equals(message.subarray(0, 2)) || !isSigned(answer, key, mac))
      throw new UpdateRefused(`The answer of the name server at ${address} is not signed with the key.`);
  }

  /** One that does not answer is not waited for: an authority asks those that do. */
  async #untilServed(zone: string, name: string, text: string, signal: AbortSignal): Promise<void> {
    const names = await this.#dns.find('NS', zone).catch(() => []);
    const find = async (server: string) =>
      Promise.all((['A', 'AAAA'] as const).map((type) => this.#dns.find(type, server).catch(() => [])));
    const addresses = (await Promise.all(names.map(find))).flat(2);
    let behind = addresses;
    for (const end = performance.now() + SPREAD_MS; ; await pause(LOOK_MS, undefined, { signal })) {
      const looks = behind.map(async (address) => ((await this.#hasText(address, name, text)) ? [] : [address]));
      behind = (await Promise.all(looks)).flat();
      if (behind.length === 0) return;
      if (performance.now() > end)
        throw new UpdateRefused(`The name server at ${behind[0]} does not have what was changed after a minute.`);
    }
  }

  async #hasText(address: string, name: string, text: string): Promise<boolean> {
    try {
      const found = await resolverAt(address, this.#nameServerPort).resolveTxt(name);
      return found.some((pieces) => pieces.join('') === text);
    } catch (error) {
      return !['ENODATA', 'ENOTFOUND'].includes((error as NodeJS.ErrnoException).code ?? '');
    }
  }
}

function removal(name: string): Buffer {
  return Buffer.concat([domainName(name), u16(TYPE_TXT), u16(CLASS_ANY), u32(0), u16(0)]);
}

function addition(name: string, text: string): Buffer {
  const data = characterString(text);
  return Buffer.concat([domainName(name), u16(TYPE_TXT), u16(CLASS_IN), u32(TTL_SECONDS), u16(data.length), data]);
}

function resolverAt(address: string, port: number): Resolver {
  const resolver = new Resolver({ timeout: ASK_MS, tries: 2 });
  resolver.setServers([address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`]);
  return resolver;
}

/** By TCP each message has its length before it. */
function exchange(message: Buffer, socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => {
      socket.destroy();
      reject(new UpdateRefused(`The name server that takes updates could not be asked: ${why}.`));
    };
    let read = Buffer.alloc(0);
    socket.setTimeout(ANSWER_MS, () => fail('it did not answer in time'));
    socket.once('error', (error) => fail(error.message));
    socket.once('close', () => fail('it hung up'));
    socket.on('data', (piece: Buffer) => {
      read = Buffer.concat([read, piece]);
      if (read.length < 2 || read.length < 2 + read.readUInt16BE()) return;
      resolve(read.subarray(2, 2 + read.readUInt16BE()));
      socket.destroy();
    });
    socket.write(Buffer.concat([u16(message.length), message]));
  });
}
