import type { FastifyInstance } from 'fastify';
import { API_PREFIX, operation, rawOperation } from '#core/http/operation.ts';
import { anyone, anyoneKnown, operator, withBearer } from '#core/policy.ts';
import type { Services } from '#core/services.ts';
import { registeredClient } from './metrics-sign-in.client.ts';
import { AUTHORIZE_PATH } from './metrics-sign-in.rules.ts';
import {
  AuthorizationRequest,
  ambiguousClient,
  CodeExchange,
  invalidClient,
  invalidGrant,
  MetricsDashboard,
  MetricsTokenGrant,
  MetricsUser,
  missingParameter,
  notConfigured,
  unsupportedGrantType,
} from './metrics-sign-in.schema.ts';
import { authorize, describeUser, exchangeCode, ISSUER_PATH, SCOPE } from './metrics-sign-in.ts';

const tag = 'metrics';
const TOKEN_PATH = '/metrics-token';
const USER_PATH = '/metrics-api';
const PARAMETERS = Object.keys(AuthorizationRequest.properties);

export const metricsSignInOperations = [
  rawOperation({
    id: 'authorizeMetrics',
    method: 'GET',
    path: AUTHORIZE_PATH,
    tag,
    // It gives a code.
    effect: 'change',
    summary: 'Sign in to the metrics dashboard: the authorization step (OAuth2), which leads the browser back to it',
    access: anyoneKnown,
    needs: registeredClient,
    query: AuthorizationRequest,
    acceptsRepeatedQuery: true,
    errors: [notConfigured],
    also: {
      302: {
        description: 'To the metrics dashboard, with a code or an error, or to our own sign-in and then here again',
        headers: { Location: 'Where the browser goes next' },
      },
    },
    async serve({ services, query, callerIfAny }, request, reply) {
      const given = request.query as Record<string, unknown>;
      const repeated = PARAMETERS.filter((name) => Array.isArray(given[name]));
      const location = await authorize(services, query, repeated, callerIfAny);
      // What this address holds is nobody's business on the next page.
      return reply.header('referrer-policy', 'no-referrer').redirect(location, 302);
    },
  }),
  operation({
    id: 'exchangeMetricsCode',
    method: 'POST',
    path: TOKEN_PATH,
    tag,
    summary: 'Sign in to the metrics dashboard: the token step (OAuth2), for its server',
    access: anyone,
    needs: registeredClient,
    limit: 'signIn',
    // A code that was shown wrongly is used up although the answer is a refusal.
    transaction: false,
    oauthErrors: true,
    accepts: ['form', 'json'],
    body: CodeExchange,
    response: MetricsTokenGrant,
    errors: [notConfigured, invalidClient, ambiguousClient, missingParameter, unsupportedGrantType, invalidGrant],
    async handle(call) {
      call.headers.pragma = 'no-cache';
      return exchangeCode(call);
    },
  }),
  operation({
    id: 'getMetricsUser',
    method: 'GET',
    path: USER_PATH,
    tag,
    summary: 'Who is signed in, for the metrics dashboard',
    access: withBearer,
    response: MetricsUser,
    handle: ({ db, caller }) => describeUser(db, caller),
  }),
  operation({
    id: 'getMetricsDashboard',
    method: 'GET',
    path: '/operator/metrics',
    tag,
    summary: 'Where the metrics dashboard is',
    access: operator,
    response: MetricsDashboard,
    handle: async ({ services }) => ({ url: services.config.metricsUrl ?? null }),
  }),
];

/** RFC 8414: what a client needs to know of the sign-in, for those that look it up. */
export function serveSignInMetadata(app: FastifyInstance, services: Services): void {
  app.get(`/.well-known/oauth-authorization-server${ISSUER_PATH}`, async () => {
    registeredClient(services);
    return describeSignIn(services.config.baseUrl);
  });
}

function describeSignIn(baseUrl: string): Record<string, unknown> {
  return {
    issuer: `${baseUrl}${ISSUER_PATH}`,
    authorization_endpoint: `${baseUrl}${API_PREFIX}${AUTHORIZE_PATH}`,
    token_endpoint: `${baseUrl}${API_PREFIX}${TOKEN_PATH}`,
    userinfo_endpoint: `${baseUrl}${API_PREFIX}${USER_PATH}`,
    scopes_supported: [SCOPE],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    authorization_response_iss_parameter_supported: true,
  };
}
