import { Type } from 'typebox';
import { hashPassword } from '#core/auth/password.ts';
import { bodyFault, invalid, unauthenticated } from '#core/errors.ts';
import { operation } from '#core/http/operation.ts';
import { anyone, anyoneKnown, requireScope, signedIn, withPassword } from '#core/policy.ts';
import { startSession, TokenGrant } from '#features/credential/credential.ts';
import { findUser, User } from '#features/user/user.ts';
import { EmailVerification, PasswordReset, ProfileChange, Registration } from './account.schema.ts';
import {
  checkPasswordChange,
  register,
  requestPasswordReset,
  resetPassword,
  sendVerification,
  updateMe,
  verifyEmail,
} from './account.ts';

const tag = 'account';

/** Empty while a mail is on its way; a fresh sign-in once the link in it is used. */
const LinkAnswer = Type.Object({ ...Type.Partial(TokenGrant).properties }, { title: 'LinkAnswer' });

export const accountOperations = [
  operation({
    id: 'register',
    method: 'POST',
    path: '/register',
    tag,
    summary: 'Make an account, with a team on the plan free',
    access: anyone,
    limit: 'signIn',
    body: Registration,
    response: User,
    prepare: ({ body }) => hashPassword(body.password),
    handle: ({ db, services, body, prepared }) => register(db, services, body, prepared),
  }),
  operation({
    id: 'verifyEmail',
    method: 'POST',
    path: '/verify_email',
    tag,
    summary: 'Confirm the email address with the mailed token, or, signed in and without one, have the mail sent again',
    access: anyoneKnown,
    limit: 'signIn',
    idempotency: false,
    body: EmailVerification,
    response: LinkAnswer,
    async handle(call) {
      const { db, services, body } = call;
      if (body.token) return startSession(call, await verifyEmail(db, services, body.token));
      const caller = call.callerIfAny;
      if (!caller) throw unauthenticated({ headers: { 'www-authenticate': 'Bearer' } });
      requireScope(caller, 'write');
      await sendVerification(db, services, caller);
      return {};
    },
  }),
  operation({
    id: 'resetPassword',
    method: 'POST',
    path: '/password_reset',
    tag,
    summary: 'Have a link mailed to set a new password, or set it with the mailed token',
    access: anyone,
    limit: 'signIn',
    idempotency: false,
    body: PasswordReset,
    response: LinkAnswer,
    prepare: async ({ body }) => (body.token && body.password ? hashPassword(body.password) : undefined),
    async handle(call) {
      const { db, services, prepared: passwordHash } = call;
      const { email, token, keep_contents } = call.body;
      if (token) {
        if (!passwordHash) throw invalid(bodyFault('password', 'Field required', 'missing'));
        return resetPassword(call, { token, passwordHash, keepsContents: keep_contents ?? false });
      }
      if (!email) throw invalid(bodyFault('email', 'Field required', 'missing'));
      await requestPasswordReset(db, services, email);
      return {};
    },
  }),
  operation({
    id: 'getMe',
    method: 'GET',
    path: '/me',
    tag,
    summary: 'Who is signed in',
    access: signedIn,
    response: User,
    handle: ({ db, caller }) => findUser(db, caller.userId),
  }),
  operation({
    id: 'updateMe',
    method: 'PATCH',
    path: '/me',
    tag,
    summary: 'Change your name or your password; a new password ends every other session',
    access: withPassword,
    body: ProfileChange,
    response: User,
    prepare: ({ db, services, caller, body }) => checkPasswordChange(db, services, caller, body),
    handle: (call) => updateMe(call, call.body, call.prepared),
  }),
];
