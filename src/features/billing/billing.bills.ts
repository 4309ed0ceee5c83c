import type { Db } from '#core/db/database.ts';
import type { Services } from '#core/services.ts';
import { asking } from './billing.provider.ts';
import type { TeamBills } from './billing.schema.ts';
import { listTeamSubscriptions } from './billing.sql.ts';

/**
 * What the provider has of how the team is paid for. Only the owner's own: what an owner before paid is between them and the provider.
 */
export async function getTeamBills(db: Db, services: Services, userId: string, teamId: string): Promise<TeamBills> {
  const { payments } = services;
  const all = payments ? await listTeamSubscriptions(db, payments.account, teamId) : [];
  const own = all.filter(({ user_id }) => user_id === userId);
  const is_yours = own.length === all.length;
  const customerId = own[0]?.customer_id;
  if (!payments || customerId === undefined) return { card: null, invoices: [], is_yours };
  const ids = own.filter((each) => each.customer_id === customerId).map(({ id }) => id);
  const { card, invoices } = await asking(services, () => payments.readBills(customerId, ids));
  return {
    card: card && { brand: card.brand, last4: card.last4, exp_month: card.expMonth, exp_year: card.expYear },
    invoices: invoices.map(({ id, number, status, totalCents, currency, createdAt, url, pdfUrl }) => ({
      id,
      number,
      status,
      total_cents: totalCents,
      currency,
      created_at: createdAt,
      url,
      pdf_url: pdfUrl,
    })),
    is_yours,
  };
}
