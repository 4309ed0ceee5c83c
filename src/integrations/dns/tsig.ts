import { createHmac, timingSafeEqual } from 'node:crypto';
import { domainName, skipName, u16, u32, u48 } from './wire.ts';

/** A key that a name server shares with us (RFC 8945), by which it knows that a message is ours and we that an answer is its own. */
export interface UpdateKey {
  algorithm: 'hmac-sha256' | 'hmac-sha384' | 'hmac-sha512' | 'hmac-sha1';
  name: string;
  secret: Buffer;
}

const KEY_TEXT = /^(hmac-sha(?:256|384|512|1)):([^:]+):([A-Za-z0-9+/]+={0,2})$/;
const TYPE = 250;
const CLASS_ANY = 255;
/** So many seconds the two clocks may differ. */
const FUDGE = 300;
const HEADER_BYTES = 12;
const ADDITIONAL = 10;

/** As `nsupdate -y` takes it: algorithm, name and secret with colons between them. */
export function readUpdateKey(text: string): UpdateKey | undefined {
  const [, algorithm, name, secret] = KEY_TEXT.exec(text) ?? [];
  if (!algorithm || !name || !secret) return undefined;
  return { algorithm: algorithm as UpdateKey['algorithm'], name, secret: Buffer.from(secret, 'base64') };
}

/** The message with its signature, and that signature, which the answer's is made with. */
export function sign(message: Buffer, key: UpdateKey, nowMs = Date.now()): { signed: Buffer; mac: Buffer } {
  const time = u48(Math.floor(nowMs / 1000));
  const mac = macOf(key, [message, ...variables(key, time, u16(FUDGE), u16(0), Buffer.alloc(0))]);
  const rest = [u16(FUDGE), u16(mac.length), mac, message.subarray(0, 2), u16(0), u16(0)];
  const data = Buffer.concat([domainName(key.algorithm), time, ...rest]);
  const record = [domainName(key.name), u16(TYPE), u16(CLASS_ANY), u32(0), u16(data.length), data];
  const signed = Buffer.concat([message, ...record]);
  signed.writeUInt16BE(message.readUInt16BE(ADDITIONAL) + 1, ADDITIONAL);
  return { signed, mac };
}

/** Whether an answer was made by who has the key, for the message that had this signature. */
export function isSigned(answer: Buffer, key: UpdateKey, requestMac: Buffer): boolean {
  const at = lastRecord(answer);
  if (at === undefined) return false;
  const head = skipName(answer, at);
  if (answer.readUInt16BE(head) !== TYPE) return false;
  let place = skipName(answer, head + 10);
  const take = (bytes: number) => {
    place += bytes;
    return answer.subarray(place - bytes, place);
  };
  const [time, fudge] = [take(6), take(2)];
  const mac = take(take(2).readUInt16BE());
  const [, error] = [take(2), take(2)];
  const other = take(take(2).readUInt16BE());
  const message = Buffer.from(answer.subarray(0, at));
  message.writeUInt16BE(message.readUInt16BE(ADDITIONAL) - 1, ADDITIONAL);
  const signed = [u16(requestMac.length), requestMac, message, ...variables(key, time, fudge, error, other)];
  const expected = macOf(key, signed);
  return mac.length === expected.length && timingSafeEqual(mac, expected);
}

function variables({ name, algorithm }: UpdateKey, time: Buffer, fudge: Buffer, error: Buffer, other: Buffer) {
  const head = [domainName(name), u16(CLASS_ANY), u32(0), domainName(algorithm)];
  return [...head, time, fudge, error, u16(other.length), other];
}

function macOf({ algorithm, secret }: UpdateKey, parts: readonly Buffer[]): Buffer {
  return createHmac(algorithm.slice('hmac-'.length), secret).update(Buffer.concat(parts)).digest();
}

/** Where the last record of a message begins, which is where a signature is. */
function lastRecord(message: Buffer): number | undefined {
  const count = (at: number) => message.readUInt16BE(at);
  let at = HEADER_BYTES;
  for (let questions = count(4); questions > 0; questions--) at = skipName(message, at) + 4;
  const records = count(6) + count(8) + count(ADDITIONAL);
  if (count(ADDITIONAL) === 0) return undefined;
  for (let left = records; left > 1; left--) {
    const head = skipName(message, at);
    at = head + 10 + message.readUInt16BE(head + 8);
  }
  return at;
}
