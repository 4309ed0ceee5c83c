import { hash, verify } from '@node-rs/argon2';

/**
 * Cost of one guess for an attacker who has the hashes: argon2id with OWASP's parameters. No setting lowers it;
 * unrelated tests do (testkit/app/test-app.ts).
 */
export const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const hashPassword = (password: string): Promise<string> => hash(password, COST);

let decoy: Promise<string> | undefined;

/** Takes as long for an address nobody registered as for a wrong password, so that the time tells nothing. */
export async function checkPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  decoy ??= hashPassword('a password nobody has');
  const matches = await verify(passwordHash ?? (await decoy), password);
  return passwordHash !== undefined && matches;
}
