import { hash } from 'node:crypto';
import { rightsChanged } from '#core/auth/revocation.ts';
import { hashToken, newToken } from '#core/auth/tokens.ts';
import type { Db, Tx } from '#core/db/database.ts';
import type { Services } from '#core/services.ts';
import { type Code, insertCode, lockCode, markUsed, type NewCode, noteToken } from './authorization-code.sql.ts';
import { deleteCredential } from './credential.sql.ts';

const CODE_SECONDS = 60;

/** A code of OAuth2, of which only the hash is kept. */
export async function issueCode(db: Db, code: NewCode): Promise<string> {
  const token = newToken();
  await insertCode(db, hashToken(token), code, CODE_SECONDS);
  return token;
}

interface Shown {
  code: string;
  client_id: string;
  redirect_uri: string;
  code_verifier: string | undefined;
}

/**
 * Gives a credential for a code. A code is shown once, rightly or wrongly. Shown again, somebody else may have it: then its
 * token ends too. The transaction has to be committed whatever the outcome: that the code is used up has to last.
 */
export async function redeemCode<Given extends { id: string }>(
  tx: Tx,
  services: Services,
  { code, client_id, redirect_uri, code_verifier }: Shown,
  give: (known: Code) => Promise<Given | undefined>,
): Promise<Given | undefined> {
  const codeHash = hashToken(code);
  const known = await lockCode(tx, codeHash);
  if (!known) return undefined;
  if (known.used_at) {
    if (known.credential_id) await deleteCredential(tx, known.credential_id);
    rightsChanged(tx, services, known.user_id);
    return undefined;
  }
  await markUsed(tx, codeHash);
  if (!isIssuedTo(known, { client_id, redirect_uri, code_verifier })) return undefined;
  if (known.is_expired || !known.is_active) return undefined;
  const given = await give(known);
  if (given) await noteToken(tx, codeHash, given.id);
  return given;
}

/** Whether a code is shown by the client that it was issued to, for the same redirect URI and with the verifier of its challenge. */
export function isIssuedTo(
  code: Pick<Code, 'client_id' | 'redirect_uri' | 'code_challenge'>,
  shown: Omit<Shown, 'code'>,
): boolean {
  const isSame = code.client_id === shown.client_id && code.redirect_uri === shown.redirect_uri;
  return isSame && isVerifiedBy(code, shown.code_verifier);
}

/** A verifier for a code that was asked for without a challenge is refused too: somebody took the challenge away. */
function isVerifiedBy({ code_challenge }: Pick<Code, 'code_challenge'>, verifier: string | undefined): boolean {
  if (!code_challenge) return !verifier;
  return /^[\w.~-]{43,128}$/.test(verifier ?? '') && hash('sha256', verifier ?? '', 'base64url') === code_challenge;
}

/** Without a method it would be `plain`, which whoever sees the request could answer. */
export function faultOfChallenge(challenge: string | undefined, method: string | undefined): string | undefined {
  if (method !== 'S256') return 'code_challenge_method must be S256';
  if (!/^[\w-]{43}$/.test(challenge ?? ''))
    return 'code_challenge must be 43 characters, the SHA-256 of the verifier in base64url';
  return undefined;
}

/** Where the browser goes with an answer: the registered address, whose own query is kept. */
export function backTo(redirectUri: string, answer: Record<string, string | undefined>): string {
  const given = Object.entries(answer).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`;
}
