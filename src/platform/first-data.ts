import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { inTransaction, type Tx } from '#core/db/database.ts';
import type { Services } from '#core/services.ts';
import { createOperator } from '#features/account/account.ts';
import type { Feature } from '#features/feature.ts';

const SETUP_LOCK = 7_390_212;

/** Many processes may start at once, so one makes what a first start makes, and the others find it. */
function alone<T>({ db }: Services, work: (tx: Tx) => Promise<T>): Promise<T> {
  return inTransaction(db, async (tx) => {
    // What is made may be much, such as new places for all events of a restored database, and the others wait for it.
    await sql`set local statement_timeout = 0`.execute(tx);
    await sql`select pg_advisory_xact_lock(${SETUP_LOCK})`.execute(tx);
    return work(tx);
  });
}

export async function prepareData(services: Services, features: readonly Feature[]): Promise<undefined> {
  await alone(services, async (tx) => {
    for (const { prepare } of features) await prepare?.(tx, services);
  });
}

/** With a password that was made, where nobody gave one: it is shown this once. */
export function makeOperator(services: Services): Promise<{ email: string; password: string } | undefined> {
  const { adminEmail, adminPassword } = services.config;
  return alone(services, async (tx) => {
    const email = adminEmail ?? 'admin@localhost';
    const password = adminPassword ?? randomBytes(12).toString('base64url');
    const made = await createOperator(tx, email, password);
    return made && !adminPassword ? { email, password } : undefined;
  });
}
