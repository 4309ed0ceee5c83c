import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { Interval, PlanName } from '#features/plan/plan.ts';
import type { Checkout } from './billing.schema.ts';

export interface CheckoutRow {
  id: string;
  account: string;
  user_id: string;
  team_id: string | null;
  team_name: string;
  makes_team: boolean;
  plan_type_name: PlanName;
  interval: Interval;
  status: Checkout['status'];
  session_id: string | null;
  created_at: Date;
}

export type NewCheckoutRow = Pick<
  CheckoutRow,
  'account' | 'user_id' | 'team_id' | 'team_name' | 'makes_team' | 'plan_type_name' | 'interval'
>;

export async function findCheckout(db: Db, id: string): Promise<CheckoutRow | undefined> {
  return (await sql<CheckoutRow>`select * from checkouts where id = ${id}`.execute(db)).rows[0];
}

export async function insertCheckout(db: Db, row: NewCheckoutRow): Promise<CheckoutRow> {
  const { rows } = await sql<CheckoutRow>`
    insert into checkouts (account, user_id, team_id, team_name, makes_team, plan_type_name, interval)
    values (${row.account}, ${row.user_id}, ${row.team_id}, ${row.team_name}, ${row.makes_team}, ${row.plan_type_name}, ${row.interval})
    returning *`.execute(db);
  return rows[0] as CheckoutRow;
}

/** The open checkouts that a new one would stand beside: of the same team, or of a new team of the same name. */
export async function listOpenCheckouts(db: Db, row: NewCheckoutRow): Promise<CheckoutRow[]> {
  const same = row.makes_team
    ? sql`makes_team and team_name = ${row.team_name}`
    : sql`not makes_team and team_id = ${row.team_id}`;
  const { rows } = await sql<CheckoutRow>`
    select * from checkouts where account = ${row.account} and user_id = ${row.user_id} and status = 'open' and ${same}
    order by created_at desc`.execute(db);
  return rows;
}

export async function listOldCheckouts(db: Db, account: string): Promise<CheckoutRow[]> {
  const { rows } = await sql<CheckoutRow>`
    select * from checkouts where account = ${account} and status = 'open' and created_at < now() - interval '25 hours'
    order by created_at limit 1000`.execute(db);
  return rows;
}

export async function keepSession(db: Db, id: string, sessionId: string): Promise<void> {
  await sql`update checkouts set session_id = ${sessionId} where id = ${id}`.execute(db);
}

export async function closeCheckout(db: Db, id: string): Promise<void> {
  await sql`update checkouts set status = 'closed' where id = ${id} and status = 'open'`.execute(db);
}

export async function markCheckoutPaid(db: Db, id: string, teamId: string): Promise<void> {
  await sql`update checkouts set status = 'paid', team_id = ${teamId} where id = ${id}`.execute(db);
}

export async function findCheckoutsOf(
  db: Db,
  account: string,
  userId: string,
  ids: readonly string[],
): Promise<CheckoutRow[]> {
  const { rows } = await sql<CheckoutRow>`
    select * from checkouts where id::text = any(${[...ids]}::text[]) and account = ${account} and user_id = ${userId}`.execute(
    db,
  );
  return rows;
}
