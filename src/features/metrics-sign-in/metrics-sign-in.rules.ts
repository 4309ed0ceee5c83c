import type { Caller } from '#core/auth/caller.ts';
import { type Fault, invalid } from '#core/errors.ts';
import { API_PREFIX } from '#core/http/operation.ts';
import { backTo, faultOfChallenge } from '#features/credential/credential.ts';
import type { Client } from './metrics-sign-in.client.ts';
import {
  type AuthorizationRequest,
  type CodeExchange,
  missingParameter,
  unsupportedGrantType,
} from './metrics-sign-in.schema.ts';

/** Rules of the authorization code grant (RFC 6749) that depend on the request and the caller alone. */
export const AUTHORIZE_PATH = '/metrics-auth';

type Decision = { location: string } | { signedIn: Caller };

/**
 * Decides where the browser goes: back to the client with an error, to the sign-in and then here again, or on with a
 * code for the caller. Throws instead of redirecting if the client or its redirect URI is invalid.
 */
export function decideAuthorization(
  { client, issuer }: { client: Client; issuer: string },
  request: AuthorizationRequest,
  repeated: readonly string[],
  caller: Caller | undefined,
): Decision {
  checkDestination(client, request, repeated);
  const { redirect_uri, state } = request;
  const back = (error: Record<string, string>) => ({
    location: backTo(redirect_uri, { ...error, state, iss: issuer }),
  });
  const fault = findFault(request, repeated);
  if (fault) return back(fault);
  if (!caller) return { location: signInAndReturn(request) };
  const obstacle = findObstacle(caller);
  return obstacle ? back({ error: 'access_denied', error_description: obstacle }) : { signedIn: caller };
}

/** Returns the parameters of a token request. Throws the error of RFC 6749 for an invalid one. */
export function readExchange(body: CodeExchange): {
  code: string;
  redirect_uri: string;
  code_verifier: string | undefined;
} {
  const { grant_type, code, redirect_uri, code_verifier } = body;
  if (grant_type && grant_type !== 'authorization_code') throw unsupportedGrantType();
  if (!grant_type || !code || !redirect_uri) throw missingParameter();
  return { code, redirect_uri, code_verifier };
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
