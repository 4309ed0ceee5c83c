import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import { deleteInBatches } from '#core/db/delete-in-batches.ts';
import type { Interval, PlanName } from '#features/plan/plan.ts';

/** The columns of a team that payments move. */
export interface BilledTeam {
  id: string;
  user_id: string;
  name: string;
  plan_type_name: PlanName;
  /** What an operator gave without payment. */
  granted_plan: PlanName | null;
  interval: Interval | null;
  currency: string | null;
  price_cents: number | null;
  sub_id: string | null;
  additional_sites: number | null;
  additional_site_cents: number | null;
  cancel_at: Date | null;
  cancel_at_period_end: boolean;
  trial_ends_on: Date | null;
  period_start: Date | null;
  period_end: Date | null;
  unpaid_since: Date | null;
  is_expired: boolean;
  storage_usage: number;
}

export type TeamChange = Omit<BilledTeam, 'id' | 'user_id' | 'name' | 'granted_plan' | 'storage_usage'>;

const TEAM_COLUMNS = sql`id, user_id, name, plan_type_name, granted_plan, interval, currency, price_cents, sub_id, additional_sites,
  additional_site_cents, cancel_at, cancel_at_period_end, trial_ends_on, period_start, period_end, unpaid_since, is_expired,
  storage_usage`;

export interface UsedInCycle {
  cycle_start: Date;
  cycle_end: Date;
  current_cycle_visits: number;
  current_cycle_bandwidth: number;
}

export async function findBilledTeam(db: Db, id: string): Promise<(BilledTeam & UsedInCycle) | undefined> {
  const { rows } = await sql<BilledTeam & UsedInCycle>`
    select ${TEAM_COLUMNS}, cycle_start, cycle_end, current_cycle_visits, current_cycle_bandwidth
    from teams where id = ${id}`.execute(db);
  return rows[0];
}

/** In the order of their ids, as everybody locks teams, and until the transaction ends. */
export async function lockBilledTeams(db: Db, ids: readonly string[]): Promise<BilledTeam[]> {
  const { rows } = await sql<BilledTeam>`
    select ${TEAM_COLUMNS} from teams where id = any(${[...ids]}::uuid[]) order by id for no key update`.execute(db);
  return rows;
}

/** A team that has no period of its own any more counts its months from now on. */
export async function writeTeam(db: Db, id: string, change: TeamChange): Promise<void> {
  const anchor = sql`case when period_start is not null and ${change.period_start}::timestamptz is null then now() else cycle_anchor end`;
  await sql`update teams set plan_type_name = ${change.plan_type_name}, interval = ${change.interval}, currency = ${change.currency},
    price_cents = ${change.price_cents}, sub_id = ${change.sub_id}, additional_sites = ${change.additional_sites},
    additional_site_cents = ${change.additional_site_cents}, cancel_at = ${change.cancel_at},
    cancel_at_period_end = ${change.cancel_at_period_end}, trial_ends_on = ${change.trial_ends_on}, cycle_anchor = ${anchor},
    period_start = ${change.period_start}, period_end = ${change.period_end}, unpaid_since = ${change.unpaid_since},
    is_expired = ${change.is_expired} where id = ${id}`.execute(db);
}

export async function writeGrantedPlan(db: Db, id: string, plan: PlanName | null): Promise<void> {
  await sql`update teams set granted_plan = ${plan} where id = ${id}`.execute(db);
}

/** Holds the person, so that two requests of theirs come one after the other. */
export async function lockUser(db: Db, userId: string): Promise<void> {
  await sql`select from users where id = ${userId} for no key update`.execute(db);
}

/** Besides this one, where one is named. */
export async function hasFreeTeam(db: Db, userId: string, besides: string | null = null): Promise<boolean> {
  const { rows } =
    await sql`select from teams where user_id = ${userId} and plan_type_name = 'free' and deleted_at is null
    and id is distinct from ${besides}::uuid limit 1`.execute(db);
  return rows.length > 0;
}

export async function markPaymentVerified(db: Db, userId: string): Promise<void> {
  await sql`update users set is_payment_verified = true where id = ${userId} and not is_payment_verified`.execute(db);
}

export interface CustomerRow {
  customer_id: string;
  user_id: string;
  last_reading: number;
}

export async function findCustomer(db: Db, account: string, userId: string): Promise<string | undefined> {
  const { rows } = await sql<CustomerRow>`
    select customer_id from payment_customers where account = ${account} and user_id = ${userId}`.execute(db);
  return rows[0]?.customer_id;
}

/** Remembers that this customer has to be read, until somebody did; false where it is nobody's customer. */
export async function wantReading(db: Db, account: string, customerId: string): Promise<boolean> {
  const { rows } = await sql`
    update payment_customers set wanted_reading = nextval('payment_readings')
    where account = ${account} and customer_id = ${customerId} returning customer_id`.execute(db);
  return rows.length > 0;
}

/** Changes nothing where the person has a customer. */
export async function keepCustomer(db: Db, account: string, userId: string, customerId: string): Promise<void> {
  await sql`insert into payment_customers (account, customer_id, user_id) values (${account}, ${customerId}, ${userId})
    on conflict do nothing`.execute(db);
}

/**
 * Puts a new customer in the place of a deleted one, once. What the old one had bought goes along, so that whoever reads
 * the new one finds that it ended; what was offered to the old one can not be paid any more.
 */
