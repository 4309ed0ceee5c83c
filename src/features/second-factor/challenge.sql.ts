import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';

export type ChallengePurpose = 'second_step' | 'passkey_sign_in' | 'new_passkey';

export interface Challenge {
  id: string;
  user_id: string | null;
  nonce: string;
}

export async function insertChallenge(
  db: Db,
  { userId, purpose, nonce }: { userId: string | null; purpose: ChallengePurpose; nonce: string },
  lifetimeSeconds: number,
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into sign_in_challenges (user_id, purpose, nonce, expires_at)
    values (${userId}, ${purpose}, ${nonce}, now() + make_interval(secs => ${lifetimeSeconds})) returning id`.execute(
    db,
  );
  return (rows[0] as { id: string }).id;
}

/** Counts a try before it is made; undefined where the challenge is over, or none is left. */
export async function tryChallenge(
  db: Db,
  id: string,
  purpose: ChallengePurpose,
  maxTries: number,
): Promise<Challenge | undefined> {
  const { rows } = await sql<Challenge>`
    update sign_in_challenges set tries = tries + 1
    where id = ${id} and purpose = ${purpose} and expires_at > now() and tries < ${maxTries}
    returning id, user_id, nonce`.execute(db);
  return rows[0];
}

/** False where it was passed already: of two that come at once, one gets in. */
export async function endChallenge(db: Db, id: string): Promise<boolean> {
  const row = await db.deleteFrom('sign_in_challenges').where('id', '=', id).returning('id').executeTakeFirst();
  return row !== undefined;
}

/** A sign-in that was begun with a password of before, or by somebody who is blocked now, goes no further. */
export async function deleteChallengesOf(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('sign_in_challenges').where('user_id', '=', userId).execute();
}

export async function deleteOldChallenges(db: Db): Promise<void> {
  await sql`delete from sign_in_challenges where expires_at < now()`.execute(db);
}
