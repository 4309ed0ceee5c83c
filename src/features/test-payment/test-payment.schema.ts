import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { OneOf, say, Timestamp } from '#core/http/schema.ts';
import { INTERVALS, PLAN_NAMES } from '#features/plan/plan.ts';

const PAID_PLANS = PLAN_NAMES.filter((name) => name !== 'free');

export const TestCheckout = Type.Object(
  {
    id: Type.String(),
    status: OneOf(['open', 'complete', 'expired']),
    plan_name: OneOf(PLAN_NAMES),
    interval: OneOf(INTERVALS),
    amount_cents: Type.Integer(),
    currency: Type.String(),
    team_name: Type.String(),
    success_url: Type.String({ description: 'Where to go once it is paid' }),
    cancel_url: Type.String(),
  },
  { title: 'TestCheckout' },
);
export type TestCheckout = Static<typeof TestCheckout>;

export const CheckoutOutcome = Type.Object({ outcome: say(OneOf(['paid', 'declined']), 'How the payment ends') });

const TestSubscription = Type.Object({
  id: Type.String(),
  team_name: Type.String(),
  status: Type.String(),
  plan_name: OneOf(PLAN_NAMES),
  interval: OneOf(INTERVALS),
  amount_cents: Type.Integer(),
  currency: Type.String(),
  current_period_end: Timestamp,
  cancel_at_period_end: Type.Boolean(),
});

export const TestPortal = Type.Object(
  { id: Type.String(), return_url: Type.String(), subscriptions: Type.Array(TestSubscription) },
  { title: 'TestPortal' },
);
export type TestPortal = Static<typeof TestPortal>;

const PORTAL_ACTIONS = ['change_plan', 'cancel', 'resume', 'end_now', 'fail_payment', 'pay'] as const;

export const PortalAction = Type.Object({
  action: say(OneOf(PORTAL_ACTIONS), 'What is done to the subscription'),
  subscription: Type.String({ minLength: 1, maxLength: 100, description: 'Which of the subscriptions, by its id' }),
  plan_name: Type.Optional(say(OneOf(PAID_PLANS), 'The plan to change to')),
  interval: Type.Optional(say(OneOf(INTERVALS), 'How often it is paid')),
});
export type PortalAction = Static<typeof PortalAction>;

export const testCheckoutNotFound = failure(
  'test_checkout.not_found',
  404,
  'There is no such test checkout, or it is not yours.',
);
export const testPortalNotFound = failure(
  'test_portal.not_found',
  404,
  'There is no such test portal, or it is not yours.',
);
export const notPossible = failure(
  'test_portal.not_possible',
  409,
  'This subscription has ended or is not in this portal; choose another one.',
);
