import { type Selectable, sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { DB } from '#core/db/schema.generated.ts';

type Row = Selectable<DB['device_sign_ins']>;
export type Polled = Row & { is_too_soon: boolean; is_expired: boolean };

const SLOWER_SECONDS = 5;

/** False where the code to type is somebody else's right now. */
export async function insertSignIn(
  db: Db,
  row: Pick<Row, 'device_code_hash' | 'user_code_hash' | 'client_name' | 'ip' | 'interval_seconds'>,
  lifetimeSeconds: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into device_sign_ins (device_code_hash, user_code_hash, client_name, ip, interval_seconds, expires_at)
    values (${row.device_code_hash}, ${row.user_code_hash}, ${row.client_name}, ${row.ip}, ${row.interval_seconds},
      now() + make_interval(secs => ${lifetimeSeconds}))
    on conflict do nothing`.execute(db);
  return numAffectedRows === 1n;
}

/** By the code to type, under today's key or one of before; only what still waits for an answer. */
export async function findPending(db: Db, userCodeHashes: Buffer[]): Promise<Row | undefined> {
  const { rows } = await sql<Row>`
    select * from device_sign_ins
    where user_code_hash = any(${userCodeHashes}) and state = 'pending' and expires_at > now()`.execute(db);
  return rows[0];
}

/** Whoever is second to answer changes nothing. */
export async function answerSignIn(
  db: Db,
  deviceCodeHash: Buffer,
  answer:
    | { state: 'refused' }
    | ({ state: 'confirmed' } & Pick<Row, 'session_id' | 'scopes' | 'team_id' | 'token_expires_at'>),
): Promise<boolean> {
  const row = await db
    .updateTable('device_sign_ins')
    .set(answer)
    .where('device_code_hash', '=', deviceCodeHash)
    .where('state', '=', 'pending')
    .returning('state')
    .executeTakeFirst();
  return row !== undefined;
}

/** The program asks; whoever asks too soon has to wait longer from then on. */
export async function pollSignIn(db: Db, deviceCodeHash: Buffer): Promise<Polled | undefined> {
  const { rows } = await sql<Polled>`
    with before as (
      select device_code_hash, coalesce(polled_at > now() - make_interval(secs => interval_seconds), false) as is_too_soon
      from device_sign_ins where device_code_hash = ${deviceCodeHash} for update
    )
    update device_sign_ins d set polled_at = now(),
      interval_seconds = d.interval_seconds + case when before.is_too_soon then ${SLOWER_SECONDS}::int else 0 end
    from before where d.device_code_hash = before.device_code_hash
    returning d.*, before.is_too_soon, d.expires_at <= now() as is_expired`.execute(db);
  return rows[0];
}

/** Takes it away: of two who ask at once, one gets the token. */
export async function takeSignIn(db: Db, deviceCodeHash: Buffer): Promise<boolean> {
  const taken = await db
    .deleteFrom('device_sign_ins')
    .where('device_code_hash', '=', deviceCodeHash)
    .returning('state')
    .executeTakeFirst();
  return taken !== undefined;
}

/** For an hour more it is told that it is over. */
export async function deleteOldSignIns(db: Db): Promise<void> {
  await sql`delete from device_sign_ins where expires_at < now() - interval '1 hour'`.execute(db);
}
