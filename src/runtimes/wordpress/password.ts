import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { programFile } from '#core/program.ts';

const PROGRAM = programFile(join(import.meta.dirname, 'bcrypt-thread.ts'));

/** WordPress takes no longer one, counted as it arrives. */
export const MAX_PASSWORD_BYTES = 4096;

/** What PHP 8.3 takes by default; WordPress hashes again at the next sign-in where its own default is another one. Tests take less (test/app.ts). */
export const BCRYPT = { cost: 10 };

/** Hashes a password as WordPress does since 6.8, so that the password itself never has to reach the site. */
export async function hashForWordPress(password: string): Promise<string> {
  const digest = createHmac('sha384', 'wp-sha384').update(asWordPressReadsIt(password)).digest('base64');
  return `$wp${await bcrypt(digest)}`;
}

/**
 * In a thread of its own: bcrypt is slow on purpose, and without a native build for every machine it is JavaScript that
 * would hold up everybody else. One password for each new site is not worth a native package.
 */
async function bcrypt(digest: string): Promise<string> {
  const thread = new Worker(PROGRAM, { workerData: { digest, ...BCRYPT } });
  const [hash] = (await once(thread, 'message')) as [string];
  return hash;
}

/** What PHP's trim takes off. */
const BLANKS = ' \t\n\r\0\v';

/** WordPress puts slashes before quotes in whatever a form sends, trims it, and never takes the slashes off a password. */
export function asWordPressReadsIt(password: string): string {
  let [start, end] = [0, password.length];
  while (start < end && BLANKS.includes(password.charAt(start))) start++;
  while (end > start && BLANKS.includes(password.charAt(end - 1))) end--;
  return password.slice(start, end).replaceAll(/['"\\]/g, '\\$&');
}
