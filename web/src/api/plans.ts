import type { Plan, Team, TeamBilling } from '#sdk';

export type PlanName = Plan['name'];
export type Interval = NonNullable<Team['interval']>;

export function isInterval(text: string): text is Interval {
  return text === 'month' || text === 'year';
}

export function priceOf(plan: Plan, interval: Interval): number {
  return interval === 'year' ? plan.price_year_cents : plan.price_month_cents;
}

/** How much of each thing is used; sites only where the caller may know what is paid for. */
export type Limits = Omit<TeamBilling['limits'], 'sites'> & Partial<Pick<TeamBilling['limits'], 'sites'>>;

export function limitsOf({ plan_type: plan, ...team }: Team): Limits {
  return {
    storage_bytes: { used: team.storage_usage, allowed: plan.storage_bytes },
    visits: { used: team.current_cycle_visits, allowed: plan.visits },
    bandwidth_bytes: { used: team.current_cycle_bandwidth, allowed: plan.bandwidth_bytes },
  };
}
