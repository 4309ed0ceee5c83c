import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

/** A passkey in a program: what a browser and its device would answer (WebAuthn level 2), with ES256 and no attestation. */
export interface SoftPasskey {
  credentialId: string;
  privateKey: KeyObject;
  publicKey: KeyObject;
  counter: number;
}

type Options = Record<string, unknown>;

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest();
const clientData = (type: string, challenge: unknown, origin: string) =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

const PRESENT = 1;
const VERIFIED = 4;
const ATTESTED = 64;

export function newPasskey(): SoftPasskey {
  return {
    ...generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    credentialId: randomBytes(16).toString('base64url'),
    counter: 0,
  };
}

/** What `createPasskey` takes, but for the challenge and the name. */
export function answerCreation(passkey: SoftPasskey, options: Options, origin: string) {
  const { id: rpId } = options.rp as { id: string };
  const id = Buffer.from(passkey.credentialId, 'base64url');
  const length = Buffer.alloc(2);
  length.writeUInt16BE(id.length);
  const data = Buffer.concat([
    head(rpId, PRESENT | VERIFIED | ATTESTED, passkey.counter),
    Buffer.alloc(16),
    length,
    id,
    coseKey(passkey.publicKey),
  ]);
  // {"fmt": "none", "attStmt": {}, "authData": bytes}
  const attestation = Buffer.concat([
    Buffer.from([0xa3]),
    text('fmt'),
    text('none'),
    text('attStmt'),
    Buffer.from([0xa0]),
    text('authData'),
    bytes(data),
  ]);
  return {
    credential_id: passkey.credentialId,
    client_data: clientData('webauthn.create', options.challenge, origin).toString('base64url'),
    attestation: attestation.toString('base64url'),
    transports: ['internal'],
  };
}

/** What `signInWithPasskey` and the second step take. `verified: false` is a key that asks for a touch alone. */
export function answerRequest(passkey: SoftPasskey, options: Options, origin: string, { verified = true } = {}) {
  passkey.counter++;
  const data = head(String(options.rpId), PRESENT | (verified ? VERIFIED : 0), passkey.counter);
  const client = clientData('webauthn.get', options.challenge, origin);
  const signature = createSign('sha256').update(data).update(sha256(client)).sign(passkey.privateKey);
  return {
    credential_id: passkey.credentialId,
    client_data: client.toString('base64url'),
    authenticator_data: data.toString('base64url'),
    signature: signature.toString('base64url'),
  };
}

function head(rpId: string, flags: number, counter: number): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  return Buffer.concat([sha256(rpId), Buffer.from([flags]), count]);
}

/** {1: 2, 3: -7, -1: 1, -2: x, -3: y} */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return Buffer.concat([
    Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21]),
    bytes(Buffer.from(x, 'base64url')),
    Buffer.from([0x22]),
    bytes(Buffer.from(y, 'base64url')),
  ]);
}

const text = (value: string) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
const bytes = (value: Buffer) => Buffer.concat([Buffer.from([0x58, value.length]), value]);
