import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto';

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The public half as RFC 7517 has it, its members in the order that a thumbprint needs (RFC 7638). */
function publicJwk(key: KeyObject) {
  const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' });
  return { crv, kty, x, y };
}

export interface Protected {
  url: string;
  nonce: string;
  /** The account, once there is one; before, the key itself is sent. */
  account: string | undefined;
}

/** A message of ACME, signed by the account's key (ES256). An undefined payload asks for a resource (POST-as-GET). */
export function signMessage(key: KeyObject, { url, nonce, account }: Protected, payload: unknown): string {
  const who = account === undefined ? { jwk: publicJwk(key) } : { kid: account };
  const head = encoded({ alg: 'ES256', ...who, nonce, url });
  const body = payload === undefined ? '' : encoded(payload);
  const signature = sign('sha256', Buffer.from(`${head}.${body}`), { key, dsaEncoding: 'ieee-p1363' });
  return JSON.stringify({ protected: head, payload: body, signature: signature.toString('base64url') });
}

/** What a challenge is answered with (RFC 8555, 8.1). */
export function keyAuthorization(token: string, key: KeyObject): string {
  const thumbprint = createHash('sha256')
    .update(JSON.stringify(publicJwk(key)))
    .digest('base64url');
  return `${token}.${thumbprint}`;
}
