import { type Static, Type } from 'typebox';
import { OneOf } from '#core/http/schema.ts';
import type { SiteShare } from '#runtimes/runtime.ts';

export const PLAN_NAMES = ['free', 'micro', 'starter', 'business'] as const;
export type PlanName = (typeof PLAN_NAMES)[number];

export const Plan = Type.Object(
  {
    name: OneOf(PLAN_NAMES),
    sites: Type.Integer(),
    storage_bytes: Type.Integer(),
    visits: Type.Integer({ description: 'Per billing cycle' }),
    bandwidth_bytes: Type.Integer({ description: 'Per billing cycle' }),
    restore_window_hours: Type.Integer({ description: 'How long every changed minute stays restorable' }),
    assistant_messages: Type.Integer({ description: 'Per ticket' }),
    price_month_cents: Type.Integer(),
    price_year_cents: Type.Integer(),
    currency: Type.String(),
  },
  { title: 'Plan' },
);
export type Plan = Static<typeof Plan>;

const GB = 1_000_000_000;
const DAY = 24;

const plan = (
  name: PlanName,
  sites: number,
  storageGb: number,
  visits: number,
  trafficGb: number,
  hours: number,
  messages: number,
  price: number,
): Plan => ({
  name,
  sites,
  storage_bytes: storageGb * GB,
  visits,
  bandwidth_bytes: trafficGb * GB,
  restore_window_hours: hours,
  assistant_messages: messages,
  price_month_cents: price,
  // A year costs ten months.
  price_year_cents: price * 10,
  currency: 'usd',
});

export const INTERVALS = ['month', 'year'] as const;
export type Interval = (typeof INTERVALS)[number];

/** One more site than the plan has, as often as a team likes. */
const ADDITIONAL_SITE_CENTS = 300;

export const PLANS: Record<PlanName, Plan> = {
  free: plan('free', 1, 1, 10_000, 10, DAY, 10, 0),
  micro: plan('micro', 3, 10, 50_000, 50, 7 * DAY, 30, 900),
  starter: plan('starter', 10, 50, 250_000, 250, 30 * DAY, 100, 2900),
  business: plan('business', 50, 250, 1_000_000, 1000, 90 * DAY, 300, 9900),
};

const share = (processes: number, processors: number, megabytesPerSecond: number): SiteShare => ({
  processes,
  processors,
  ioBytesPerSecond: megabytesPerSecond * 1_000_000,
});

/** What each site of a plan may have of the machine at most, where it runs on native PHP. Memory goes with the processes. */
export const SHARES: Record<PlanName, SiteShare> = {
  free: share(2, 1, 50),
  micro: share(3, 2, 100),
  starter: share(4, 4, 200),
  business: share(8, 8, 400),
};

export const isPlanName = (name: string): name is PlanName => (PLAN_NAMES as readonly string[]).includes(name);

export function priceOf(plan: PlanName, interval: Interval, additionalSites = 0): number {
  const { price_month_cents, price_year_cents } = PLANS[plan];
  const months = interval === 'year' ? 10 : 1;
  return (
    (interval === 'year' ? price_year_cents : price_month_cents) + additionalSites * ADDITIONAL_SITE_CENTS * months
  );
}

/** Everything that can be bought, as the payment provider is told of it. */
export const PRICES = INTERVALS.flatMap((interval) => [
  ...PLAN_NAMES.filter((name) => name !== 'free').map((name) => ({
    lookupKey: `siteyard_${name}_${interval}`,
    product: { id: `siteyard_${name}`, name: `Siteyard ${name}` },
    plan: name as string,
    interval,
    cents: priceOf(name, interval),
    currency: PLANS[name].currency,
  })),
  {
    lookupKey: `siteyard_additional_site_${interval}`,
    product: { id: 'siteyard_additional_site', name: 'Siteyard additional site' },
    plan: null,
    interval,
    cents: priceOf('free', interval, 1),
    currency: PLANS.free.currency,
  },
]);
