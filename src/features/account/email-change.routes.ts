import { Type } from 'typebox';
import { operation } from '#core/http/operation.ts';
import { Email, Empty, say } from '#core/http/schema.ts';
import { anyone, withPassword } from '#core/policy.ts';
import { tooManyFailures } from '#features/credential/credential.ts';
import { emailTaken, linkInvalid, Me, tooManyMails } from './account.schema.ts';
import { changeEmail, confirmEmail, requireOwnPassword, takeEmailBack, unknownPassword } from './email-change.ts';

const tag = 'account';
const MailedToken = Type.Object({ token: say(Type.String({ minLength: 1, maxLength: 200 }), 'As mailed') });

export const emailChangeOperations = [
  operation({
    id: 'changeEmail',
    method: 'POST',
    path: '/me/email',
    tag,
    summary: 'Change your email address; a link that goes to the new one confirms it',
    access: withPassword,
    body: Type.Object({
      email: say(Email, 'The new address'),
      current_password: say(Type.String({ maxLength: 256 }), 'Your password: a session alone does not do'),
    }),
    response: Me,
    errors: [tooManyFailures, emailTaken, tooManyMails],
    prepare: (call) => requireOwnPassword(call, call.body.current_password),
    handle: (call) => changeEmail(call, call.body.email),
  }),
  operation({
    id: 'confirmEmail',
    method: 'POST',
    path: '/me/email/confirm',
    tag,
    summary: 'Use the new address from now on, with the token that was mailed to it',
    access: withPassword,
    body: MailedToken,
    response: Me,
    errors: [linkInvalid, emailTaken],
    handle: (call) => confirmEmail(call, call.body.token),
  }),
  operation({
    id: 'takeEmailBack',
    method: 'POST',
    path: '/email/back',
    tag,
    summary: 'Take a change of the address back, with the token that was mailed to the address before',
    access: anyone,
    limit: 'signIn',
    body: MailedToken,
    response: Empty,
    errors: [linkInvalid],
    prepare: unknownPassword,
    async handle(call) {
      await takeEmailBack(call, call.body.token, call.prepared);
      return {};
    },
  }),
];
