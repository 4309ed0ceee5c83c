import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** What is sealed starts with this and the id of its key; what was sealed before keys had ids starts with its nonce. */
const VERSION = Buffer.from([1]);
const KEY_ID_BYTES = 4;

/**
 * What the platform's key is used for. Each use has a key of its own, derived from the one in the configuration. Keys of
 * before still open and verify, so that the key can be changed while everything goes on.
 */
export interface Secrets {
  seal(plain: Buffer): Buffer;
  open(sealed: Buffer): Buffer;
  /** How everything starts that is sealed with the key of today. */
  readonly sealMark: Buffer;
  /** A token that stands for a record's id: whoever shows it was given it by us, and nothing needs to be stored. */
  signId(purpose: string, id: string): string;
  /** The id inside a token made by signId for the same purpose, or undefined. */
  readSignedId(purpose: string, token: string): string | undefined;
  /** A signature over any text, for one purpose. */
  sign(purpose: string, text: string): string;
  isSigned(purpose: string, text: string, signature: string): boolean;
  /** A secret for one purpose, such as the default token of the metrics endpoint; another one with each key. */
  derive(purpose: string): string;
  /** The same, followed by those of the keys before. */
  deriveAll(purpose: string): string[];
  /** A secret for one purpose that no change of the key changes: for what others have sealed or signed with it. */
  deriveLasting(purpose: string): string;
}

/** The first key is today's; `lastingKey` is what the platform keeps sealed in its database. */
export function createSecrets(masterKeys: readonly [string, ...string[]], lastingKey: Buffer): Secrets {
  const keys = masterKeys.map(readKey) as [Key, ...Key[]];
  const [today] = keys;
  const lasting = createSecretKey(lastingKey);
  const sealMark = Buffer.concat([VERSION, today.id]);
  const isSigned = (purpose: string, text: string, given: string) => {
    const actual = Buffer.from(given, 'base64url');
    return keys.some(({ sign }) => {
      const expected = signature(sign, purpose, text);
      return actual.length === expected.length && timingSafeEqual(actual, expected);
    });
  };

  return {
    sealMark,
    seal(plain) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', today.seal, nonce);
      return Buffer.concat([sealMark, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed) {
      const head = sealed.subarray(0, sealMark.length);
      const named = keys.find(({ id }) => head.equals(Buffer.concat([VERSION, id])));
      const plain = named && openWith(named, sealed.subarray(sealMark.length));
      if (plain) return plain;
      // A nonce can start like an id by chance; only the right key opens anything, so trying is safe.
      for (const key of keys) {
        const old = openWith(key, sealed);
        if (old) return old;
      }
      throw new Error('this was sealed with a key that the platform does not have');
    },
    signId(purpose, id) {
      return `${id.replaceAll('-', '')}${signature(today.sign, purpose, id).toString('base64url')}`;
    },
    readSignedId(purpose, token) {
      const hex = /^[0-9a-f]{32}(?=[\w-]{43}$)/.exec(token)?.[0];
      if (!hex) return undefined;
      const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
      return isSigned(purpose, id, token.slice(32)) ? id : undefined;
    },
    sign: (purpose, text) => signature(today.sign, purpose, text).toString('base64url'),
    isSigned,
    derive: (purpose) => derived(today.derive, purpose),
    deriveAll: (purpose) => keys.map((key) => derived(key.derive, purpose)),
    deriveLasting: (purpose) => derived(lasting, purpose),
  };
}

/** What a key that lasts is made from where the platform is older than such keys: then secrets stay as they were. */
export function lastingKeyOf(masterKey: string): Buffer {
  return keyFor(masterKey, 'derive');
}

interface Key {
  id: Buffer;
  seal: Buffer;
  /** What secrets are made with is an object: Node takes a fifth of the time then, and a route needs two of them. */
  sign: KeyObject;
  derive: KeyObject;
}

function readKey(masterKey: string): Key {
  const [sign, derive] = ['sign', 'derive'].map((use) => createSecretKey(keyFor(masterKey, use))) as [
    KeyObject,
    KeyObject,
  ];
  return { id: keyFor(masterKey, 'id').subarray(0, KEY_ID_BYTES), seal: keyFor(masterKey, 'seal'), sign, derive };
}

const keyFor = (masterKey: string, use: string): Buffer =>
  Buffer.from(hkdfSync('sha256', masterKey, '', `siteyard:${use}`, 32));

function openWith({ seal }: Key, sealed: Buffer): Buffer | undefined {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', seal, sealed.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const plain = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
  try {
    return Buffer.concat([plain, decipher.final()]);
  } catch {
    return undefined;
  }
}

const signature = (key: KeyObject, purpose: string, text: string) =>
  createHmac('sha256', key).update(`${purpose}:${text}`).digest();

const derived = (key: KeyObject, purpose: string) => createHmac('sha256', key).update(purpose).digest('base64url');
