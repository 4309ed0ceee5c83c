import { recheckRights, rightsChanged } from '#core/auth/revocation.ts';
import { type Db, inTransaction } from '#core/db/database.ts';
import { bodyFault, invalid } from '#core/errors.ts';
import type { Call } from '#core/http/operation.ts';
import type { CheckoutSession, Payments } from '#core/payments.ts';
import { teamNotFound } from '#core/policy.ts';
import type { Services } from '#core/services.ts';
import { createTeam } from '#features/team/team.ts';
import { findUser } from '#features/user/user.ts';
import { customerOf } from './billing.customer.ts';
import { syncCustomerJob } from './billing.jobs.ts';
import { asking, requirePayments } from './billing.provider.ts';
import { findOfferedAgain } from './billing.rules.ts';
import { alreadyPaid, beingPaid, type Checkout, freeTeamTaken, type NewCheckoutSession } from './billing.schema.ts';
import { hasFreeTeam, lockBilledTeams, lockUser } from './billing.sql.ts';
import {
  type CheckoutRow,
  closeCheckout,
  findCheckout,
  insertCheckout,
  keepSession,
  listOpenCheckouts,
  type NewCheckoutRow,
} from './checkout.sql.ts';

const ATTEMPTS = 3;

/** What the provider was asked for before the transaction begins; undefined where nothing has to be paid. */
export type PreparedCheckout = { checkoutId: string; sessionId: string; url: string } | undefined;

/**
 * Asks the provider for a checkout. Our record of it comes first and names the request there, so that a kill, a second
 * click or a second process finds the same session again, and there is never more than one that could be paid for a team.
 */
export async function prepareCheckout(
  services: Services,
  userId: string,
  teamId: string | undefined,
  input: NewCheckoutSession,
): Promise<PreparedCheckout> {
  const { plan_name = 'free' } = input;
  if (teamId !== undefined && input.plan_name === undefined)
    throw invalid({ loc: ['body', 'plan_name'], msg: 'Field required', type: 'missing' });
  if (plan_name === 'free') {
    if (teamId !== undefined)
      throw invalid(bodyFault('plan_name', 'Value error, to go back to free cancel the plan in the billing portal'));
    return undefined;
  }
  const payments = requirePayments(services);
  const wanted: NewCheckoutRow = {
    account: payments.account,
    user_id: userId,
    team_id: teamId ?? null,
    team_name: input.new_team_name?.trim() ?? '',
    makes_team: teamId === undefined,
    plan_type_name: plan_name,
    interval: input.interval ?? 'month',
  };
  return asking(services, async () => {
    const buyer: Buyer = { services, payments, customerId: await customerOf(services, userId, { mayReplace: true }) };
    return offer(buyer, wanted);
  });
}

/** Ends the request: the team at once where it is free, otherwise the address where it is paid. */
export async function createCheckout(
  call: Call,
  input: NewCheckoutSession,
  prepared: PreparedCheckout,
): Promise<{ url: string }> {
  const { db, services, caller } = call;
  if (prepared) {
    await keepSession(db, prepared.checkoutId, prepared.sessionId);
    return { url: prepared.url };
  }
  await lockUser(db, caller.userId);
  await recheckRights(db, caller);
  if (await hasFreeTeam(db, caller.userId)) throw freeTeamTaken();
  const owner = await findUser(db, caller.userId);
  const teamId = await createTeam(db, { owner, name: input.new_team_name?.trim() ?? '', isDefault: false });
  rightsChanged(db, services, caller.userId);
  return { url: `${services.config.baseUrl}/teams/${teamId}` };
}

interface Buyer {
  services: Services;
  payments: Payments;
  customerId: string;
}

/** A checkout is offered again while it can be paid and says the same; otherwise it ends, and another one begins. */
async function offer(buyer: Buyer, wanted: NewCheckoutRow): Promise<PreparedCheckout> {
  const { db } = buyer.services;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { row, inTheWay } = await inTransaction(db, (tx) => claim(tx, wanted));
    if (row) {
      const { id: sessionId, url, isOpen } = await openSession(buyer, row);
      if (isOpen && [null, sessionId].includes(row.session_id)) return { checkoutId: row.id, sessionId, url };
      // It was paid, or we died when it had ended there and not yet here, or the price is another one now.
      await endSession(buyer, sessionId);
    }
    for (const other of row ? [row] : inTheWay) {
      await endSession(buyer, other.session_id ?? (await openSession(buyer, other)).id);
      await closeCheckout(db, other.id);
    }
  }
  throw beingPaid({ message: 'Another checkout for this team begins at this moment; try again.' });
}

/** The one open checkout of its kind, new or as it was; otherwise those that have to end first. */
async function claim(tx: Db, wanted: NewCheckoutRow): Promise<{ row?: CheckoutRow; inTheWay: CheckoutRow[] }> {
  const team_name = wanted.team_id === null ? wanted.team_name : await holdFreeTeam(tx, wanted.team_id);
  if (wanted.team_id === null) await lockUser(tx, wanted.user_id);
  const open = await listOpenCheckouts(tx, { ...wanted, team_name });
  if (open.length === 0) return { row: await insertCheckout(tx, { ...wanted, team_name }), inTheWay: [] };
  const row = findOfferedAgain(open, wanted);
  return row ? { row, inTheWay: [] } : { inTheWay: open };
}

async function holdFreeTeam(tx: Db, teamId: string): Promise<string> {
  const [team] = await lockBilledTeams(tx, [teamId]);
  if (!team) throw teamNotFound();
  // A plan that an operator gave is no reason not to buy one.
  if (team.plan_type_name !== (team.granted_plan ?? 'free')) throw alreadyPaid();
  return team.name;
}

async function openSession({ services, payments, customerId }: Buyer, row: CheckoutRow): Promise<CheckoutSession> {
  const returnUrl = `${services.config.baseUrl}/billing/return?checkout=${row.id}`;
  return payments.createCheckout({
    checkoutId: row.id,
    customerId,
    priceKey: `siteyard_${row.plan_type_name}_${row.interval}`,
    teamName: row.team_name,
    successUrl: returnUrl,
    cancelUrl: `${returnUrl}&canceled=true`,
  });
}

/** Something else is offered now: what was offered before must not be paid any more. */
async function endSession({ services, payments, customerId }: Buyer, sessionId: string): Promise<void> {
  if ((await payments.closeCheckout(sessionId)) !== 'complete') return;
  await services.jobs.enqueueOnce(services.db, syncCustomerJob, { customerId }, customerId);
  throw beingPaid();
}

export async function getCheckout(db: Db, id: string): Promise<Checkout> {
  const row = (await findCheckout(db, id)) as CheckoutRow;
  const { status, plan_type_name: plan_name, interval, team_name, team_id, created_at } = row;
  return { id, status, plan_name, interval, team_name, team_id, created_at };
}
