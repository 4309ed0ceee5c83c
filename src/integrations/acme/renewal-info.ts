import { X509Certificate } from 'node:crypto';
import type { AcmeConnection } from './acme-connection.ts';

/** The identifier of the extension that names the issuer's key (2.5.29.35), as DER. */
const AUTHORITY_KEY = Buffer.from([0x06, 0x03, 0x55, 0x1d, 0x23]);

/** How RFC 9773 names a certificate: the issuer's key and the serial number. Undefined where it names no issuer. */
export function renewalId(chain: string): string | undefined {
  const { raw, serialNumber } = new X509Certificate(chain);
  const at = raw.indexOf(AUTHORITY_KEY);
  // OCTET STRING { SEQUENCE { [0] keyIdentifier … } }, all short.
  const start = at + AUTHORITY_KEY.length;
  if (at < 0 || raw[start] !== 0x04 || raw[start + 2] !== 0x30 || raw[start + 4] !== 0x80) return undefined;
  const size = raw[start + 5] as number;
  const issuer = raw.subarray(start + 6, start + 6 + size);
  const digits = serialNumber.length % 2 === 0 ? serialNumber : `0${serialNumber}`;
  const bytes = Buffer.from(digits, 'hex');
  const serial = (bytes[0] as number) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
  return `${issuer.toString('base64url')}.${serial.toString('base64url')}`;
}

export interface RenewalAdvice {
  /** A moment within the window that the authority suggests. */
  renewAt: Date;
}

/** When the authority would have a certificate renewed; undefined where it does not say. */
export async function askForRenewal(connection: AcmeConnection, id: string): Promise<RenewalAdvice | undefined> {
  const { renewalInfo } = await connection.directory();
  if (renewalInfo === undefined) return undefined;
  const { body } = await connection.get<{ suggestedWindow?: { start: string; end: string } }>(`${renewalInfo}/${id}`);
  const [start, end] = [body.suggestedWindow?.start, body.suggestedWindow?.end].map((text) => Date.parse(text ?? ''));
  if (start === undefined || end === undefined || Number.isNaN(start) || Number.isNaN(end)) return undefined;
  return { renewAt: new Date(start + Math.random() * Math.max(0, end - start)) };
}
