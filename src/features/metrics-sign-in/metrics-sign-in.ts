import type { Caller } from '#core/auth/caller.ts';
import { type Db, inTransaction } from '#core/db/database.ts';
import type { Call } from '#core/http/operation.ts';
import { addressKey } from '#core/http/rate-limits.ts';
import type { Services } from '#core/services.ts';
import { backTo, createMetricsToken, issueCode, redeemCode } from '#features/credential/credential.ts';
import { teamsById } from '#features/team/team.ts';
import { checkClient, registeredClient } from './metrics-sign-in.client.ts';
import { decideAuthorization, readExchange } from './metrics-sign-in.rules.ts';
import {
  type AuthorizationRequest,
  type CodeExchange,
  invalidGrant,
  type MetricsTokenGrant,
  type MetricsUser,
} from './metrics-sign-in.schema.ts';

/**
 * The platform as an OAuth2 provider for one client of its own, the operator's Grafana (RFC 6749 as RFC 9700 wants it used):
 * authorization codes alone, with PKCE where the client uses it, and no consent, since both ends are the operator's.
 */
export const SCOPE = 'userinfo';
/** RFC 8414: its own name as an issuer, since the platform's is that of the sign-in of other programs. */
export const ISSUER_PATH = '/metrics-auth';
const TOKEN_SECONDS = 3600;

/** Carries out what the rules decide: sends the browser somewhere, with a code where the person may sign in. */
export async function authorize(
  services: Services,
  request: AuthorizationRequest,
  repeated: readonly string[],
  caller: Caller | undefined,
): Promise<string> {
  const client = registeredClient(services);
  const issuer = `${services.config.baseUrl}${ISSUER_PATH}`;
  const decision = decideAuthorization({ client, issuer }, request, repeated, caller);
  if ('location' in decision) return decision.location;
  const { userId, credential } = decision.signedIn;
  const code = await issueCode(services.db, {
    session_id: credential.id,
    user_id: userId,
    client_id: client.id,
    redirect_uri: request.redirect_uri,
    code_challenge: request.code_challenge || null,
  });
  return backTo(request.redirect_uri, { code, state: request.state, iss: issuer });
}

/** Gives a token for a code. What goes wrong before the code is looked at leaves it as it is. */
export async function exchangeCode(call: Call<unknown, unknown, CodeExchange>): Promise<MetricsTokenGrant> {
  const { services, body, ip } = call;
  const client = registeredClient(services);
  checkClient(client, call.authorization, body);
  // The refusal comes after the commit: that the code is used up has to last.
  const shown = { ...readExchange(body), client_id: client.id };
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
