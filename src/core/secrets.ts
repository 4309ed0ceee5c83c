import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What the platform's key is used for. Each use has a key of its own, derived from the one in the configuration. */
export interface Secrets {
  seal(plain: Buffer): Buffer;
  open(sealed: Buffer): Buffer;
  /** A token that stands for a record's id: whoever shows it was given it by us, and nothing needs to be stored. */
  signId(purpose: string, id: string): string;
  /** The id inside a token made by signId for the same purpose, or undefined. */
  readSignedId(purpose: string, token: string): string | undefined;
  /** A signature over any text, for one purpose. */
  sign(purpose: string, text: string): string;
  isSigned(purpose: string, text: string, signature: string): boolean;
  /** A stable secret for one purpose, such as the default token of the metrics endpoint. */
  derive(purpose: string): string;
}

export function createSecrets(masterKey: string): Secrets {
  const keyFor = (use: string) => Buffer.from(hkdfSync('sha256', masterKey, '', `siteyard:${use}`, 32));
  const sealKey = keyFor('seal');
  const signKey = keyFor('sign');
  const deriveKey = keyFor('derive');
  const signature = (purpose: string, text: string) =>
    createHmac('sha256', signKey).update(`${purpose}:${text}`).digest();
  const isSigned = (purpose: string, text: string, given: string) => {
    const [actual, expected] = [Buffer.from(given, 'base64url'), signature(purpose, text)];
    return actual.length === expected.length && timingSafeEqual(actual, expected);
  };

  return {
    seal(plain) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealKey, nonce);
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed) {
      const decipher = createDecipheriv('aes-256-gcm', sealKey, sealed.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    },
    signId(purpose, id) {
      return `${id.replaceAll('-', '')}${signature(purpose, id).toString('base64url')}`;
    },
    readSignedId(purpose, token) {
      const hex = /^[0-9a-f]{32}(?=[\w-]{43}$)/.exec(token)?.[0];
      if (!hex) return undefined;
      const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
      return isSigned(purpose, id, token.slice(32)) ? id : undefined;
    },
    sign: (purpose, text) => signature(purpose, text).toString('base64url'),
    isSigned,
    derive(purpose) {
      return createHmac('sha256', deriveKey).update(purpose).digest('base64url');
    },
  };
}
