import { type Static, Type } from 'typebox';
import { Moment, OneOf, say, Timestamp, Uuid } from '#core/http/schema.ts';

export const USAGE_STEPS = ['hour', 'day'] as const;
export type UsageStep = (typeof USAGE_STEPS)[number];

export const UsageQuery = Type.Object({
  from: Type.Optional(say(Moment, 'Not before this moment')),
  to: Type.Optional(say(Moment, 'Not after this moment')),
  step: Type.Optional(say(OneOf(USAGE_STEPS), 'How long each span is')),
});
export type UsageQuery = Static<typeof UsageQuery>;

export const SITE_USAGE_ORDERS = ['visits', 'bandwidth', 'storage', 'name'] as const;

export const SiteUse = Type.Object(
  {
    site_id: Uuid,
    fqdn: Type.String(),
    visits: Type.Integer({ description: 'In this billing cycle' }),
    bandwidth_bytes: Type.Integer({ description: 'In this billing cycle' }),
    storage_bytes: Type.Integer({ description: 'Now, its staging site included' }),
  },
  { title: 'SiteUse' },
);
export type SiteUse = Static<typeof SiteUse>;

const TeamUsagePoint = Type.Object({ at: Timestamp, visits: Type.Integer(), bytes: Type.Integer() });
export type TeamUsagePoint = Static<typeof TeamUsagePoint>;

export const TeamUsage = Type.Object(
  { step: OneOf(USAGE_STEPS), from: Timestamp, to: Timestamp, points: Type.Array(TeamUsagePoint) },
  { title: 'TeamUsage' },
);
export type TeamUsage = Static<typeof TeamUsage>;
