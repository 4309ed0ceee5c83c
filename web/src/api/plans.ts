import { queryOptions } from '@tanstack/react-query';
import type { Plan, Team, TeamBilling } from '#sdk';
import { api } from './client.ts';

export const plansQuery = queryOptions({
  queryKey: ['plans'],
  queryFn: ({ signal }) => api.listPlans({ signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export type PlanName = Plan['name'];
export type Interval = NonNullable<Team['interval']>;

export function isInterval(text: string): text is Interval {
  return text === 'month' || text === 'year';
}

/** How much of each thing is used; sites only where the caller may know what is paid for. */
export type Limits = Omit<TeamBilling['limits'], 'sites'> & Partial<Pick<TeamBilling['limits'], 'sites'>>;
