import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { TeamUsage } from '#sdk';
import { api } from '../api/client.ts';
import { dateFormat } from '../ui/clock.ts';

/** Counters move without an event, so what shows them looks again by itself. */
const refetchInterval = 30_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export type Usage = Pick<TeamUsage, 'step' | 'points'> & { title: string };

export type UsageRange = {
  label: string;
  /** As it follows "in". */
  title: string;
  step: TeamUsage['step'];
  from: () => Date;
};

// The API widens what it is asked for to whole steps; the running one counts as a whole one.
const last = (points: number, stepMs: number) => () => new Date(Date.now() - (points - 1) * stepMs);

const lastDay: UsageRange = { label: '24 h', title: 'the last 24 hours', step: 'hour', from: last(24, hourMs) };

export const siteRanges: UsageRange[] = [
  lastDay,
  { label: '7 d', title: 'the last 7 days', step: 'hour', from: last(7 * 24, hourMs) },
  { label: '30 d', title: 'the last 30 days', step: 'day', from: last(30, dayMs) },
];

export const lastFortnight: UsageRange = {
  label: '14 d',
  title: 'the last 14 days',
  step: 'day',
  from: last(14, dayMs),
};

const dayName = dateFormat({ day: 'numeric', month: 'short', timeZone: 'UTC' });

export function teamRanges(cycleStart: string | null): UsageRange[] {
  const start = cycleStart === null ? undefined : new Date(cycleStart);
  const cycle: UsageRange[] = start
    ? [{ label: 'This cycle', title: `the days since ${dayName.format(start)}`, step: 'day', from: () => start }]
    : [];
  return [...cycle, lastDay, { label: '90 d', title: 'the last 90 days', step: 'day', from: last(90, dayMs) }];
}

export const teamUsageQuery = (team_id: string, { title, step, from }: UsageRange) =>
  queryOptions({
    queryKey: ['usage', team_id, title],
    // Until another range has come the former one stays, and says itself which one it is.
    queryFn: async ({ signal }): Promise<Usage> => ({
      ...(await api.getTeamUsage({ params: { team_id }, query: { from: from().toISOString(), step }, signal })),
      title,
    }),
    placeholderData: keepPreviousData,
    refetchInterval,
  });
