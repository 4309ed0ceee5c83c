import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Name, Nullable, OneOf, say, Timestamp, Uuid } from '#core/http/schema.ts';
import { teamNotFound } from '#core/policy.ts';
import { PLAN_NAMES, Plan } from '#features/plan/plan.ts';
import { User } from '#features/user/user.ts';

const UPDATE_POLICIES = ['off', 'security', 'all'] as const;

export const Team = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    user: User,
    user_id: Uuid,
    role: Nullable(OneOf(['owner', 'admin', 'member', 'viewer'])),
    is_limited: Type.Boolean({
      description:
        'True where you are in it for some of its sites alone: you have no role then, and what all sites use is told as 0',
    }),
    tenant_id: Type.String(),
    timezone: Type.String(),
    plan_type: Plan,
    plan_type_name: OneOf(PLAN_NAMES),
    is_default: Type.Boolean(),
    is_active: Type.Boolean({ description: 'False while an operator has suspended the team' }),
    is_expired: Type.Boolean(),
    additional_sites: Nullable(Type.Integer()),
    metrics_org_id: Nullable(Type.Integer()),
    analytics_team_id: Nullable(
      Type.String({ description: 'What requests through analytics-proxy may name as team_id; null without a server' }),
    ),
    should_allow_storefront_payment: Type.Boolean(),
    sub_id: Nullable(Type.String()),
    interval: Nullable(OneOf(['month', 'year'])),
    currency: Nullable(Type.String()),
    cancel_at: Nullable(Timestamp),
    cancel_at_period_end: Type.Boolean(),
    trial_ends_on: Nullable(Timestamp),
    cycle_start: Nullable(Timestamp),
    cycle_end: Nullable(Timestamp),
    current_cycle_visits: Type.Integer(),
    current_cycle_bandwidth: Type.Integer(),
    visits_usage_percentage: Type.Integer(),
    storage_usage: Type.Integer({ description: 'Bytes' }),
    storage_usage_percentage: Type.Integer(),
    storage_is_used_up: Type.Boolean({ description: 'True while WordPress refuses uploads for it' }),
    update_policy: OneOf(UPDATE_POLICIES, {
      description:
        "What is updated by itself in the team's sites, in the night: nothing, WordPress' own security releases and the plugins of update_plugins, or all",
    }),
    update_plugins: Type.Array(Type.String()),
    created_at: Timestamp,
  },
  { title: 'Team' },
);
export type Team = Static<typeof Team>;

export const TeamChange = Type.Object({
  name: Type.Optional(say(Name, 'The name of the team')),
  timezone: Type.Optional(
    Type.String({ format: 'timezone', maxLength: 64, description: 'An IANA name, such as Europe/Berlin' }),
  ),
  update_policy: Type.Optional(say(OneOf(UPDATE_POLICIES), "What is updated by itself in the team's sites")),
  update_plugins: Type.Optional(
    Type.Array(Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$' }), {
      maxItems: 200,
      uniqueItems: true,
      description: 'The plugins that `security` updates too, each by the name of its folder',
    }),
  ),
});
export type TeamChange = Static<typeof TeamChange>;

export const teamSuspended = failure('team.suspended', 403, 'This team is suspended; ask the platform why.');
export const teamExpired = failure(
  'team.expired',
  402,
  'This team has been unpaid for 14 days; pay in the billing portal or choose a plan to go on.',
);
/** Of work that needs a team in good standing. */
export const workingTeamErrors = [teamNotFound, teamSuspended, teamExpired];