export async function replaceCustomer(
  db: Db,
  account: string,
  userId: string,
  customer: { old: string; new: string },
): Promise<void> {
  await sql`
    with old as (
      select account, customer_id, user_id from payment_customers
      where account = ${account} and user_id = ${userId} and customer_id = ${customer.old} for update
    ), moved as (
      update subscriptions s set customer_id = ${customer.new} from old
      where s.account = old.account and s.customer_id = old.customer_id
    ), closed as (
      update checkouts c set status = 'closed' from old
      where c.account = old.account and c.user_id = old.user_id and c.status = 'open'
    )
    update payment_customers p set customer_id = ${customer.new} from old
    where p.account = old.account and p.customer_id = old.customer_id`.execute(db);
}

/** A number that is higher than that of every reading which began before. */
export async function beginReading(db: Db): Promise<number> {
  const { rows } = await sql<{ reading: number }>`select nextval('payment_readings') as reading`.execute(db);
  return (rows[0] as { reading: number }).reading;
}

/** Holds the customer for this reading; undefined where a later one was applied already. */
export async function claimReading(
  db: Db,
  account: string,
  customerId: string,
  reading: number,
): Promise<CustomerRow | undefined> {
  const { rows } = await sql<CustomerRow>`
    update payment_customers set last_reading = ${reading}
    where account = ${account} and customer_id = ${customerId} and last_reading < ${reading}
    returning customer_id, user_id, last_reading`.execute(db);
  return rows[0];
}

/** False where this event was heard before. */
export async function rememberEvent(db: Db, account: string, id: string): Promise<boolean> {
  const { rows } = await sql`insert into payment_events (account, id) values (${account}, ${id})
    on conflict do nothing returning id`.execute(db);
  return rows.length > 0;
}

/** The provider repeats an event for a few days at most. */
export async function forgetOldEvents(db: Db): Promise<void> {
  await deleteInBatches(db, 'payment_events', sql`received_at < now() - interval '60 days'`);
}

/** From the ids of subscriptions to the teams that they pay for. */
export async function findPaidTeams(db: Db, account: string, customerId: string): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; team_id: string }>`
    select id, team_id from subscriptions where account = ${account} and customer_id = ${customerId}`.execute(db);
  return new Map(rows.map(({ id, team_id }) => [id, team_id]));
}

export interface PaidSubscription {
  id: string;
  customer_id: string;
  interval: Interval;
}

/** What a team pays with now. */
export async function findPaidSubscription(
  db: Db,
  account: string,
  teamId: string,
): Promise<PaidSubscription | undefined> {
  const { rows } = await sql<PaidSubscription>`
    select s.id, s.customer_id, t.interval from teams t join subscriptions s on s.id = t.sub_id and s.team_id = t.id
    where t.id = ${teamId} and s.account = ${account}`.execute(db);
  return rows[0];
}

/** All that a team ever paid with, the newest first, and whose customer each was. */
export async function listTeamSubscriptions(
  db: Db,
  account: string,
  teamId: string,
): Promise<{ id: string; customer_id: string; user_id: string | null }[]> {
  const { rows } = await sql<{ id: string; customer_id: string; user_id: string | null }>`
    select s.id, s.customer_id, p.user_id from subscriptions s join teams t on t.id = s.team_id
    left join payment_customers p on p.account = s.account and p.customer_id = s.customer_id
    where s.team_id = ${teamId} and s.account = ${account} order by s.id = t.sub_id desc nulls last, s.id`.execute(db);
  return rows;
}

export async function writeSubscription(
  db: Db,
  row: { account: string; id: string; customer_id: string; team_id: string; status: string },
): Promise<void> {
  await sql`insert into subscriptions (account, id, customer_id, team_id, status)
    values (${row.account}, ${row.id}, ${row.customer_id}, ${row.team_id}, ${row.status})
    on conflict (account, id) do update set status = excluded.status`.execute(db);
}

/**
 * Customers about whom the clock says that something should have changed, whose last event led to no reading, or who may
 * have paid a checkout that nobody spoke of since.
 */
export async function listCustomersToRead(db: Db, account: string): Promise<string[]> {
  const { rows } = await sql<{ customer_id: string }>`
    select s.customer_id from subscriptions s join teams t on t.id = s.team_id
    where s.account = ${account} and (t.unpaid_since is not null or t.period_end <= now() or t.cancel_at <= now())
    union
    select customer_id from payment_customers where account = ${account} and wanted_reading > last_reading
    union
    select p.customer_id from checkouts c join payment_customers p on p.account = c.account and p.user_id = c.user_id
    where c.account = ${account} and c.status = 'open' and c.session_id is not null`.execute(db);
  return rows.map(({ customer_id }) => customer_id);
}

/** Teams whose plan ended and whose subscription, if they ever had one, no payment provider reports on. */
export async function listUnpaidTeams(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select t.id from teams t
    where t.unpaid_since is not null and t.sub_id is null
      and not exists (select from subscriptions s where s.team_id = t.id)
    order by t.id`.execute(db);
  return rows.map(({ id }) => id);
}

export async function listTeamsPaidThrough(db: Db, accounts: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select t.id from teams t join subscriptions s on s.team_id = t.id and s.id = t.sub_id
    where s.account = any(${[...accounts]}::text[])`.execute(db);
  return rows.map(({ id }) => id);
}
