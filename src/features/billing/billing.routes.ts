import { Type } from 'typebox';
import { inTransaction } from '#core/db/database.ts';
import { bodyFault, invalid } from '#core/errors.ts';
import type { Body } from '#core/http/body.ts';
import { operation, rawOperation } from '#core/http/operation.ts';
import { Empty, OneOf, say, Uuid } from '#core/http/schema.ts';
import { anyone, forAccount, inTeam, operatorOn, teamNotFound } from '#core/policy.ts';
import { PLAN_NAMES } from '#features/plan/plan.ts';
import { Team } from '#features/team/team.schema.ts';
import { findTeam } from '#features/team/team.ts';
import { getTeamBills } from './billing.bills.ts';
import { createCheckout, getCheckout, prepareCheckout } from './billing.checkout.ts';
import { mayBuy, ownCheckout } from './billing.policy.ts';
import {
  AdditionalSites,
  alreadyPaid,
  beingChanged,
  beingPaid,
  Checkout,
  customerDeleted,
  freeTeamTaken,
  NewCheckoutSession,
  notConfigured,
  notPaid,
  planIsPaid,
  providerErrors,
  SessionUrl,
  SyncedBilling,
  TeamBilling,
  TeamBills,
} from './billing.schema.ts';
import { createPortal, listPaidTeams, receivePaymentEvent, setAdditionalSites, syncUser } from './billing.ts';
import { getTeamBilling } from './billing.view.ts';
import { setTeamPlan } from './granted-plan.ts';

const tag = 'billing';

export const billingOperations = [
  operation({
    id: 'createCheckoutSession',
    method: 'POST',
    path: '/create_checkout_session',
    tag,
    summary: 'Buy a team, or upgrade one that is free: answers where to pay',
    access: mayBuy,
    assistant: true,
    body: NewCheckoutSession,
    response: SessionUrl,
    errors: [...providerErrors, alreadyPaid, beingPaid, freeTeamTaken],
    prepare: async ({ services, caller, subject: teamId, body }) => {
      if (teamId === undefined && !body.new_team_name)
        throw invalid(bodyFault('new_team_name', 'Field required where for_team_id is null', 'missing'));
      return prepareCheckout(services, caller.userId, teamId, body);
    },
    handle: (call) => createCheckout(call, call.body, call.prepared),
  }),
  operation({
    id: 'syncCheckout',
    method: 'POST',
    path: '/checkout/{checkout_id}/sync',
    tag,
    summary: 'Ask the provider whether a checkout was paid, for whoever comes back from it',
    access: ownCheckout,
    params: Type.Object({ checkout_id: Uuid }),
    response: Checkout,
    errors: [...providerErrors],
    prepare: ({ services, caller }) => syncUser(services, caller.userId),
    handle: ({ db, subject: { id } }) => getCheckout(db, id),
  }),
  operation({
    id: 'createPortalSession',
    method: 'POST',
    path: '/create_portal_session',
    tag,
    summary: 'Where you change or cancel what you pay for, and find your invoices',
    access: forAccount,
    response: SessionUrl,
    errors: [...providerErrors, customerDeleted],
    prepare: ({ services, caller }) => createPortal(services, caller.userId),
    handle: async ({ prepared }) => prepared,
  }),
  operation({
    id: 'syncBilling',
    method: 'POST',
    path: '/billing/sync',
    tag,
    summary: 'Ask the provider what you pay for, for whoever comes back from the portal',
    access: forAccount,
    response: SyncedBilling,
    errors: [...providerErrors],
    prepare: ({ services, caller }) => syncUser(services, caller.userId),
    handle: async ({ db, services, caller }) => ({ team_ids: await listPaidTeams(db, services, caller.userId) }),
  }),
  operation({
    id: 'getTeamBilling',
    method: 'GET',
    path: '/team/{team_id}/billing',
    tag,
    summary: 'What a team pays for, until when, and how much of it is used',
    access: inTeam('admin'),
    params: Type.Object({ team_id: Uuid }),
    response: TeamBilling,
    handle: ({ db, services, subject: teamId }) => getTeamBilling(db, services, teamId),
  }),
  operation({
    id: 'getTeamBills',
    method: 'GET',
    path: '/team/{team_id}/bills',
    tag,
    summary: 'The card that pays for a team, and its invoices, as the payment provider has them',
    access: inTeam('owner'),
    params: Type.Object({ team_id: Uuid }),
    response: TeamBills,
    errors: [...providerErrors],
    handle: ({ db, services, caller, subject: teamId }) => getTeamBills(db, services, caller.userId, teamId),
  }),
  operation({
    id: 'setAdditionalSites',
    method: 'PUT',
    path: '/team/{team_id}/additional_sites',
    tag,
    summary: 'Pay for more sites than the plan has, or for fewer again',
    access: inTeam('owner'),
    params: Type.Object({ team_id: Uuid }),
    body: AdditionalSites,
    response: TeamBilling,
    errors: [...providerErrors, notPaid, beingChanged],
    prepare: ({ services, subject: teamId, body }) => setAdditionalSites(services, teamId, body.additional_sites),
    handle: ({ db, services, subject: teamId }) => getTeamBilling(db, services, teamId),
  }),
  rawOperation({
    id: 'receivePaymentEvent',
    method: 'POST',
    path: '/payment_webhook',
    tag,
    summary: 'For the payment provider alone, who signs what it sends',
    access: anyone,
    accepts: ['bytes'],
    limit: 'paymentEvent',
    produces: 'application/json',
    response: Empty,
    errors: [notConfigured],
    async serve({ services, body }, request, reply) {
      const signature = String(request.headers['stripe-signature'] ?? '');
      const { raw } = body as Body;
      await inTransaction(services.db, (tx) => receivePaymentEvent(tx, services, raw, signature));
      return reply.send({});
    },
  }),
  operation({
    id: 'setTeamPlan',
    method: 'PUT',
    path: '/operator/team/{team_id}/plan',
    tag: 'operators',
    summary: 'Grant a team a plan without payment, or revoke it with the plan free',
    access: operatorOn((db, { team_id }) => findTeam(db, String(team_id)), teamNotFound),
    params: Type.Object({ team_id: Uuid }),
    body: Type.Object({ plan_name: say(OneOf(PLAN_NAMES), 'Plan of the team until it buys another one') }),
    response: Team,
    errors: [planIsPaid],
    handle: (call) => setTeamPlan(call, call.params.team_id, call.body.plan_name),
  }),
];
