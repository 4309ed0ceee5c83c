import { type Payments, PaymentsFailed } from '#core/payments.ts';
import type { Services } from '#core/services.ts';
import { findUser } from '#features/user/user.ts';
import { notConfigured, providerFailed, providerTimeout } from './billing.schema.ts';
import { findCustomer, keepCustomer } from './billing.sql.ts';

export function requirePayments({ payments }: Services): Payments {
  if (!payments) throw notConfigured();
  return payments;
}

/** For whoever waits for an answer. The provider's own words are for the operator. */
export async function asking<T>({ log }: Services, question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    if (!(error instanceof PaymentsFailed)) throw error;
    log.error({ err: error.message }, 'the payment provider failed');
    throw error.timedOut ? providerTimeout() : providerFailed();
  }
}

/** One customer for each person, made when they first need one. */
export async function customerOf(services: Services, userId: string): Promise<string> {
  const payments = requirePayments(services);
  const { db } = services;
  const known = await findCustomer(db, payments.account, userId);
  if (known) return known;
  const { email, full_name } = await findUser(db, userId);
  const made = await payments.createCustomer({ userId, email, name: full_name });
  return keepCustomer(db, payments.account, userId, made);
}
