import { Type } from 'typebox';
import { hashPassword } from '#core/auth/password.ts';
import { bodyFault, invalid, unauthenticated } from '#core/errors.ts';
import { sessionEnded } from '#core/http/failures.ts';
import { operation } from '#core/http/operation.ts';
import { PageOf, PageQuery, say, Uuid } from '#core/http/schema.ts';
import {
  anyone,
  anyoneKnown,
  insufficientScope,
  operator,
  operatorOn,
  requireScope,
  signedIn,
  withPassword,
} from '#core/policy.ts';
import { enter, tooManyFailures } from '#features/credential/credential.ts';
import { findUserIfAny, listUsers, User, userNotFound } from '#features/user/user.ts';
import {
  EmailVerification,
  emailTaken,
  LinkAnswer,
  linkInvalid,
  Me,
  operatorStays,
  PasswordReset,
  ProfileChange,
  Registration,
  tooManyMails,
} from './account.schema.ts';
import {
  blockUser,
  checkPasswordChange,
  getMe,
  register,
  requestPasswordReset,
  resetPassword,
  sendVerification,
  updateMe,
  verifyEmail,
} from './account.ts';

const tag = 'account';
const onUser = operatorOn((db, { user_id }) => findUserIfAny(db, String(user_id)), userNotFound);

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
    errors: [emailTaken],
    prepare: ({ body }) => hashPassword(body.password),
    handle: (call) => register(call, call.prepared),
  }),
  operation({
    id: 'verifyEmail',
    method: 'POST',
    path: '/verify_email',
    tag,
    summary: 'Confirm the email address with the mailed token, or, signed in and without one, have the mail sent again',
    access: anyoneKnown,
    limit: 'signIn',
    body: EmailVerification,
    response: LinkAnswer,
    errors: [linkInvalid, sessionEnded, unauthenticated, insufficientScope, tooManyMails],
    async handle(call) {
      const { db, services, body } = call;
      if (body.token) return enter(call, await verifyEmail(db, services, body.token));
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
    body: PasswordReset,
    response: LinkAnswer,
    errors: [linkInvalid, sessionEnded],
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
    response: Me,
    handle: ({ db, caller }) => getMe(db, caller),
  }),
  operation({
    id: 'getMyAddress',
    method: 'GET',
    path: '/me/address',
    tag,
    summary: 'The address that you come from, as a firewall of a site would see it',
    access: signedIn,
    response: Type.Object({ address: Type.String({ description: 'IPv4 or IPv6' }) }, { title: 'MyAddress' }),
    handle: async ({ ip }) => ({ address: ip }),
  }),
  operation({
    id: 'updateMe',
    method: 'PATCH',
    path: '/me',
    tag,
    summary: 'Change your name, your default region or your password; a new password ends every other session',
    access: withPassword,
    body: ProfileChange,
    response: Me,
    errors: [tooManyFailures],
    prepare: ({ db, services, caller, body }) => checkPasswordChange(db, services, caller, body),
    handle: (call) => updateMe(call, call.body, call.prepared),
  }),
  operation({
    id: 'listAllUsers',
    method: 'GET',
    path: '/operator/user',
    tag: 'operators',
    summary: 'Everybody who has an account, or those whose name or address holds a text',
    access: operator,
    query: Type.Object({
      search: Type.Optional(Type.String({ minLength: 1, maxLength: 254, description: 'A part of name or address' })),
      is_superuser: Type.Optional(say(Type.Boolean(), 'Only operators of the platform, or only others')),
      ...PageQuery,
    }),
    response: PageOf(User),
    async handle({ db, query, page }) {
      const { count, rows } = await listUsers(db, query, query);
      return page(query, count, rows);
    },
  }),
  operation({
    id: 'getAnyUser',
    method: 'GET',
    path: '/operator/user/{user_id}',
    tag: 'operators',
    summary: 'Anybody who has an account',
    access: onUser,
    params: Type.Object({ user_id: Uuid }),
    response: User,
    handle: async ({ subject }) => subject,
  }),
  operation({
    id: 'blockUser',
    method: 'PATCH',
    path: '/operator/user/{user_id}',
    tag: 'operators',
    summary: 'Block a person, which ends every session and token of theirs, or let them in again',
    access: onUser,
    params: Type.Object({ user_id: Uuid }),
    body: Type.Object({ is_active: say(Type.Boolean(), 'False blocks them') }),
    response: User,
    errors: [operatorStays],
    handle: ({ db, services, caller, subject, body }) => blockUser(db, services, caller, subject, body.is_active),
  }),
];
