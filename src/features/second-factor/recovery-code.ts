import { createHmac, randomInt } from 'node:crypto';
import type { Secrets } from '#core/secrets.ts';

/** Nothing that looks like something else. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
const LENGTH = 12;
const RECOVERY_CODES = 10;

export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const letters = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
    return letters.replaceAll(/(.{4})(?=.)/g, '$1-');
  });
}

/** Under a key that lasts: the codes are on paper, and no change of the platform's key may make them worthless. */
export function hashRecoveryCode(secrets: Secrets, code: string): Buffer {
  const plain = code.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return createHmac('sha256', secrets.deriveLasting('recovery code')).update(plain).digest();
}
