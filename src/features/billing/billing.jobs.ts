import { jobKind } from '#core/jobs/jobs.ts';
import type { Services } from '#core/services.ts';
import { followStorage, startDueCycles, tellReachedLimits } from '#features/usage/usage.ts';
import { findPaidSubscription, forgetOldEvents, listCustomersToRead } from './billing.sql.ts';
import { endTestPlans, followEndedGrants, syncCustomer } from './billing.sync.ts';
import { closeCheckout, listOldCheckouts } from './checkout.sql.ts';

type Nothing = Record<string, never>;

/** What an event of the provider asks for. It takes all there is to know when it runs, so one that waits is enough. */
export const syncCustomerJob = jobKind<{ customerId: string }>({
  name: 'billing.sync',
  lane: 'background',
  run: ({ customerId }, { services, commit }) => syncCustomer(services, customerId, commit),
});

/** What nobody goes on paying for ends with the period that is paid. */
export const endPlanJob = jobKind<{ teamId: string }>({
  name: 'billing.end_plan',
  lane: 'background',
  async run({ teamId }, { services }) {
    const { db, payments } = services;
    const paid = payments && (await findPaidSubscription(db, payments.account, teamId));
    if (!paid) return;
    await payments.endAtPeriodEnd(paid.id);
    await syncCustomer(services, paid.customer_id);
  },
});

/** Every minute: cycles that are over, storage that is used up or free again, limits that were reached. */
export const followUsage = jobKind<Nothing>({
  name: 'billing.follow_usage',
  lane: 'background',
  schedule: '* * * * *',
  async run(_payload, { services }) {
    await startDueCycles(services);
    await followStorage(services.db);
    await tellReachedLimits(services);
  },
});

/** Every hour: what should have changed although nobody said so, and what nobody needs any more. */
export const rereadPayments = jobKind<Nothing>({
  name: 'billing.reread',
  lane: 'background',
  schedule: '37 * * * *',
  async run(_payload, { services }) {
    const { db, jobs, payments } = services;
    await forgetOldEvents(db);
    await followEndedGrants(services);
    if (!payments) return;
    for (const customerId of await listCustomersToRead(db, payments.account))
      await jobs.enqueueOnce(db, syncCustomerJob, { customerId }, customerId);
    await closeOldCheckouts(services);
    await endTestPlans(services);
  },
});

/** Nobody can pay a session that is older than a day. One that was never stored was never shown to anybody. */
async function closeOldCheckouts({ db, payments, log }: Services): Promise<void> {
  if (!payments) return;
  for (const { id, session_id } of await listOldCheckouts(db, payments.account)) {
    try {
      // One that was paid stays open until a reading has found what was bought with it.
      if (session_id !== null && (await payments.closeCheckout(session_id)) === 'complete') continue;
      await closeCheckout(db, id);
    } catch (error) {
      log.warn({ err: error, checkout: id }, 'an old checkout could not be closed');
    }
  }
}
