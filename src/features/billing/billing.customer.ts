import type { Services } from '#core/services.ts';
import { findUser } from '#features/user/user.ts';
import { requirePayments } from './billing.provider.ts';
import { customerDeleted } from './billing.schema.ts';
import { findCustomer, keepCustomer, replaceCustomer } from './billing.sql.ts';
import { syncCustomer } from './billing.sync.ts';

/**
 * One customer for each person, made when they first need one. Whoever buys gets another one in the place of a customer
 * that was deleted at the provider; killed half-way or twice at once, it is the same one.
 */
export async function customerOf(
  services: Services,
  userId: string,
  { mayReplace }: { mayReplace: boolean },
): Promise<string> {
  const payments = requirePayments(services);
  const { account } = payments;
  const { db } = services;
  const known = await findCustomer(db, account, userId);
  if (known !== undefined) {
    if (!(await payments.isCustomerDeleted(known))) return known;
    // What it paid for ended with it, and has to be over here as well before anything is bought again.
    await syncCustomer(services, known);
    if (!mayReplace) throw customerDeleted();
  }
  const { email, full_name } = await findUser(db, userId);
  const made = await payments.createCustomer({ userId, email, name: full_name, replaces: known });
  await (known === undefined
    ? keepCustomer(db, account, userId, made)
    : replaceCustomer(db, account, userId, { old: known, new: made }));
  // Somebody else may have been faster.
  return (await findCustomer(db, account, userId)) as string;
}
