import { type Static, Type } from 'typebox';
import { SCOPES } from '#core/auth/caller.ts';
import { failure, oauthFailure } from '#core/errors.ts';
import { Nullable, OneOf, Timestamp, Uuid } from '#core/http/schema.ts';
import { MAX_OAUTH_LENGTH } from '../../config.ts';

const text = (description: string) => Type.String({ maxLength: MAX_OAUTH_LENGTH, description });
const optional = (description: string) => Type.Optional(text(description));

/** RFC 7591. What else a client tells of itself is not kept. */
export const NewClient = Type.Object({
  client_name: Type.Optional(Type.String({ maxLength: 200, description: 'What people are told that it is called' })),
  redirect_uris: Type.Array(text('https, loopback, or a scheme of its own'), {
    minItems: 1,
    maxItems: 10,
    description: 'Where people may be led back to',
  }),
});
export type NewClient = Static<typeof NewClient>;

export const RegisteredClient = Type.Object(
  {
    client_id: Uuid,
    client_id_issued_at: Type.Integer({ description: 'Seconds since 1970' }),
    client_name: Type.String(),
    redirect_uris: Type.Array(Type.String()),
    token_endpoint_auth_method: OneOf(['none']),
    grant_types: Type.Array(Type.String()),
    response_types: Type.Array(Type.String()),
  },
  { title: 'RegisteredOAuthClient' },
);
export type RegisteredClient = Static<typeof RegisteredClient>;

const authorizationFields = {
  client_id: text('Which program asks'),
  redirect_uri: text('Where the answer goes: one of its registered addresses, letter by letter'),
  response_type: optional('`code`'),
  scope: optional('The most that it asks for: read, plan or write'),
  state: optional('Given back with the answer'),
  code_challenge: optional('The SHA-256 of its verifier, in base64url (PKCE)'),
  code_challenge_method: optional('`S256`'),
  resource: optional('The address that the token is for (RFC 8707)'),
};
export const AuthorizationRequest = Type.Object(authorizationFields);
export type AuthorizationRequest = Static<typeof AuthorizationRequest>;

export const AuthorizationQuestion = Type.Object(
  {
    client_name: Type.String({ description: 'What the program calls itself; nobody has checked that' }),
    destination: Type.String({ description: 'Where the answer goes' }),
    scopes: Type.Array(OneOf(SCOPES), { description: 'What may be chosen: nothing wider than it asks for' }),
  },
  { title: 'AuthorizationQuestion' },
);
export type AuthorizationQuestion = Static<typeof AuthorizationQuestion>;

export const AuthorizationDecision = Type.Object({
  ...authorizationFields,
  decision: OneOf(['allow', 'deny'], { description: 'What the person chose' }),
  access: Type.Optional(OneOf(SCOPES, { description: 'What the program may; needed to allow' })),
  team_id: Type.Optional(Type.String({ format: 'uuid', description: 'In this team alone; in all otherwise' })),
});
export type AuthorizationDecision = Static<typeof AuthorizationDecision>;

export const AuthorizationAnswer = Type.Object(
  { location: Type.String({ description: 'Where the browser goes next' }) },
  { title: 'AuthorizationAnswer' },
);

export const TokenRequest = Type.Object({
  grant_type: optional('authorization_code or refresh_token'),
  client_id: optional('Which program asks'),
  code: optional('The code that the browser brought'),
  redirect_uri: optional('The same as where the code was asked for'),
  code_verifier: optional('What the challenge was made of'),
  refresh_token: optional('Used up by this'),
  resource: optional('The address that the token is for (RFC 8707)'),
});
export type TokenRequest = Static<typeof TokenRequest>;

export const OAuthTokens = Type.Object(
  {
    access_token: Type.String(),
    token_type: OneOf(['Bearer']),
    expires_in: Type.Integer({ description: 'Seconds' }),
    refresh_token: Type.String(),
    scope: Type.String(),
  },
  { title: 'OAuthTokens' },
);
export type OAuthTokens = Static<typeof OAuthTokens>;

export const Revocation = Type.Object({
  token: text('The access token or the refresh token; its grant ends'),
  token_type_hint: optional('Not needed'),
  client_id: optional('Which program asks'),
});

export const OAuthGrant = Type.Object(
  {
    id: Uuid,
    client_name: Type.String(),
    scopes: Type.Array(OneOf(SCOPES)),
    team_id: Nullable(Uuid),
    created_at: Timestamp,
    last_used_at: Nullable(Timestamp),
    expires_at: Timestamp,
  },
  { title: 'OAuthGrant' },
);
export type OAuthGrant = Static<typeof OAuthGrant>;

const refusal = (error: string, status: number, sentence: string) =>
  oauthFailure(`oauth.${error}`, error, status, sentence);

export const invalidRedirectUri = refusal(
  'invalid_redirect_uri',
  400,
  'Each redirect URI must be https, http on loopback, or of a scheme of the program itself, with no fragment and no password in it.',
);
export const unknownClient = failure(
  'oauth.unknown_client',
  404,
  'No program with this client_id is registered here. Connect it anew.',
);
export const foreignRedirect = failure(
  'oauth.foreign_redirect',
  403,
  'This address is none that the program registered, so nobody is sent there.',
);
export const badRequest = failure('oauth.bad_request', 400, 'The program asked in a way that we do not answer.');
export const invalidRequest = refusal(
  'invalid_request',
  400,
  'Send grant_type and client_id, and either code, redirect_uri and code_verifier, or refresh_token.',
);
export const invalidClient = refusal(
  'invalid_client',
  401,
  'No program with this client_id is registered here. Register it anew.',
);
export const unsupportedGrantType = refusal(
  'unsupported_grant_type',
  400,
  'The grant types here are authorization_code and refresh_token.',
);
export const invalidTarget = refusal(
  'invalid_target',
  400,
  'Tokens are given for the MCP server of this platform alone.',
);
export const invalidGrant = refusal(
  'invalid_grant',
  400,
  'The code or refresh token is unknown, used, expired, or belongs to another program, redirect_uri or code_verifier. Connect anew.',
);
export const grantNotFound = failure('oauth_grant.not_found', 404, 'There is no such connected program.');
