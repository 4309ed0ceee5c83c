import { Type } from 'typebox';
import type { Failure } from '#core/errors.ts';
import { operation } from '#core/http/operation.ts';
import { say } from '#core/http/schema.ts';
import type { TestPages } from '#core/payments.ts';
import { type Access, signedIn } from '#core/policy.ts';
import type { Services } from '#core/services.ts';
import {
  CheckoutOutcome,
  notPossible,
  PortalAction,
  TestCheckout,
  TestPortal,
  testCheckoutNotFound,
  testPortalNotFound,
} from './test-payment.schema.ts';
import { ownsSession } from './test-payment.sql.ts';
import { actInPortal, showCheckout, showPortal } from './test-payment.ts';

const tag = 'billing';
const SessionPath = Type.Object({
  session_id: say(Type.String({ pattern: '^(?:cs_test|bps)_[0-9a-f]{24}$' }), 'The session, as its link has it'),
});

/** Whoever opened the session; the subject is its id. */
function ownSession(object: string, missing: Failure): Access<string> {
  return {
    ...signedIn,
    rule: 'whoever opened the session, where the built-in provider is used',
    named: 'path',
    errors: [missing],
    find: async (db, caller, { session_id }) => {
      const isBound = caller.credential.teamId !== null;
      if (isBound || !(await ownsSession(db, object, String(session_id), caller.userId))) throw missing();
      return String(session_id);
    },
  };
}

const ownCheckout = ownSession('checkout.session', testCheckoutNotFound);
const ownPortal = ownSession('billing_portal.session', testPortalNotFound);

/** What another provider was asked for later is none of the built-in one's business. */
function pagesOf({ payments }: Services, missing: Failure): TestPages {
  if (!payments?.testPages) throw missing();
  return payments.testPages;
}

async function found<T>(session: Promise<T | undefined>, missing: Failure): Promise<T> {
  const there = await session;
  if (there === undefined) throw missing();
  return there;
}

export const testPaymentOperations = [
  operation({
    id: 'getTestCheckout',
    method: 'GET',
    path: '/test_checkout/{session_id}',
    tag,
    summary: 'A checkout of the built-in provider, which takes no money',
    access: ownCheckout,
    params: SessionPath,
    response: TestCheckout,
    handle: async ({ db, services, subject: id }) =>
      showCheckout(await found(pagesOf(services, testCheckoutNotFound).readCheckout(db, id), testCheckoutNotFound)),
  }),
  operation({
    id: 'endTestCheckout',
    method: 'POST',
    path: '/test_checkout/{session_id}',
    tag,
    summary: 'Pay a test checkout, or have the card declined; no money moves',
    access: ownCheckout,
    params: SessionPath,
    body: CheckoutOutcome,
    response: TestCheckout,
    async handle({ db, services, subject: id, body }) {
      const pages = pagesOf(services, testCheckoutNotFound);
      await pages.endCheckout(db, id, body.outcome);
      return showCheckout(await found(pages.readCheckout(db, id), testCheckoutNotFound));
    },
  }),
  operation({
    id: 'getTestPortal',
    method: 'GET',
    path: '/test_portal/{session_id}',
    tag,
    summary: 'A billing portal of the built-in provider',
    access: ownPortal,
    params: SessionPath,
    response: TestPortal,
    handle: async ({ db, services, subject: id }) =>
      showPortal(await found(pagesOf(services, testPortalNotFound).readPortal(db, id), testPortalNotFound)),
  }),
  operation({
    id: 'actInTestPortal',
    method: 'POST',
    path: '/test_portal/{session_id}',
    tag,
    summary: 'Change, cancel, pay or fail to pay a test subscription; no money moves',
    access: ownPortal,
    params: SessionPath,
    body: PortalAction,
    response: TestPortal,
    errors: [notPossible],
    async handle({ db, services, subject: id, body }) {
      const pages = pagesOf(services, testPortalNotFound);
      return actInPortal(db, pages, await found(pages.readPortal(db, id), testPortalNotFound), body);
    },
  }),
];
