import { Type } from 'typebox';
import { operation } from '#core/http/operation.ts';
import { anyone } from '#core/policy.ts';
import { PLAN_NAMES, PLANS, Plan } from './plan.ts';

export const planOperations = [
  operation({
    id: 'listPlans',
    method: 'GET',
    path: '/plan',
    tag: 'billing',
    summary: 'The plans, with what they have and what they cost',
    access: anyone,
    response: Type.Array(Plan),
    handle: async () => PLAN_NAMES.map((name) => PLANS[name]),
  }),
];
