import type { Socket } from 'node:net';

/** The first record of a handshake is at most this long; who sends more, or says nothing, is no authority. */
const MAX_BYTES = 16 * 1024 + 5;
const PATIENCE_MS = 10_000;
const ALPN = 16;

/** Whether a handshake asks for this protocol alone. What was read is there again for whoever shakes hands. */
export function asksFor(protocol: string, socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    let seen = Buffer.alloc(0);
    const end = (doesAsk: boolean) => {
      clearTimeout(timer);
      socket.off('readable', look).off('close', leave);
      if (seen.length > 0 && !socket.destroyed) socket.unshift(seen);
      resolve(doesAsk);
    };
    const leave = () => end(false);
    const look = () => {
      for (let chunk = socket.read() as Buffer | null; chunk; chunk = socket.read() as Buffer | null)
        seen = Buffer.concat([seen, chunk]);
      const size = seen.length < 5 ? Number.POSITIVE_INFINITY : 5 + seen.readUInt16BE(3);
      if (seen.length >= Math.min(size, MAX_BYTES)) end(protocolsOf(seen).join() === protocol);
      else if (seen.length > 0 && seen[0] !== 0x16) end(false);
    };
    const timer = setTimeout(leave, PATIENCE_MS);
    socket.on('readable', look).once('close', leave);
  });
}

/** The protocols that a ClientHello names (RFC 8446, 4.1.2; RFC 7301); none where it can not be read. */
export function protocolsOf(record: Buffer): string[] {
  try {
    // Record header, handshake header, version and random.
    let at = 5 + 4 + 2 + 32;
    at += 1 + record.readUInt8(at);
    at += 2 + record.readUInt16BE(at);
    at += 1 + record.readUInt8(at);
    const end = at + 2 + record.readUInt16BE(at);
    for (at += 2; at < end; at += 4 + record.readUInt16BE(at + 2))
      if (record.readUInt16BE(at) === ALPN)
        return readList(record.subarray(at + 6, at + 4 + record.readUInt16BE(at + 2)));
  } catch {
    // It ends too early.
  }
  return [];
}

function readList(list: Buffer): string[] {
  const names: string[] = [];
  for (let at = 0; at < list.length; at += 1 + list.readUInt8(at))
    names.push(list.toString('latin1', at + 1, at + 1 + list.readUInt8(at)));
  return names;
}
