import type { Scope } from '#core/auth/caller.ts';
import { recheckRights, rightsChanged } from '#core/auth/revocation.ts';
import { hashToken, newToken } from '#core/auth/tokens.ts';
import { type Db, inTransaction, type Tx } from '#core/db/database.ts';
import { bodyFault, invalid } from '#core/errors.ts';
import { tooMany } from '#core/http/failures.ts';
import type { Call } from '#core/http/operation.ts';
import { addressKey } from '#core/http/rate-limits.ts';
import { programName } from '#core/program-name.ts';
import type { Services } from '#core/services.ts';
import { backTo, faultOfChallenge, issueCode, redeemCode, requireOwnTeam } from '#features/credential/credential.ts';
import {
  type AuthorizationDecision,
  type AuthorizationQuestion,
  type AuthorizationRequest,
  badRequest,
  foreignRedirect,
  invalidClient,
  invalidGrant,
  invalidRedirectUri,
  invalidRequest,
  invalidTarget,
  type NewClient,
  type OAuthTokens,
  type RegisteredClient,
  type TokenRequest,
  unknownClient,
  unsupportedGrantType,
} from './oauth.schema.ts';
import {
  type ClientRow,
  deleteGrantByToken,
  deleteOldestGrants,
  findClient,
  insertClient,
  insertGrant,
  insertRefreshToken,
  lockRefreshToken,
  markRefreshTokenUsed,
  noteClientUse,
  replaceAccessToken,
} from './oauth.sql.ts';
import { destinationOf, isRedirectUri, isRegistered } from './redirect-uri.ts';

/**
 * OAuth 2.1 for programs of others: public clients that register by themselves, codes with PKCE, and refresh tokens that are used once.
 * A grant is a credential, so whatever ends somebody's tokens ends it.
 */
const ACCESS_SECONDS = 3600;
const GRANT_DAYS = 90;
/** Of one person; beyond that the oldest end. */
const MAX_GRANTS = 50;
/** From the narrowest to the widest. */
export const ACCESS: readonly Scope[] = ['read', 'plan', 'write'];

/** The one resource that tokens are given for. */
export const mcpAddress = (baseUrl: string): string => `${baseUrl}/mcp`;

/** Where it says who gives them (RFC 9728). */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource/mcp';

export async function registerClient(db: Db, { client_name, redirect_uris }: NewClient): Promise<RegisteredClient> {
  if (!redirect_uris.every(isRedirectUri)) throw invalidRedirectUri();
  const name = programName(client_name, 'A program without a name');
  const client = await insertClient(db, name, [...new Set(redirect_uris)]);
  return {
    client_id: client.id,
    client_id_issued_at: Math.floor(client.created_at.getTime() / 1000),
    client_name: name,
    redirect_uris: client.redirect_uris,
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };
}

/** What somebody is asked. Until the program and the way back to it are known to be right, nobody is sent anywhere. */
export async function readAuthorization(
  { db, services }: Pick<Call, 'db' | 'services'>,
  request: AuthorizationRequest,
): Promise<AuthorizationQuestion & { client: ClientRow }> {
  const client = await findClient(db, request.client_id);
  if (!client) throw unknownClient();
  if (!isRegistered(client.redirect_uris, request.redirect_uri)) throw foreignRedirect();
  const fault = findFault(services, request);
  // Nobody is led there without having been asked: who registered the address is not known (RFC 9700, 4.11.2).
  if (fault)
    throw badRequest({ message: fault[1], data: { location: answerTo(services, request, { error: fault[0] }) } });
  return {
    client,
    client_name: client.name,
    destination: destinationOf(request.redirect_uri),
    scopes: offered(request.scope),
  };
}

function findFault({ config }: Services, request: AuthorizationRequest): [error: string, sentence: string] | undefined {
  const { response_type, resource, code_challenge, code_challenge_method } = request;
  if (response_type !== 'code') return ['unsupported_response_type', 'response_type must be code'];
  if (!isOurs(config.baseUrl, resource)) return ['invalid_target', invalidTarget.sentence];
  const challenge = faultOfChallenge(code_challenge, code_challenge_method);
  return challenge === undefined ? undefined : ['invalid_request', challenge];
}

/** Programs of before RFC 8707 name none. */
const isOurs = (baseUrl: string, resource: string | undefined) =>
  !resource || resource.replace(/\/$/, '') === mcpAddress(baseUrl);

/** Nothing wider than what it asks for, where it asks for anything that we know. */
function offered(scope = ''): Scope[] {
  const widest = Math.max(...scope.split(' ').map((word) => ACCESS.indexOf(word as Scope)));
  return widest < 0 ? [...ACCESS] : ACCESS.slice(0, widest + 1);
}

const answerTo = (
  { config }: Services,
  { redirect_uri, state }: AuthorizationRequest,
  answer: Record<string, string>,
): string => backTo(redirect_uri, { ...answer, state, iss: config.baseUrl });

