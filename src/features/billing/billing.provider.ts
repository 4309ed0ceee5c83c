import { type Payments, PaymentsFailed } from '#core/payments.ts';
import type { Services } from '#core/services.ts';
import { notConfigured, providerFailed, providerTimeout } from './billing.schema.ts';

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
