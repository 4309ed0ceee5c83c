import { Type } from 'typebox';
import { rightsChanged } from '#core/auth/revocation.ts';
import { operation } from '#core/http/operation.ts';
import { Empty, PageOf, PageQuery, Uuid } from '#core/http/schema.ts';
import { anyone, withPassword } from '#core/policy.ts';
import {
  beginPasskeySignIn,
  PasskeyOptions,
  PasskeySignIn,
  passkeyRefused,
  SecondStepAnswer,
  stepOver,
  tooManyCodes,
  wrongCode,
} from '#features/second-factor/second-factor.ts';
import { browserName } from './browser-name.ts';
import { accountBlocked, Session, sessionNotFound, TokenGrant } from './credential.schema.ts';
import { deleteOwnCredential, listSessions } from './credential.sql.ts';
import { endOtherSessions } from './credential.ts';
import { passSecondStep, signInWithPasskey } from './second-step.ts';

const tag = 'credentials';

export const sessionOperations = [
  operation({
    id: 'passSecondStep',
    method: 'POST',
    path: '/token/second_step',
    tag,
    summary: 'Finish signing in where the account has a second factor: with a code, a recovery code or a passkey',
    access: anyone,
    limit: 'signIn',
    // What was tried stays counted although the answer is a refusal.
    transaction: false,
    body: SecondStepAnswer,
    response: TokenGrant,
    errors: [stepOver, wrongCode, tooManyCodes, accountBlocked],
    handle: (call) => passSecondStep(call, call.body),
  }),
  operation({
    id: 'beginPasskeySignIn',
    method: 'POST',
    path: '/token/passkey/options',
    tag,
    summary: 'Begin to sign in with a passkey alone',
    access: anyone,
    limit: 'signIn',
    transaction: false,
    response: PasskeyOptions,
    handle: ({ db, services }) => beginPasskeySignIn(db, services),
  }),
  operation({
    id: 'signInWithPasskey',
    method: 'POST',
    path: '/token/passkey',
    tag,
    summary: 'Sign in with a passkey alone; sets the session cookie too',
    access: anyone,
    limit: 'signIn',
    transaction: false,
    body: PasskeySignIn,
    response: TokenGrant,
    errors: [stepOver, passkeyRefused, accountBlocked],
    handle: (call) => signInWithPasskey(call, call.body.challenge, call.body),
  }),
  operation({
    id: 'listSessions',
    method: 'GET',
    path: '/me/session',
    tag,
    summary: 'Where you are signed in',
    access: withPassword,
    query: Type.Object(PageQuery),
    response: PageOf(Session),
    async handle({ db, caller, query, page }) {
      const { count, rows } = await listSessions(db, caller.userId, query);
      const toSession = ({ user_agent, ...row }: (typeof rows)[number]): Session => ({
        ...row,
        is_current: row.id === caller.credential.id,
        browser: browserName(user_agent),
      });
      return page(query, count, rows.map(toSession));
    },
  }),
  operation({
    id: 'deleteSession',
    method: 'DELETE',
    path: '/me/session/{session_id}',
    tag,
    summary: 'Sign out somewhere, at once; open streams and terminals there end too',
    access: withPassword,
    params: Type.Object({ session_id: Uuid }),
    response: Empty,
    errors: [sessionNotFound],
    async handle({ db, services, caller, params }) {
      if (!(await deleteOwnCredential(db, 'session', { id: params.session_id, userId: caller.userId })))
        throw sessionNotFound();
      rightsChanged(db, services, caller.userId);
      return {};
    },
  }),
  operation({
    id: 'deleteOtherSessions',
    method: 'DELETE',
    path: '/me/session',
    tag,
    summary: 'Sign out everywhere but here, at once',
    access: withPassword,
    response: Empty,
    async handle({ db, services, caller }) {
      await endOtherSessions(db, services, caller);
      return {};
    },
  }),
];
