import type Stripe from 'stripe';
import type { Bills, Card, Invoice } from '#core/payments.ts';

/** Two years of months. What is older, the portal has. */
const MOST = 24;

/** What was billed for each of them, merged, and the card that pays the first or, where it names none, all that the customer has. */
export async function readBills(stripe: Stripe, customer: string, subscriptionIds: readonly string[]): Promise<Bills> {
  const lists = await Promise.all(
    subscriptionIds.map((subscription) => stripe.invoices.list({ customer, subscription, limit: MOST })),
  );
  const invoices = lists.flatMap(({ data }) => data).sort((a, b) => b.created - a.created);
  return {
    card: await readCard(stripe, customer, subscriptionIds[0]),
    invoices: invoices.slice(0, MOST).map(toInvoice),
  };
}

async function readCard(stripe: Stripe, customerId: string, subscriptionId: string | undefined): Promise<Card | null> {
  const own =
    subscriptionId === undefined
      ? null
      : (await stripe.subscriptions.retrieve(subscriptionId, { expand: ['default_payment_method'] }))
          .default_payment_method;
  if (own && typeof own !== 'string') return toCard(own);
  const customer = await stripe.customers.retrieve(customerId, { expand: ['invoice_settings.default_payment_method'] });
  const usual = customer.deleted ? null : customer.invoice_settings?.default_payment_method;
  return usual && typeof usual !== 'string' ? toCard(usual) : null;
}

function toCard({ card }: Stripe.PaymentMethod): Card | null {
  return card ? { brand: card.brand, last4: card.last4, expMonth: card.exp_month, expYear: card.exp_year } : null;
}

function toInvoice(invoice: Stripe.Invoice): Invoice {
  return {
    id: invoice.id ?? '',
    number: invoice.number,
    status: (invoice.status ?? 'draft') as Invoice['status'],
    totalCents: invoice.total,
    currency: invoice.currency,
    createdAt: new Date(invoice.created * 1000),
    url: invoice.hosted_invoice_url ?? null,
    pdfUrl: invoice.invoice_pdf ?? null,
  };
}
