import { createHmac } from 'node:crypto';
import { hash } from '@node-rs/bcrypt';

/** What PHP 8.3 takes by default; WordPress hashes again at the next sign-in where its own default is another one. */
const COST = 10;
/** WordPress takes no longer one, counted as it arrives. */
export const MAX_PASSWORD_BYTES = 4096;

/** Hashes a password as WordPress does since 6.8, so that the password itself never has to reach the site. */
export async function hashForWordPress(password: string): Promise<string> {
  const digest = createHmac('sha384', 'wp-sha384').update(asWordPressReadsIt(password)).digest('base64');
  // Under the name that PHP itself writes.
  return `$wp${await hash(digest, { cost: COST, version: '2y' })}`;
}

/** WordPress puts slashes before quotes in whatever a form sends, trims it, and never takes the slashes off a password. */
export function asWordPressReadsIt(password: string): string {
  return password.replaceAll(/['"\\]/g, '\\$&').replaceAll(/^[ \t\n\r\0\v]+|[ \t\n\r\0\v]+$/g, '');
}
