import { Type } from 'typebox';
import { rightsChanged } from '#core/auth/revocation.ts';
import { operation } from '#core/http/operation.ts';
import { Empty, PageOf, PageQuery, Uuid } from '#core/http/schema.ts';
import { anyone, forAccount, signedIn, withPassword } from '#core/policy.ts';
import {
  ApiToken,
  accountBlocked,
  apiTokenNotFound,
  badSignIn,
  CreatedApiToken,
  Introspection,
  NewApiToken,
  SignIn,
  secondStepNeeded,
  TokenGrant,
  tooManyApiTokens,
  tooManyFailures,
} from './credential.schema.ts';
import { deleteOwnCredential, listApiTokens } from './credential.sql.ts';
import { createApiToken, signIn, signOut } from './credential.ts';

const tag = 'credentials';

export const credentialOperations = [
  operation({
    id: 'signIn',
    method: 'POST',
    path: '/token',
    tag,
    summary: 'Sign in with email address and password (OAuth2 password grant); sets the session cookie too',
    access: anyone,
    limit: 'signIn',
    // Checking a password takes a while on purpose; nothing should be held meanwhile.
    transaction: false,
    oauthErrors: true,
    accepts: ['form', 'json'],
    body: SignIn,
    response: TokenGrant,
    errors: [badSignIn, accountBlocked, tooManyFailures, secondStepNeeded],
    handle: (call) => signIn(call, call.body.username, call.body.password),
  }),
  operation({
    id: 'signOut',
    method: 'POST',
    path: '/logout',
    tag,
    summary: 'End every credential that comes with the request: the bearer token and the session cookie',
    access: anyone,
    endsView: true,
    response: Empty,
    async handle(call) {
      await signOut(call);
      return {};
    },
  }),
  operation({
    id: 'introspectToken',
    method: 'GET',
    path: '/token/introspect',
    tag,
    summary: 'What the credential of this request may do',
    access: signedIn,
    response: Introspection,
    handle: async ({ caller: { credential, userId } }) => ({
      active: true,
      kind: credential.kind,
      scopes: [...credential.scopes],
      user_id: userId,
      team_id: credential.teamId,
      expires_at: credential.expiresAt,
    }),
  }),
  operation({
    id: 'listApiTokens',
    method: 'GET',
    path: '/api_token',
    tag,
    summary: 'Your personal API tokens',
    access: forAccount,
    query: Type.Object(PageQuery),
    response: PageOf(ApiToken),
    async handle({ db, caller, query, page }) {
      const { count, rows } = await listApiTokens(db, caller.userId, query);
      return page(query, count, rows);
    },
  }),
  operation({
    id: 'createApiToken',
    method: 'POST',
    path: '/api_token',
    tag,
    summary: 'Make a personal API token; the token itself is shown only in this answer',
    access: withPassword,
    body: NewApiToken,
    response: CreatedApiToken,
    errors: [tooManyApiTokens],
    handle: ({ db, caller, body }) => createApiToken(db, caller, body),
  }),
  operation({
    id: 'deleteApiToken',
    method: 'DELETE',
    path: '/api_token/{api_token_id}',
    tag,
    summary: 'Revoke a personal API token, at once',
    access: withPassword,
    params: Type.Object({ api_token_id: Uuid }),
    response: Empty,
    errors: [apiTokenNotFound],
    async handle({ db, services, caller, params }) {
      if (!(await deleteOwnCredential(db, 'api_token', { id: params.api_token_id, userId: caller.userId })))
        throw apiTokenNotFound();
      rightsChanged(db, services, caller.userId);
      return {};
    },
  }),
];
