import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Subscription, SubscriptionStatus } from '#core/payments.ts';
import { currentOf, isBought, nextState } from './billing.state.ts';

const DAY_MS = 86_400_000;
const NOW = new Date('2026-05-20T10:00:00Z');
const ago = (days: number) => new Date(NOW.getTime() - days * DAY_MS);

const subscription = (more: Partial<Subscription> = {}): Subscription => ({
  id: 'sub_1',
  status: 'active',
  checkoutId: undefined,
  plan: 'micro',
  interval: 'month',
  currency: 'usd',
  priceCents: 700,
  additionalSites: 0,
  additionalSiteCents: null,
  periodStart: ago(10),
  periodEnd: new Date(NOW.getTime() + 20 * DAY_MS),
  cancelAt: null,
  cancelAtPeriodEnd: false,
  trialEnd: null,
  createdAt: ago(40),
  ...more,
});

const free = { plan_type_name: 'free', granted_plan: null, unpaid_since: null } as const;
const paid = { plan_type_name: 'starter', granted_plan: null, unpaid_since: null } as const;
const at = (exceedsFree = false) => ({ exceedsFree, now: NOW });

suite('from a subscription to what the team becomes', () => {
  test('a paid one gives all that was bought', () => {
    const trialEnd = new Date('2026-06-01T00:00:00Z');
    const bought = subscription({
      plan: 'business',
      interval: 'year',
      priceCents: 81_000,
      additionalSites: 4,
      additionalSiteCents: 250,
      trialEnd,
      status: 'trialing',
    });
    assert.deepEqual(nextState(free, bought, at()), {
      plan_type_name: 'business',
      interval: 'year',
      currency: 'usd',
      price_cents: 81_000,
      sub_id: 'sub_1',
      additional_sites: 4,
      additional_site_cents: 250,
      cancel_at: null,
      cancel_at_period_end: false,
      trial_ends_on: trialEnd,
      period_start: bought.periodStart,
      period_end: bought.periodEnd,
      unpaid_since: null,
      is_expired: false,
    });
  });

  for (const status of ['past_due', 'unpaid', 'paused'] as const)
    test(`${status} keeps the plan for fourteen days, then the team is expired, and paying ends that at once`, () => {
      const owing = subscription({ status });
      assert.deepEqual(pick(nextState(paid, owing, at())), ['micro', NOW, false]);
      const since = ago(13.99);
      assert.deepEqual(pick(nextState({ ...paid, unpaid_since: since }, owing, at())), ['micro', since, false]);
      const long = ago(14);
      assert.deepEqual(pick(nextState({ ...paid, unpaid_since: long }, owing, at())), ['micro', long, true]);
      assert.deepEqual(pick(nextState({ ...paid, unpaid_since: long }, subscription(), at())), ['micro', null, false]);
    });

  test('an ended one leaves the plan free, and a grace only to who has more than free allows', () => {
    assert.deepEqual(pick(nextState(paid, undefined, at(false))), ['free', null, false]);
    assert.deepEqual(pick(nextState(paid, undefined, at(true))), ['free', NOW, false]);
    const since = ago(14);
    assert.deepEqual(pick(nextState({ ...free, unpaid_since: since }, undefined, at(true))), ['free', since, true]);
    assert.deepEqual(pick(nextState({ ...free, unpaid_since: since }, undefined, at(false))), ['free', null, false]);
    assert.equal(nextState(paid, undefined, at()).sub_id, null);
    assert.equal(nextState(paid, undefined, at()).period_end, null);
  });

  test('a team that never paid is not put to sleep for having too much', () => {
    assert.deepEqual(pick(nextState(free, undefined, at(true))), ['free', null, false]);
  });

  test('the end of a canceled one is known, whether the provider says when or only that', () => {
    const end = subscription().periodEnd;
    const canceled = nextState(paid, subscription({ cancelAtPeriodEnd: true }), at());
    assert.deepEqual([canceled.cancel_at, canceled.cancel_at_period_end], [end, true]);
    const byDate = nextState(paid, subscription({ cancelAt: end }), at());
    assert.deepEqual([byDate.cancel_at, byDate.cancel_at_period_end], [end, true]);
    const cancelAt = new Date('2026-07-01T00:00:00Z');
    const later = nextState(paid, subscription({ cancelAt }), at());
    assert.deepEqual([later.cancel_at, later.cancel_at_period_end], [cancelAt, false]);
  });
});

suite('the subscription that counts', () => {
  test('a first payment that never came gives nothing', () => {
    for (const status of ['incomplete', 'incomplete_expired'] as SubscriptionStatus[]) {
      assert.equal(isBought(subscription({ status })), false);
      assert.equal(currentOf([subscription({ status })]), undefined);
    }
    assert.equal(currentOf([subscription({ plan: 'something else' })]), undefined);
  });

  test('is the newest that is paid, then the newest that is not, and never one that ended, in whatever order they come', () => {
    const old = subscription({ id: 'old', createdAt: ago(90) });
    const owing = subscription({ id: 'owing', status: 'past_due', createdAt: ago(5) });
    const ended = subscription({ id: 'ended', status: 'canceled', createdAt: ago(1) });
    for (const order of [
      [old, owing, ended],
      [ended, owing, old],
      [owing, old, ended],
    ]) {
      assert.equal(currentOf(order)?.id, 'old');
      assert.equal(currentOf(order.filter((each) => each !== old))?.id, 'owing');
    }
    assert.equal(currentOf([ended]), undefined);
  });
});

const pick = (state: ReturnType<typeof nextState>) => [state.plan_type_name, state.unpaid_since, state.is_expired];
