import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Codes by the clock (RFC 6238), as every authenticator app makes them: SHA-1, six digits, thirty seconds. */
const STEP_SECONDS = 30;
const DIGITS = 6;
/** Clocks differ, and typing takes a while: the code before and the code after count too. */
const STEPS_ASIDE = 1;
const SECRET_BYTES = 20;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export const newTotpSecret = (): Buffer => randomBytes(SECRET_BYTES);

export const stepAt = (ms: number): number => Math.floor(ms / 1000 / STEP_SECONDS);

export function codeOf(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const offset = (digest.at(-1) as number) & 15;
  const number = digest.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** Of which thirty seconds this is the code; undefined where it is of none that counts now. */
export function stepOfCode(secret: Buffer, code: string, nowMs: number): number | undefined {
  const given = Buffer.from(code.replaceAll(/\s/g, ''));
  const now = stepAt(nowMs);
  for (let step = now - STEPS_ASIDE; step <= now + STEPS_ASIDE; step++) {
    const expected = Buffer.from(codeOf(secret, step));
    if (given.length === expected.length && timingSafeEqual(given, expected)) return step;
  }
  return undefined;
}

export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => LETTERS[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

/** What the QR code says to an authenticator app. */
export function totpUri(secret: Buffer, issuer: string, email: string): string {
  const query = new URLSearchParams({ secret: base32(secret), issuer });
  return `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(email)}?${query}`;
}
