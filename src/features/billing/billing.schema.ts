import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Name, Nullable, OneOf, say, Timestamp, Uuid } from '#core/http/schema.ts';
import { INTERVALS, PLAN_NAMES } from '#features/plan/plan.ts';

export const NewCheckoutSession = Type.Object({
  for_team_id: Type.Optional(Type.String({ format: 'uuid', description: 'A team on the plan free that is upgraded' })),
  new_team_name: Type.Optional(
    Type.String({
      ...Name,
      description: 'The team that is bought; needed where for_team_id is null',
      examples: ['Harbour Works'],
    }),
  ),
  plan_name: Type.Optional(
    say(OneOf(PLAN_NAMES), 'The plan to buy; a new team is on the plan free when left out, an upgrade needs it'),
  ),
  interval: Type.Optional(
    say(Type.Unsafe<(typeof INTERVALS)[number]>({ ...OneOf(INTERVALS), default: 'month' }), 'How often it is paid'),
  ),
});
export type NewCheckoutSession = Static<typeof NewCheckoutSession>;

export const SessionUrl = Type.Object({ url: Type.String({ description: 'Where to go on' }) }, { title: 'SessionUrl' });

export const Checkout = Type.Object(
  {
    id: Uuid,
    status: OneOf(['open', 'paid', 'closed']),
    plan_name: OneOf(PLAN_NAMES),
    interval: OneOf(INTERVALS),
    team_name: Type.String(),
    team_id: Nullable(Type.String({ format: 'uuid', description: 'Of a new team: null until the payment is known' })),
    created_at: Timestamp,
  },
  { title: 'Checkout' },
);
export type Checkout = Static<typeof Checkout>;

export const SyncedBilling = Type.Object(
  { team_ids: Type.Array(Uuid, { description: 'The teams that the caller pays or paid for' }) },
  { title: 'SyncedBilling' },
);

export const AdditionalSites = Type.Object({
  additional_sites: Type.Integer({ minimum: 0, maximum: 1000, description: 'How many besides those of the plan' }),
});

const Used = Type.Object({ used: Type.Integer(), allowed: Type.Integer() });
export const BILLING_STATES = ['active', 'trialing', 'past_due', 'grace', 'expired', 'canceled'] as const;

export const TeamBilling = Type.Object(
  {
    plan_name: OneOf(PLAN_NAMES),
    interval: Nullable(OneOf(INTERVALS)),
    price_cents: Type.Integer({ description: 'What the team pays per interval, additional sites included' }),
    currency: Type.String(),
    additional_sites: Type.Integer(),
    additional_site_cents: Type.Integer({ description: 'What one more of them costs per interval' }),
    state: Type.Unsafe<(typeof BILLING_STATES)[number]>({
      ...OneOf(BILLING_STATES),
      description:
        'past_due: a payment failed; grace: the paid plan ended and more is in use than free has; canceled: ends at ends_at',
    }),
    renews_at: Nullable(Timestamp),
    ends_at: Nullable(Timestamp),
    trial_ends_on: Nullable(Timestamp),
    unpaid_since: Nullable(Timestamp),
    expires_at: Nullable(
      Type.Unsafe<Date>({
        type: 'string',
        format: 'date-time',
        description: 'When the sites go to sleep unless it is paid',
      }),
    ),
    cycle_start: Timestamp,
    cycle_end: Timestamp,
    provider: Nullable(OneOf(['stripe', 'test'])),
    forecast: Nullable(
      Type.Object(
        { visits: Type.Integer(), bandwidth_bytes: Type.Integer() },
        { description: 'What the cycle comes to if it goes on as it has; null on its first day' },
      ),
    ),
    limits: Type.Object({ sites: Used, storage_bytes: Used, visits: Used, bandwidth_bytes: Used }),
  },
  { title: 'TeamBilling' },
);
export type TeamBilling = Static<typeof TeamBilling>;

const Card = Type.Object({
  brand: Type.String(),
  last4: Type.String(),
  exp_month: Type.Integer(),
  exp_year: Type.Integer(),
});
const Invoice = Type.Object({
  id: Type.String(),
  number: Nullable(Type.String()),
  status: OneOf(['draft', 'open', 'paid', 'uncollectible', 'void']),
  total_cents: Type.Integer(),
  currency: Type.String(),
  created_at: Timestamp,
  url: Nullable(Type.String({ description: 'Where the provider shows it, and where it can be paid' })),
  pdf_url: Nullable(Type.String()),
});

export const TeamBills = Type.Object(
  {
    card: Nullable(Card),
    invoices: Type.Array(Invoice, { description: 'The newest 24; the billing portal has the rest' }),
    is_yours: Type.Boolean({ description: 'False where somebody else pays, such as the owner before' }),
  },
  { title: 'TeamBills' },
);
export type TeamBills = Static<typeof TeamBills>;

export const notConfigured = failure(
  'billing.not_configured',
  503,
  'This platform has no payment provider; ask its operator to set one up.',
);
export const providerFailed = failure(
  'billing.provider_failed',
  502,
  'The payment provider could not be reached or refused. Try again in a little while; nothing is paid twice.',
);
export const providerTimeout = failure(
  'billing.provider_timeout',
  504,
  'The payment provider did not answer in time. Try again in a little while; nothing is paid twice.',
);
/** Of whatever asks the payment provider. */
export const providerErrors = [notConfigured, providerFailed, providerTimeout];
export const customerDeleted = failure(
  'billing.customer_deleted',
  409,
  'Your account at the payment provider was deleted, and what it paid for has ended; choose a plan for a team to go on.',
);
export const alreadyPaid = failure(
  'billing.already_paid',
  409,
  'This team has a paid plan already; change or cancel it in the billing portal.',
);
export const planIsPaid = failure(
  'billing.plan_is_paid',
  409,
  'This team pays for its plan. Cancel the subscription first; then an operator can give the team a plan.',
);
export const beingPaid = failure(
  'billing.being_paid',
  409,
  'This team was paid for a moment ago; its plan changes as soon as that is known.',
);
export const beingChanged = failure(
  'billing.being_changed',
  409,
  'What this team pays for is being changed at this moment; try again.',
);
export const notPaid = failure('billing.not_paid', 409, 'Additional sites come with a paid plan; choose one first.');
export const freeTeamTaken = failure(
  'billing.free_team_taken',
  402,
  'Everybody has one free team, and you have yours; choose a paid plan, or upgrade that one first.',
);
export const checkoutNotFound = failure('checkout.not_found', 404, 'There is no such checkout, or it is not yours.');
