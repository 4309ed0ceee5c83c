import { Type } from 'typebox';
import { operation } from '#core/http/operation.ts';
import { Empty, Uuid } from '#core/http/schema.ts';
import { operatorOn, verified, withPassword } from '#core/policy.ts';

import { tooManyFailures } from '#features/credential/credential.ts';
import {
  beginPasskey,
  CreatedPasskey,
  describeSecondFactor,
  draftTotp,
  NewPasskey,
  NewTotp,
  noSecondFactor,
  PasskeyOptions,
  passkeyInvalid,
  passkeyNotFound,
  passkeysFull,
  RecoveryCodes,
  SecondFactor,
  stepOver,
  totpExists,
  totpMissing,
  totpWrong,
} from '#features/second-factor/second-factor.ts';
import { findUser, findUserIfAny, User, userNotFound } from '#features/user/user.ts';
import { PasskeyParams, TotpCode, WithPassword } from './account-security.schema.ts';
import {
  dropPasskey,
  dropTotp,
  finishPasskey,
  finishTotp,
  makeRecoveryCodes,
  requirePassword,
  resetSecondFactor,
} from './account-security.ts';

const tag = 'account';

export const accountSecurityOperations = [
  operation({
    id: 'getSecondFactor',
    method: 'GET',
    path: '/me/second_factor',
    tag,
    summary: 'What signing in asks you for besides the password',
    access: withPassword,
    response: SecondFactor,
    handle: ({ db, services, caller }) => describeSecondFactor(db, services, caller.userId),
  }),
  operation({
    id: 'beginTotp',
    method: 'POST',
    path: '/me/totp',
    tag,
    summary: 'Get the secret for an authenticator app; a code of it confirms that it is set up',
    // Whoever is not known to have the address could keep its owner out with it.
    access: verified(withPassword),
    body: WithPassword,
    response: NewTotp,
    errors: [tooManyFailures, totpExists],
    prepare: (call) => requirePassword(call, call.body.current_password),
    handle: async ({ db, services, caller }) => draftTotp(db, services, await findUser(db, caller.userId)),
  }),
  operation({
    id: 'confirmTotp',
    method: 'POST',
    path: '/me/totp/confirm',
    tag,
    summary: 'Set the authenticator app up with a code of it; the first factor comes with recovery codes',
    access: verified(withPassword),
    body: TotpCode,
    response: RecoveryCodes,
    errors: [totpMissing, totpWrong],
    handle: (call) => finishTotp(call, call.body.code),
  }),
  operation({
    id: 'removeTotp',
    method: 'POST',
    path: '/me/totp/remove',
    tag,
    summary: 'Use no authenticator app any more',
    access: withPassword,
    effect: 'destroy',
    body: WithPassword,
    response: Empty,
    errors: [tooManyFailures, totpMissing],
    prepare: (call) => requirePassword(call, call.body.current_password),
    async handle(call) {
      await dropTotp(call);
      return {};
    },
  }),
  operation({
    id: 'beginPasskey',
    method: 'POST',
    path: '/me/passkey/options',
    tag,
    summary: 'Begin to add a passkey',
    access: verified(withPassword),
    body: WithPassword,
    response: PasskeyOptions,
    errors: [tooManyFailures, passkeysFull],
    prepare: (call) => requirePassword(call, call.body.current_password),
    handle: async ({ db, services, caller }) => beginPasskey(db, services, await findUser(db, caller.userId)),
  }),
  operation({
    id: 'createPasskey',
    method: 'POST',
    path: '/me/passkey',
    tag,
    summary: 'Add the passkey that the browser made; the first factor comes with recovery codes',
    access: verified(withPassword),
    body: NewPasskey,
    response: CreatedPasskey,
    errors: [stepOver, passkeyInvalid, passkeysFull],
    handle: (call) => finishPasskey(call, call.body),
  }),
  operation({
    id: 'removePasskey',
    method: 'POST',
    path: '/me/passkey/{passkey_id}/remove',
    tag,
    summary: 'Let a passkey open your account no more',
    // That the passkey is theirs is asked with the removal: whoever sends it again with its key gets the kept answer.
    access: withPassword,
    effect: 'destroy',
    params: PasskeyParams,
    body: WithPassword,
    response: Empty,
    errors: [tooManyFailures, passkeyNotFound],
    prepare: (call) => requirePassword(call, call.body.current_password),
    async handle(call) {
      await dropPasskey(call, call.params.passkey_id);
      return {};
    },
  }),
  operation({
    id: 'createRecoveryCodes',
    method: 'POST',
    path: '/me/recovery_code',
    tag,
    summary: 'Make ten new recovery codes; those before open nothing any more',
    access: withPassword,
    body: WithPassword,
    response: RecoveryCodes,
    errors: [tooManyFailures, noSecondFactor],
    prepare: (call) => requirePassword(call, call.body.current_password),
    handle: (call) => makeRecoveryCodes(call),
  }),
  operation({
    id: 'resetSecondFactor',
    method: 'POST',
    path: '/operator/user/{user_id}/second_factor/reset',
    tag: 'operators',
    summary:
      'Help somebody who lost their second factor and every recovery code: it is removed, every session ends, and they are told by mail',
    access: operatorOn((db, { user_id }) => findUserIfAny(db, String(user_id)), userNotFound),
    effect: 'destroy',
    params: Type.Object({ user_id: Uuid }),
    response: User,
    errors: [noSecondFactor],
    handle: (call) => resetSecondFactor(call, call.subject),
  }),
];
