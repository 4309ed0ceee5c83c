import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { type Db, inTransaction } from './db/database.ts';
import type { DB } from './db/schema.generated.ts';
import { createSecrets, lastingKeyOf, type Secrets } from './secrets.ts';

/**
 * The platform's keys against what its database knows of them. Processes that share a database must share the key, or one
 * could not read what the other sealed or signed; while the key is being changed, each has to have all that are in use.
 */
export class WrongKey extends Error {}

const KEY_LOCK = 7_390_214;
const PURPOSE = 'key check';

interface PlatformRow {
  key_check: string;
  previous_key_checks: string[];
  lasting_key_sealed: Buffer | null;
}

export async function openSecrets(db: Kysely<DB>, keys: readonly [string, ...string[]]): Promise<Secrets> {
  return inTransaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(${KEY_LOCK})`.execute(tx);
    const { seal, open, deriveAll } = createSecrets(keys, Buffer.alloc(0));
    const checks = deriveAll(PURPOSE);
    const { rows } = await sql<PlatformRow>`
      select key_check, previous_key_checks, lasting_key_sealed from platform`.execute(tx);
    const row = rows[0];
    const origin = keys[checks.indexOf(row?.key_check ?? (checks[0] as string))];
    if (origin === undefined)
      throw new WrongKey(
        'this database belongs to a platform with another key: set SECRET_KEY (or DATA_DIR) to that of its first start, or ' +
          'name that key in SECRET_KEY_PREVIOUS',
      );
    if (row?.previous_key_checks.some((check) => !checks.includes(check)))
      throw new WrongKey(
        'not everything is sealed with the new key yet: leave the key before it in SECRET_KEY_PREVIOUS until it is',
      );
    const kept = row?.lasting_key_sealed;
    const lastingKey = kept ? open(kept) : row ? lastingKeyOf(origin) : randomBytes(32);
    const before = [...new Set([...(row?.previous_key_checks ?? []), ...checks.slice(1)])];
    await writeKeys(tx, checks[0] as string, before, kept ?? seal(lastingKey));
    return createSecrets(keys, lastingKey);
  });
}

/** Whether a platform has started on this database before. */
export async function isPlatform(db: Db): Promise<boolean> {
  const { rows } = await sql`select from platform`.execute(db);
  return rows.length > 0;
}

/** Whether this is the platform's key of today. */
export async function isKeyOf(db: Db, key: string): Promise<boolean> {
  const { rows } = await sql<Pick<PlatformRow, 'key_check'>>`select key_check from platform`.execute(db);
  return rows[0]?.key_check === createSecrets([key], Buffer.alloc(0)).derive(PURPOSE);
}

/** From here on nobody starts without the keys that something may still be sealed with. */
async function writeKeys(db: Db, check: string, before: string[], lastingKeySealed: Buffer): Promise<void> {
  const others = before.filter((each) => each !== check);
  await sql`insert into platform (key_check, previous_key_checks, lasting_key_sealed)
    values (${check}, ${others}, ${lastingKeySealed})
    on conflict (id) do update set key_check = excluded.key_check, previous_key_checks = excluded.previous_key_checks,
      lasting_key_sealed = excluded.lasting_key_sealed,
      reseal_asked_at = case when excluded.previous_key_checks = '{}' then platform.reseal_asked_at else clock_timestamp() end`.execute(
    db,
  );
}

/** When a process last started that has keys of before. */
export async function readResealMoment(db: Db): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`select reseal_asked_at as at from platform`.execute(db);
  return rows[0]?.at ?? null;
}

/**
 * Nothing is sealed with a key of before any more. False when a process with keys of before started since, or one whose
 * key of today is another: then the end is for the work that its start asked for.
 */
export async function endReseal(db: Db, secrets: Secrets, askedAt: Date | null): Promise<boolean> {
  const { rows } = await sql`
    update platform set previous_key_checks = '{}' where key_check = ${secrets.derive(PURPOSE)}
      and reseal_asked_at is not distinct from ${askedAt}::timestamptz returning id`.execute(db);
  return rows.length > 0;
}
