import { type Fault, invalid } from '#core/errors.ts';
import type { UsageQuery, UsageStep } from './usage.schema.ts';

const STEP_MS: Record<UsageStep, number> = { hour: 3_600_000, day: 86_400_000 };
const DEFAULT_POINTS: Record<UsageStep, number> = { hour: 48, day: 30 };
const MAX_POINTS = 1000;

export interface UsageRange {
  step: UsageStep;
  from: Date;
  to: Date;
}

/** Whole steps of UTC that hold everything from `from` to `to`; without them, the last two days or the last thirty. */
export function readUsageRange(query: UsageQuery): UsageRange {
  const step = query.step ?? 'hour';
  const stepMs = STEP_MS[step];
  const end = query.to === undefined ? Date.now() : Date.parse(query.to);
  const to = Math.ceil(end / stepMs) * stepMs;
  const begin = query.from === undefined ? to - DEFAULT_POINTS[step] * stepMs : Date.parse(query.from);
  const from = Math.floor(begin / stepMs) * stepMs;
  const fault = (msg: string): Fault => ({ loc: ['query', 'from'], msg: `Value error, ${msg}`, type: 'value_error' });
  if (begin > end) throw invalid(fault('must not be after `to`'));
  if ((to - from) / stepMs > MAX_POINTS)
    throw invalid(fault(`that is more than ${MAX_POINTS} points; ask for less time or for days`));
  return { step, from: new Date(from), to: new Date(to) };
}
