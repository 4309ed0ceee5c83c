/** Pieces of a DNS message (RFC 1035, 4.1). */

export function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function u48(value: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUIntBE(value, 0, 6);
  return bytes;
}

/** A name in lower case, as signatures want it, and without pointers. */
export function domainName(name: string): Buffer {
  const labels = name.toLowerCase().replace(/\.$/, '').split('.');
  return Buffer.concat([...labels.map(characterString), Buffer.alloc(1)]);
}

export function characterString(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

/** What comes behind the name that begins there. A pointer is its end. */
export function skipName(message: Buffer, start: number): number {
  for (let at = start; ; ) {
    const length = message.readUInt8(at);
    if (length === 0) return at + 1;
    if (length >= 0xc0) return at + 2;
    at += length + 1;
  }
}
