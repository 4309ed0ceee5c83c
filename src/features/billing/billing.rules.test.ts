import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { PLANS } from '#features/plan/plan.ts';
import { countSlots, findOfferedAgain, forecastOf, stateOf } from './billing.rules.ts';
import type { CheckoutRow } from './checkout.sql.ts';

const DAY_MS = 86_400_000;
const at = (days: number) => new Date(Date.UTC(2026, 0, 1) + days * DAY_MS);

suite('the state of what a team pays', () => {
  const NOW = at(10);
  const team = { is_expired: false, unpaid_since: null, sub_id: 'sub_1', cancel_at: null, trial_ends_on: null };
  const cases: [state: string, change: Partial<Parameters<typeof stateOf>[0]>][] = [
    ['active', {}],
    ['active', { sub_id: null }],
    ['active', { trial_ends_on: at(10) }],
    ['trialing', { trial_ends_on: at(10.1) }],
    ['canceled', { cancel_at: at(20) }],
    ['canceled', { cancel_at: at(20), trial_ends_on: at(20) }],
    ['past_due', { unpaid_since: at(9) }],
    ['past_due', { unpaid_since: at(9), cancel_at: at(20) }],
    ['grace', { unpaid_since: at(9), sub_id: null }],
    ['expired', { unpaid_since: at(-9), is_expired: true }],
    ['expired', { unpaid_since: at(-9), is_expired: true, sub_id: null }],
  ];
  for (const [state, change] of cases)
    test(`is ${state} with ${JSON.stringify(change)}`, () => {
      assert.equal(stateOf({ ...team, ...change }, NOW.getTime()), state);
    });
});

suite('the slots of a team', () => {
  const count = (plan: keyof typeof PLANS, sites: number, free_sites: number, additional = 0) => {
    const { used, allowed } = countSlots(PLANS[plan], { sites, free_sites, additional });
    return `${used} of ${allowed}`;
  };

  test('are those of its plan and what is bought on top', () => {
    assert.equal(count('micro', 2, 0), '2 of 3');
    assert.equal(count('business', 0, 0, 5), '0 of 55');
  });

  test('have none for the free site of a team that pays, and the only one for that of a free team', () => {
    assert.equal(count('free', 1, 1), '1 of 1');
    assert.equal(count('micro', 1, 1), '0 of 3');
    assert.equal(count('micro', 2, 1), '1 of 3');
  });
});

suite('the forecast of a cycle', () => {
  const team = { cycle_start: at(0), cycle_end: at(30), current_cycle_visits: 1000, current_cycle_bandwidth: 50 };
  const forecast = (days: number) => forecastOf(team, at(days).getTime());

  test('is a straight line through it', () => {
    assert.deepEqual(forecast(10), { visits: 3000, bandwidth_bytes: 150 });
    assert.deepEqual(forecast(1), { visits: 30_000, bandwidth_bytes: 1500 });
    assert.deepEqual(forecast(31), { visits: 1000, bandwidth_bytes: 50 });
  });

  test('is none on its first day, or of a cycle that has no length', () => {
    assert.equal(forecast(0.99), null);
    assert.equal(forecastOf({ ...team, cycle_end: at(0) }, at(5).getTime()), null);
  });
});

suite('an open checkout', () => {
  const wanted = { plan_type_name: 'micro', interval: 'month' } as const;
  const open = { ...wanted, id: 'a', created_at: at(0) } as CheckoutRow;
  const find = (rows: CheckoutRow[], hours = 1) => findOfferedAgain(rows, wanted, at(hours / 24).getTime())?.id;

  test('is offered again while it can be paid for some hours yet', () => {
    assert.deepEqual([find([open], 0), find([open], 19.9), find([open], 20)], ['a', 'a', undefined]);
  });

  test('is not where it is for something else, or not the only one', () => {
    assert.equal(find([]), undefined);
    assert.equal(find([{ ...open, plan_type_name: 'starter' }]), undefined);
    assert.equal(find([{ ...open, interval: 'year' }]), undefined);
    assert.equal(find([open, { ...open, id: 'b' }]), undefined);
  });
});
