import { type Static, Type } from 'typebox';
import { failure, oauthFailure } from '#core/errors.ts';
import { Nullable, OneOf, say, Uuid } from '#core/http/schema.ts';
import { MAX_OAUTH_LENGTH } from '../../config.ts';

/** As OAuth2 has it. */
const Parameter = (section: string) =>
  Type.Optional(say(Type.String({ maxLength: MAX_OAUTH_LENGTH }), `RFC ${section}`));

/** What OAuth2 calls required is optional here where its absence is told to the client and not to the browser. */
export const AuthorizationRequest = Type.Object({
  client_id: say(Type.String({ maxLength: MAX_OAUTH_LENGTH }), 'The metrics dashboard, as it is registered here'),
  redirect_uri: Type.String({
    maxLength: MAX_OAUTH_LENGTH,
    description: 'One of the registered ones, letter by letter',
  }),
  response_type: Parameter('6749, 4.1.1'),
  scope: Parameter('6749, 3.3'),
  state: Parameter('6749, 4.1.1'),
  code_challenge: Parameter('7636, 4.3'),
  code_challenge_method: Parameter('7636, 4.3'),
});
export type AuthorizationRequest = Static<typeof AuthorizationRequest>;

export const CodeExchange = Type.Object({
  grant_type: Parameter('6749, 4.1.3'),
  code: Parameter('6749, 4.1.3'),
  redirect_uri: Parameter('6749, 4.1.3'),
  code_verifier: Parameter('7636, 4.5'),
  client_id: Parameter('6749, 2.3.1'),
  client_secret: Parameter('6749, 2.3.1'),
});
export type CodeExchange = Static<typeof CodeExchange>;

export const MetricsTokenGrant = Type.Object(
  {
    access_token: Type.String({ description: 'Opens GET /metrics-api and nothing else' }),
    token_type: OneOf(['Bearer']),
    expires_in: Type.Integer({ description: 'Seconds' }),
    scope: Type.String(),
  },
  { title: 'MetricsTokenGrant' },
);
export type MetricsTokenGrant = Static<typeof MetricsTokenGrant>;

export const MetricsUser = Type.Object(
  {
    sub: Uuid,
    email: Type.String(),
    email_verified: Type.Boolean(),
    name: Type.String(),
    login: Type.String(),
    role: OneOf(['operator', 'customer']),
    groups: Type.Array(Type.String(), { description: 'team id/role of each team, and `operators` for an operator' }),
    teams: Type.Array(
      Type.Object({ id: Uuid, name: Type.String(), role: Type.String(), metrics_org_id: Nullable(Type.Integer()) }),
    ),
  },
  { title: 'MetricsUser' },
);
export type MetricsUser = Static<typeof MetricsUser>;

export const MetricsDashboard = Type.Object(
  { url: Nullable(Type.String({ description: 'Null where none is configured' })) },
  { title: 'MetricsDashboard' },
);

export const notConfigured = failure(
  'metrics.not_configured',
  503,
  'No metrics dashboard is configured: the operator has to set METRICS_URL.',
);

const refusal = (error: string, status: number, sentence: string) =>
  oauthFailure(`metrics.${error}`, error, status, sentence);

export const invalidClient = refusal('invalid_client', 401, 'The client is unknown, or its secret is wrong.');
export const ambiguousClient = refusal(
  'invalid_request',
  400,
  'Send the client secret either in the Authorization header or in the body, for one and the same client.',
);
export const missingParameter = refusal('invalid_request', 400, 'Send grant_type, code and redirect_uri.');
export const unsupportedGrantType = refusal(
  'unsupported_grant_type',
  400,
  'The only grant_type here is authorization_code.',
);
export const invalidGrant = refusal(
  'invalid_grant',
  400,
  'The code is unknown, used, expired, or was issued for another redirect_uri or code_verifier. Sign in again.',
);
