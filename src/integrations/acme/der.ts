/** As much of ASN.1's DER as certificates and requests for them need to be written. */
const length = (size: number): Buffer => {
  if (size < 0x80) return Buffer.from([size]);
  const bytes = Buffer.from(size.toString(16).padStart(size > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
};

export function der(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), length(content.length), content]);
}

export const sequence = (...contents: Buffer[]) => der(0x30, ...contents);
export const set = (...contents: Buffer[]) => der(0x31, ...contents);
export const octets = (content: Buffer) => der(0x04, content);
export const bits = (content: Buffer) => der(0x03, Buffer.from([0]), content);
export const text = (value: string) => der(0x0c, Buffer.from(value));
export const isTrue = der(0x01, Buffer.from([0xff]));
/** `[number] EXPLICIT`, or IMPLICIT of what is made of others. */
export const tagged = (number: number, ...contents: Buffer[]) => der(0xa0 | number, ...contents);

/** An unsigned number: a first bit that is set would make it negative. */
export function integer(value: Buffer): Buffer {
  const first = value[0] ?? 0;
  return der(0x02, first >= 0x80 ? Buffer.concat([Buffer.from([0]), value]) : value);
}

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const groups = [part & 0x7f];
    for (let left = part >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return der(0x06, Buffer.from(bytes));
}

/** Years before 2050 have two digits there, later ones four (RFC 5280, 4.1.2.5). */
export function time(date: Date): Buffer {
  const digits = `${date.toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)}Z`;
  return date.getUTCFullYear() < 2050 ? der(0x17, Buffer.from(digits.slice(2))) : der(0x18, Buffer.from(digits));
}
