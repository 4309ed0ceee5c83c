import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { rightsChanged } from '#core/auth/revocation.ts';
import { hashToken } from '#core/auth/tokens.ts';
import { API_PREFIX, operation, rawOperation } from '#core/http/operation.ts';
import { Empty, PageOf, PageQuery, Uuid } from '#core/http/schema.ts';
import { anyone, forAccount, withPassword } from '#core/policy.ts';
import type { Services } from '#core/services.ts';
import { deleteOwnCredential } from '#features/credential/credential.ts';
import {
  AuthorizationAnswer,
  AuthorizationDecision,
  AuthorizationQuestion,
  AuthorizationRequest,
  badRequest,
  foreignRedirect,
  grantNotFound,
  invalidClient,
  invalidGrant,
  invalidRedirectUri,
  invalidRequest,
  invalidTarget,
  NewClient,
  OAuthGrant,
  OAuthTokens,
  type RegisteredClient,
  Revocation,
  TokenRequest,
  unknownClient,
  unsupportedGrantType,
} from './oauth.schema.ts';
import { listGrants } from './oauth.sql.ts';
import {
  ACCESS,
  decide,
  endGrant,
  giveTokens,
  mcpAddress,
  RESOURCE_METADATA_PATH,
  readAuthorization,
  registerClient,
} from './oauth.ts';

const tag = 'connected programs';
const REGISTER_PATH = '/oauth/register';
const TOKEN_PATH = '/oauth/token';
const REVOKE_PATH = '/oauth/revoke';

export const oauthOperations = [
  rawOperation({
    id: 'registerOAuthClient',
    method: 'POST',
    path: REGISTER_PATH,
    tag,
    summary: 'A program makes itself known, so that people can let it act for them (RFC 7591)',
    access: anyone,
    limit: 'oauthRegistration',
    oauthErrors: true,
    bodyLimitBytes: 32 * 1024,
    body: NewClient,
    errors: [invalidRedirectUri],
    also: { 201: { description: 'Registered: `client_id`, and what was taken of the rest' } },
    async serve({ db, body }, _request, reply) {
      const client: RegisteredClient = await registerClient(db, body);
      return reply.code(201).send(client);
    },
  }),
  operation({
    id: 'getAuthorization',
    method: 'GET',
    path: '/oauth/authorization',
    tag,
    summary: 'What a program asks you for',
    access: withPassword,
    query: AuthorizationRequest,
    response: AuthorizationQuestion,
    errors: [unknownClient, foreignRedirect, badRequest],
    handle: (call) => readAuthorization(call, call.query),
  }),
  operation({
    id: 'decideAuthorization',
    method: 'POST',
    path: '/oauth/authorization',
    tag,
    summary: 'Let a program act for you, or refuse it',
    access: withPassword,
    body: AuthorizationDecision,
    response: AuthorizationAnswer,
    errors: [unknownClient, foreignRedirect, badRequest],
    handle: (call) => decide(call, call.body),
  }),
  operation({
    id: 'exchangeOAuthToken',
    method: 'POST',
    path: TOKEN_PATH,
    tag,
    summary: 'Tokens for a code or a refresh token (OAuth 2.1)',
    access: anyone,
    limit: 'signIn',
    // What was shown is used up although the answer is a refusal.
    transaction: false,
    oauthErrors: true,
    accepts: ['form', 'json'],
    body: TokenRequest,
    response: OAuthTokens,
    errors: [invalidRequest, invalidClient, unsupportedGrantType, invalidTarget, invalidGrant],
    handle: giveTokens,
  }),
  operation({
    id: 'revokeOAuthToken',
    method: 'POST',
    path: REVOKE_PATH,
    tag,
    summary: 'A program ends what it was allowed (RFC 7009)',
    access: anyone,
    limit: 'signIn',
    transaction: false,
    oauthErrors: true,
    accepts: ['form', 'json'],
    body: Revocation,
    response: Empty,
    async handle({ db, services, body }) {
      await endGrant(db, services, hashToken(body.token));
      return {};
    },
  }),
  operation({
    id: 'listOAuthGrants',
    method: 'GET',
    path: '/oauth_grant',
    tag,
    summary: 'The programs that may act for you',
    access: forAccount,
    query: Type.Object(PageQuery),
    response: PageOf(OAuthGrant),
    async handle({ db, caller, query, page }) {
      const { count, rows } = await listGrants(db, caller.userId, query);
      return page(query, count, rows);
    },
  }),
  operation({
    id: 'deleteOAuthGrant',
    method: 'DELETE',
    path: '/oauth_grant/{oauth_grant_id}',
    tag,
    summary: 'Disconnect a program, at once',
    access: withPassword,
    params: Type.Object({ oauth_grant_id: Uuid }),
    response: Empty,
    errors: [grantNotFound],
    async handle({ db, services, caller, params }) {
      if (!(await deleteOwnCredential(db, 'oauth', { id: params.oauth_grant_id, userId: caller.userId })))
        throw grantNotFound();
      rightsChanged(db, services, caller.userId);
      return {};
    },
  }),
];

/** RFC 8414 and RFC 9728: where programs learn how to sign in. Those that look below the path of the MCP server find it there too. */
export function serveOAuthMetadata(app: FastifyInstance, { config: { baseUrl } }: Services): void {
  const serve = (paths: string[], document: object) => {
    for (const path of paths)
      app.get(path, async (_request, reply) => reply.header('access-control-allow-origin', '*').send(document));
  };
  const server = '/.well-known/oauth-authorization-server';
  serve([server, `${server}/mcp`], describeServer(baseUrl));
  serve(['/.well-known/oauth-protected-resource', RESOURCE_METADATA_PATH], {
    resource: mcpAddress(baseUrl),
    resource_name: 'Siteyard',
    authorization_servers: [baseUrl],
    scopes_supported: ACCESS,
    bearer_methods_supported: ['header'],
  });
}

function describeServer(baseUrl: string): object {
  const api = `${baseUrl}${API_PREFIX}`;
  return {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/authorize`,
    token_endpoint: `${api}${TOKEN_PATH}`,
    registration_endpoint: `${api}${REGISTER_PATH}`,
    revocation_endpoint: `${api}${REVOKE_PATH}`,
    scopes_supported: ACCESS,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
  };
}
