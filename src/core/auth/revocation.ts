import { sql } from 'kysely';
import { afterCommit, type Db } from '#core/db/database.ts';
import { unauthenticated } from '#core/errors.ts';
import type { Services } from '#core/services.ts';
import type { Caller } from './caller.ts';

/**
 * What this process remembers of a user's rights must not outlive the commit that changed them. Other processes hear
 * of it from the database a moment later.
 */
export function rightsChanged(db: Db, services: Services, userId: string): void {
  afterCommit(db, () => {
    services.credentials.forget(userId);
    services.events.endStreamsOf(userId);
  });
}

/**
 * For what is made after waiting for a lock: the credential may have ended meanwhile, and what it makes would outlive that.
 * To be asked with the lock held that whoever ended it had.
 */
export async function requireCredential(db: Db, caller: Caller): Promise<void> {
  const { rows } = await sql`select from credentials where id = ${caller.credential.id}`.execute(db);
  if (rows.length === 0) throw unauthenticated({ headers: { 'www-authenticate': 'Bearer' } });
}
