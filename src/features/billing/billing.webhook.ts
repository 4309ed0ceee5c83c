import type { Db } from '#core/db/database.ts';
import { type Fault, invalid } from '#core/errors.ts';
import { ForgedNotice, type PaymentNotice } from '#core/payments.ts';
import type { Services } from '#core/services.ts';
import { syncCustomerJob } from './billing.jobs.ts';
import { requirePayments } from './billing.provider.ts';
import { rememberEvent, wantReading } from './billing.sql.ts';

const SIGNATURE: Pick<Fault, 'loc' | 'type'> = { loc: ['header', 'stripe-signature'], type: 'value_error' };

/**
 * Takes an event of the provider. It is a hint and nothing more: the job that it asks for reads what is true then, so
 * that an event which comes late, again or before an older one can do no harm. Where the job fails for good, the clock
 * finds that a reading is owed.
 */
export async function receivePaymentEvent(db: Db, services: Services, body: Buffer, signature: string): Promise<void> {
  const { account } = requirePayments(services);
  const { id, customerId } = await readNotice(services, body, signature);
  if (!(await rememberEvent(db, account, id))) return;
  // The same account may sell other things to other people.
  if (customerId === undefined || !(await wantReading(db, account, customerId))) return;
  await services.jobs.enqueueOnce(db, syncCustomerJob, { customerId }, customerId);
}

async function readNotice(services: Services, body: Buffer, signature: string): Promise<PaymentNotice> {
  try {
    return await requirePayments(services).readNotice(body, signature);
  } catch (error) {
    if (!(error instanceof ForgedNotice)) throw error;
    throw invalid({ ...SIGNATURE, msg: 'Value error, this does not sign the body, or did so too long ago' });
  }
}
