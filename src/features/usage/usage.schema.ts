import { type Static, Type } from 'typebox';
import { Moment, OneOf, Timestamp } from '#core/http/schema.ts';

export const USAGE_STEPS = ['hour', 'day'] as const;
export type UsageStep = (typeof USAGE_STEPS)[number];

export const UsageQuery = Type.Object({
  from: Type.Optional(Moment),
  to: Type.Optional(Moment),
  step: Type.Optional(OneOf(USAGE_STEPS)),
});
export type UsageQuery = Static<typeof UsageQuery>;

const TeamUsagePoint = Type.Object({ at: Timestamp, visits: Type.Integer(), bytes: Type.Integer() });
export type TeamUsagePoint = Static<typeof TeamUsagePoint>;

export const TeamUsage = Type.Object(
  { step: OneOf(USAGE_STEPS), from: Timestamp, to: Timestamp, points: Type.Array(TeamUsagePoint) },
  { title: 'TeamUsage' },
);
export type TeamUsage = Static<typeof TeamUsage>;
