import type { Db } from '#core/db/database.ts';
import { LockBusy } from '#core/db/locks.ts';
import type { Services } from '#core/services.ts';
import { customerOf } from './billing.customer.ts';
import { endPlanJob } from './billing.jobs.ts';
import { asking, requirePayments } from './billing.provider.ts';
import { beingChanged, notPaid } from './billing.schema.ts';
import {
  findCustomer,
  findPaidSubscription,
  findPaidTeams,
  type PaidSubscription,
  wantReading,
} from './billing.sql.ts';
import { syncCustomer } from './billing.sync.ts';

/** Money, as the platform and other features see it. */
export { hasFreeTeam } from './billing.sql.ts';
export { receivePaymentEvent } from './billing.webhook.ts';

/** The caller's own customer, whatever teams they are in. */
export async function createPortal(services: Services, userId: string): Promise<{ url: string }> {
  const payments = requirePayments(services);
  return asking(services, async () => {
    const customerId = await customerOf(services, userId, { mayReplace: false });
    return { url: await payments.createPortal(customerId, `${services.config.baseUrl}/billing/return`) };
  });
}

/** The team's plan is not renewed, as far as one is paid for. */
export async function endPlan(db: Db, services: Services, teamId: string): Promise<void> {
  await services.jobs.enqueue(db, endPlanJob, { teamId });
}

/** For whoever comes back from checkout or portal: the provider may not be able to reach us, or not yet have. */
export async function syncUser(services: Services, userId: string): Promise<void> {
  const { account } = requirePayments(services);
  const customerId = await findCustomer(services.db, account, userId);
  if (customerId === undefined) return;
  await asking(services, () => syncCustomer(services, customerId));
  // A reading that overtook this one may have made a team, and this process may not have heard of it yet.
  services.credentials.forget(userId);
}

const WAIT_MS = 20_000;

/** One at a time for each team: the provider would add the same twice, and take the money for both. */
export async function setAdditionalSites(services: Services, teamId: string, quantity: number): Promise<void> {
  try {
    await services.locks.alone(`additional sites of ${teamId}`, WAIT_MS, () => payFor(services, teamId, quantity));
  } catch (error) {
    throw error instanceof LockBusy ? beingChanged() : error;
  }
}

/** Changes what is paid for, at the provider, and then here what follows from it. */
async function payFor(services: Services, teamId: string, quantity: number): Promise<void> {
  const payments = requirePayments(services);
  const { customer_id } = await paidSubscription(services, teamId);
  await asking(services, async () => {
    // It may have ended there or be paid by the year by now, and nobody told us yet.
    await syncCustomer(services, customer_id);
    const { id, interval } = await paidSubscription(services, teamId);
    // Should we die or not be able to read what follows, the clock does.
    await wantReading(services.db, payments.account, customer_id);
    await payments.setAdditionalSites(id, `siteyard_additional_site_${interval}`, quantity);
    await syncCustomer(services, customer_id);
  });
}

async function paidSubscription(services: Services, teamId: string): Promise<PaidSubscription> {
  const paid = await findPaidSubscription(services.db, requirePayments(services).account, teamId);
  if (!paid) throw notPaid();
  return paid;
}

export async function listPaidTeams(db: Db, services: Services, userId: string): Promise<string[]> {
  const { account } = requirePayments(services);
  const customerId = await findCustomer(db, account, userId);
  return customerId === undefined ? [] : [...new Set((await findPaidTeams(db, account, customerId)).values())];
}