export async function decide(
  call: Pick<Call, 'db' | 'services' | 'caller'>,
  decision: AuthorizationDecision,
): Promise<{ location: string }> {
  const { db, services, caller } = call;
  const { scopes, client } = await readAuthorization(call, decision);
  if (decision.decision === 'deny') return { location: answerTo(services, decision, { error: 'access_denied' }) };
  const { access, team_id = null, redirect_uri, code_challenge = '' } = decision;
  if (!access || !scopes.includes(access))
    throw invalid(bodyFault('access', `Value error, must be one of ${scopes.join(', ')}`));
  requireOwnTeam(caller, team_id);
  const code = await issueCode(db, {
    session_id: caller.credential.id,
    user_id: caller.userId,
    client_id: client.id,
    redirect_uri,
    code_challenge,
    scopes: [access],
    team_id,
    resource: 'mcp',
  });
  await recheckRights(db, caller);
  return { location: answerTo(services, decision, { code }) };
}

export async function giveTokens({ services, body, ip }: Call<unknown, unknown, TokenRequest>): Promise<OAuthTokens> {
  const { grant_type, client_id } = body;
  if (!grant_type || !client_id) throw invalidRequest();
  if (!isOurs(services.config.baseUrl, body.resource)) throw invalidTarget();
  const give = { authorization_code: giveForCode, refresh_token: giveForRefreshToken }[grant_type];
  if (!give) throw unsupportedGrantType();
  const client = await findClient(services.db, client_id);
  if (!client) throw invalidClient({ headers: { 'www-authenticate': 'Bearer' } });
  // The refusal comes after the commit: that something is used up, or a grant has ended, has to last.
  const tokens = await inTransaction(services.db, (tx) => give(tx, services, body, client));
  if (!tokens) throw invalidGrant();
  services.limits.giveBack('signIn', addressKey(ip));
  return tokens;
}

async function giveForCode(
  tx: Tx,
  services: Services,
  { code, redirect_uri, code_verifier }: TokenRequest,
  client: ClientRow,
): Promise<OAuthTokens | undefined> {
  if (!code || !redirect_uri || !code_verifier) throw invalidRequest();
  const shown = { code, client_id: client.id, redirect_uri, code_verifier };
  return redeemCode(tx, services, shown, async ({ user_id, scopes, team_id, resource }) => {
    const token = newToken();
    const grant = { user_id, scopes, team_id, resource, name: client.name, oauth_client_id: client.id };
    const lasts = { days: GRANT_DAYS, seconds: ACCESS_SECONDS };
    const id = await insertGrant(tx, { token_hash: hashToken(token), ...grant }, lasts);
    if (await deleteOldestGrants(tx, user_id, MAX_GRANTS)) rightsChanged(tx, services, user_id);
    await noteClientUse(tx, client.id);
    return { id, ...(await toTokens(tx, id, token, scopes)) };
  });
}

/** Shown a second time, somebody else may have it: which of the two is the program can not be told, so the grant ends. */
async function giveForRefreshToken(
  tx: Tx,
  services: Services,
  { refresh_token }: TokenRequest,
  client: ClientRow,
): Promise<OAuthTokens | undefined> {
  if (!refresh_token) throw invalidRequest();
  const hash = hashToken(refresh_token);
  const known = await lockRefreshToken(tx, hash);
  if (!known || known.oauth_client_id !== client.id) return undefined;
  if (known.is_used) {
    await endGrant(tx, services, hash);
    return undefined;
  }
  if (!known.is_usable) return undefined;
  const { exceeded, resetSeconds } = services.limits.take('oauthRefresh', known.credential_id);
  if (exceeded) throw tooMany({ headers: { 'retry-after': String(resetSeconds) } });
  await markRefreshTokenUsed(tx, hash);
  const token = newToken();
  await replaceAccessToken(tx, known.credential_id, hashToken(token), ACCESS_SECONDS);
  await noteClientUse(tx, client.id);
  return toTokens(tx, known.credential_id, token, known.scopes);
}

async function toTokens(tx: Tx, grantId: string, token: string, scopes: readonly Scope[]): Promise<OAuthTokens> {
  const refresh_token = newToken();
  await insertRefreshToken(tx, hashToken(refresh_token), grantId);
  const lasts = { token_type: 'Bearer' as const, expires_in: ACCESS_SECONDS };
  return { access_token: token, ...lasts, refresh_token, scope: scopes.join(' ') };
}

/** RFC 7009: whoever has a token of the grant may end it. One that is none ends nothing, and nobody is told. */
export async function endGrant(tx: Db, services: Services, hash: Buffer): Promise<void> {
  const userId = await deleteGrantByToken(tx, hash);
  if (userId) rightsChanged(tx, services, userId);
}
