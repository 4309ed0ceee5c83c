import type { Caller } from '#core/auth/caller.ts';
import { type Db, inTransaction } from '#core/db/database.ts';
import { type Fault, invalid } from '#core/errors.ts';
import { API_PREFIX, type Call } from '#core/http/operation.ts';
import { addressKey } from '#core/http/rate-limits.ts';
import type { Services } from '#core/services.ts';
import {
  backTo,
  createMetricsToken,
  faultOfChallenge,
  issueCode,
  redeemCode,
} from '#features/credential/credential.ts';
import { teamsById } from '#features/team/team.ts';
import { type Client, checkClient, registeredClient } from './metrics-sign-in.client.ts';
import {
  type AuthorizationRequest,
  type CodeExchange,
  invalidGrant,
  type MetricsTokenGrant,
  type MetricsUser,
  missingParameter,
  unsupportedGrantType,
} from './metrics-sign-in.schema.ts';

/**
 * The platform as an OAuth2 provider for one client of its own, the operator's Grafana (RFC 6749 as RFC 9700 wants it used):
 * authorization codes alone, with PKCE where the client uses it, and no consent, since both ends are the operator's.
 */
export const AUTHORIZE_PATH = '/metrics-auth';
export const SCOPE = 'userinfo';
/** RFC 8414: its own name as an issuer, since the platform's is that of the sign-in of other programs. */
export const ISSUER_PATH = '/metrics-auth';
const TOKEN_SECONDS = 3600;

/**
 * Where the browser goes next: back to the client with a code or an error, or to our sign-in and then here again. Until the
 * client and the way back to it are known to be right, nobody is sent anywhere.
 */
export async function authorize(
  services: Services,
  request: AuthorizationRequest,
  repeated: readonly string[],
  caller: Caller | undefined,
): Promise<string> {
  const client = registeredClient(services);
  checkDestination(client, request, repeated);
  const { redirect_uri, state, code_challenge } = request;
  const iss = `${services.config.baseUrl}${ISSUER_PATH}`;
  const back = (answer: Record<string, string>) => backTo(redirect_uri, { ...answer, state, iss });

  const fault = findFault(request, repeated);
  if (fault) return back(fault);
  if (!caller) return signInAndReturn(request);
  const obstacle = findObstacle(caller);
  if (obstacle) return back({ error: 'access_denied', error_description: obstacle });

  const code = await issueCode(services.db, {
    session_id: caller.credential.id,
    user_id: caller.userId,
    client_id: client.id,
    redirect_uri,
    code_challenge: code_challenge || null,
  });
  return back({ code });
}

function checkDestination(client: Client, request: AuthorizationRequest, repeated: readonly string[]): void {
  const fault = (name: string, msg: string): Fault => ({
    loc: ['query', name],
    msg: `Value error, ${msg}`,
    type: 'value_error',
  });
  const faults = repeated
    .filter((name) => name === 'client_id' || name === 'redirect_uri')
    .map((name) => fault(name, 'must be there only once'));
  if (request.client_id !== client.id)
    faults.push(fault('client_id', 'there is no such client; see METRICS_CLIENT_ID'));
  if (!client.redirectUris.includes(request.redirect_uri))
    faults.push(fault('redirect_uri', 'not one of METRICS_REDIRECT_URIS, letter by letter'));
  if (faults.length > 0) throw invalid(...faults);
}

function findFault(
  { response_type, code_challenge, code_challenge_method }: AuthorizationRequest,
  repeated: readonly string[],
): Record<string, string> | undefined {
  const refuse = (error_description: string, error = 'invalid_request') => ({ error, error_description });
  if (repeated.length > 0) return refuse(`${repeated.join(', ')} must be there only once`);
  if (!response_type) return refuse('response_type is missing');
  if (response_type !== 'code') return refuse('response_type must be code', 'unsupported_response_type');
  if (!code_challenge && !code_challenge_method) return undefined;
  const fault = faultOfChallenge(code_challenge, code_challenge_method);
  return fault === undefined ? undefined : refuse(fault);
}

/** The request itself, of which only what we understood is repeated, so that the way back leads nowhere else. */
function signInAndReturn(request: AuthorizationRequest): string {
  const next = `${API_PREFIX}${AUTHORIZE_PATH}?${new URLSearchParams(request)}`;
  return `/sign-in?${new URLSearchParams({ next })}`;
}

function findObstacle({ credential, isVerified }: Caller): string | undefined {
  if (credential.kind !== 'session') return 'Sign in with your password; an API token does not do.';
  if (!isVerified) return 'Confirm your email address first, with the link that we mailed to you.';
  return undefined;
}

/** Gives a token for a code. What goes wrong before the code is looked at leaves it as it is. */
export async function exchangeCode(call: Call<unknown, unknown, CodeExchange>): Promise<MetricsTokenGrant> {
  const { services, body, ip } = call;
  const client = registeredClient(services);
  checkClient(client, call.authorization, body);
  const { grant_type, code, redirect_uri, code_verifier } = body;
  if (grant_type && grant_type !== 'authorization_code') throw unsupportedGrantType();
  if (!grant_type || !code || !redirect_uri) throw missingParameter();
  // The refusal comes after the commit: that the code is used up has to last.
  const shown = { code, client_id: client.id, redirect_uri, code_verifier };
  const given = await inTransaction(services.db, (tx) =>
    redeemCode(tx, services, shown, async ({ user_id, is_verified }) =>
      is_verified ? createMetricsToken(tx, user_id, TOKEN_SECONDS) : undefined,
    ),
  );
  if (!given) throw invalidGrant();
  // All of a Grafana's users come from one address, so only what fails counts against its limit.
  services.limits.giveBack('signIn', addressKey(ip));
  return { access_token: given.token, token_type: 'Bearer', expires_in: TOKEN_SECONDS, scope: SCOPE };
}

/** Who somebody is, in the words of OpenID Connect and of Grafana's settings. */
export async function describeUser(db: Db, caller: Caller): Promise<MetricsUser> {
  const teams = [...(await teamsById(db, caller, caller.roles.keys())).values()];
  const groups = teams.map(({ id }) => `${id}/${caller.roles.get(id)}`);
  return {
    sub: caller.userId,
    email: caller.email,
    email_verified: caller.isVerified,
    name: caller.fullName,
    login: caller.email,
    role: caller.isSuperuser ? 'operator' : 'customer',
    groups: caller.isSuperuser ? ['operators', ...groups] : groups,
    teams: teams.map(({ id, name, metrics_org_id }) => ({
      id,
      name,
      role: caller.roles.get(id) as string,
      metrics_org_id,
    })),
  };
}
