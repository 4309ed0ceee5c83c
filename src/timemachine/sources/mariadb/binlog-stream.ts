import { createHash, randomInt } from 'node:crypto';
import { createConnection, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { crc32 } from 'node:zlib';
import type { Account, ServerAddress } from '#runtimes/mariadb/site-databases.ts';

/**
 * The server's log of changes, as a replica reads it. The driver does not speak this part of the protocol: after the greeting
 * and two settings it is one command, to which the server answers with all events up to its end.
 */
export async function* readBinlog(
  address: ServerAddress,
  account: Account,
  from: { file: string; offset: number },
): AsyncGenerator<Buffer, void> {
  let socket = await open(address);
  try {
    let packets = readPackets(socket);
    const greeting = await next(packets);
    const { salt, flags } = parseGreeting(greeting.body);
    let sequence = 1;
    if (address.tls) {
      if ((flags & SSL) === 0) throw new Error('The MariaDB server offers no TLS');
      send(socket, sequence++, loginHead(true));
      socket = await encrypt(socket, address);
      packets = readPackets(socket);
    }
    send(socket, sequence, loginPacket(account, salt, address.tls !== undefined));
    let answer = await next(packets);
    if (answer.body[0] === MORE) {
      // The account is ours and uses the one way that every server knows; the server may still ask for it anew.
      const end = answer.body.indexOf(0, 1);
      const method = answer.body.toString('latin1', 1, end);
      if (method !== METHOD) throw new Error(`The MariaDB server asks for ${method}`);
      send(socket, answer.sequence + 1, scramble(account.password, answer.body.subarray(end + 1, end + 21)));
      answer = await next(packets);
    }
    assertFine(answer.body);
    // Whoever does not know of sums at the ends of events is refused.
    for (const sql of ['SET @master_binlog_checksum = @@global.binlog_checksum', 'SET @mariadb_slave_capability = 4']) {
      send(socket, 0, Buffer.concat([Buffer.from([QUERY]), Buffer.from(sql)]));
      assertFine((await next(packets)).body);
    }
    send(socket, 0, dumpPacket(from));
    for await (const { body } of packets) {
      if (body[0] === MORE && body.length < 9) return;
      assertFine(body);
      yield withoutSum(body.subarray(1));
    }
    throw new Error('The MariaDB server broke off');
  } finally {
    socket.destroy();
  }
}

/** The server says of each file whether it has sums, but not of the events that it makes up; the sum itself tells. */
function withoutSum(event: Buffer): Buffer {
  const end = event.length - SUM_BYTES;
  return end > 0 && crc32(event.subarray(0, end)) === event.readUInt32LE(end) ? event.subarray(0, end) : event;
}

export class BinlogFailure extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const METHOD = 'mysql_native_password';
const QUERY = 0x03;
const DUMP = 0x12;
const MORE = 0xfe;
const FAILED = 0xff;
const WITHOUT_WAITING = 1;
const SSL = 0x800;
/** Long password, protocol 4.1, its passwords, and methods with names. */
const CAPABILITIES = 0x1 | 0x200 | 0x8000 | 0x80000;
const UTF8MB4 = 45;
const LARGEST_PART = 0xffffff;
const SILENT_MS = 30_000;
const SUM_BYTES = 4;

interface Packet {
  sequence: number;
  body: Buffer;
}

function open({ socket: path, host, port }: ServerAddress): Promise<Socket> {
  const socket = path === undefined ? createConnection({ host, port: port ?? 3306 }) : createConnection({ path });
  return opened(socket, 'connect');
}

function encrypt(socket: Socket, { host, tls }: ServerAddress): Promise<Socket> {
  const encrypted = connectTls({ socket, servername: host, rejectUnauthorized: tls === 'verified' });
  return opened(encrypted, 'secureConnect');
}

function opened(socket: Socket, event: string): Promise<Socket> {
  socket.setTimeout(SILENT_MS, () => socket.destroy(new Error('The MariaDB server says nothing')));
  return new Promise((resolve, reject) => {
    socket.once(event, () => resolve(socket));
    socket.once('error', reject);
  });
}

async function* readPackets(socket: Socket): AsyncGenerator<Packet, void> {
  let rest: Buffer[] = [];
  let length = 0;
  let parts: Buffer[] = [];
  // Not ended with the loop: the socket may go on as an encrypted one.
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    rest.push(chunk);
    length += chunk.length;
    while (length >= 4) {
      const head = rest[0] && rest[0].length >= 4 ? rest[0] : Buffer.concat(rest);
      const size = head.readUIntLE(0, 3);
      if (length < 4 + size) break;
      const all = rest.length === 1 ? (rest[0] as Buffer) : Buffer.concat(rest);
      parts.push(all.subarray(4, 4 + size));
      const sequence = all[3] ?? 0;
      rest = [all.subarray(4 + size)];
      length -= 4 + size;
      if (size === LARGEST_PART) continue;
      yield { sequence, body: parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts) };
      parts = [];
    }
  }
}

async function next(packets: AsyncGenerator<Packet, void>): Promise<Packet> {
  const { value, done } = await packets.next();
  if (done) throw new Error('The MariaDB server broke off');
  return value;
}

function send(socket: Socket, sequence: number, body: Buffer): void {
  const head = Buffer.alloc(4);
  head.writeUIntLE(body.length, 0, 3);
  head[3] = sequence;
  socket.write(Buffer.concat([head, body]));
}

function assertFine(body: Buffer): void {
  if (body[0] !== FAILED) return;
  throw new BinlogFailure(body.readUInt16LE(1), body.toString('utf8', body[3] === 0x23 ? 9 : 3));
}

function parseGreeting(body: Buffer): { salt: Buffer; flags: number } {
  assertFine(body);
  const at = body.indexOf(0, 1) + 5;
  const salt = Buffer.concat([body.subarray(at, at + 8), body.subarray(at + 27, at + 39)]);
  return { salt, flags: body.readUInt16LE(at + 9) };
}

function loginHead(isEncrypted: boolean): Buffer {
  const head = Buffer.alloc(32);
  head.writeUInt32LE(CAPABILITIES | (isEncrypted ? SSL : 0), 0);
  head.writeUInt32LE(1 << 24, 4);
  head[8] = UTF8MB4;
  return head;
}

function loginPacket({ user, password }: Account, salt: Buffer, isEncrypted: boolean): Buffer {
  const answer = scramble(password, salt);
  return Buffer.concat([
    loginHead(isEncrypted),
    Buffer.from(`${user}\0`),
    Buffer.from([answer.length]),
    answer,
    Buffer.from(`${METHOD}\0`),
  ]);
}

function scramble(password: string, salt: Buffer): Buffer {
  const sha1 = (...parts: Buffer[]) => createHash('sha1').update(Buffer.concat(parts)).digest();
  const once = sha1(Buffer.from(password));
  const mask = sha1(salt, sha1(once));
  return Buffer.from(once.map((byte, index) => byte ^ (mask[index] ?? 0)));
}

function dumpPacket({ file, offset }: { file: string; offset: number }): Buffer {
  const head = Buffer.alloc(11);
  head[0] = DUMP;
  head.writeUInt32LE(offset, 1);
  head.writeUInt16LE(WITHOUT_WAITING, 5);
  // A replica with the same number would end this one.
  head.writeUInt32LE(randomInt(2 ** 20, 2 ** 31), 7);
  return Buffer.concat([head, Buffer.from(file)]);
}
