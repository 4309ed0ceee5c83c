import type { Plan, TeamBilling } from '#sdk';
import type { Interval } from '../../api/plans.ts';
import { formatMoney, formatPrice } from '../../ui/format.ts';

const intervalMs: Record<Interval, number> = { month: 30.44 * 86_400_000, year: 365.25 * 86_400_000 };

const priceOf = (plan: Plan, interval: Interval) =>
  interval === 'year' ? plan.price_year_cents : plan.price_month_cents;

/** What another plan costs from now on and for the rest of the period. The provider counts by the second, so this is about. */
export function describeCost(from: Plan, to: Plan, interval: Interval, billing: TeamBilling, now = Date.now()): string {
  const before = billing.interval ?? 'month';
  const price = formatPrice(priceOf(to, interval), to.currency, interval);
  const priceBefore = formatPrice(priceOf(from, before), from.currency, before);
  if (priceOf(to, interval) === 0)
    return 'Cancel the plan in the billing portal: what is paid for stays until its end.';
  const left = billing.renews_at === null ? 0 : Math.max(0, Date.parse(billing.renews_at) - now);
  const share = Math.min(1, left / intervalMs[before]);
  const about = (cents: number) => `about ${formatMoney(Math.round(Math.abs(cents) / 100) * 100, to.currency)}`;
  const lead = `It costs ${price} instead of ${priceBefore}.`;
  if (interval !== before) {
    const due = priceOf(to, interval) - priceOf(from, before) * share;
    return `${lead} A new ${interval} begins today: you pay ${about(due)} now, since what is left of the ${before} is taken off.`;
  }
  const difference = (priceOf(to, interval) - priceOf(from, before)) * share;
  const words = difference >= 0 ? `${about(difference)} more` : `${about(difference)} less`;
  return `${lead} For the rest of this ${before} that is ${words}, settled with the next invoice.`;
}
