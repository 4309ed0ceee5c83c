import { hash, randomBytes } from 'node:crypto';

/** A bearer token: 256 random bits with a prefix that secret scanners can look for. */
export function newToken(): string {
  return `sy_${randomBytes(32).toString('base64url')}`;
}

/** Tokens are random, so one round of SHA-256 keeps them as safe as a slow hash would, at 4 microseconds a check. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
