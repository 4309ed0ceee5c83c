import assert from 'node:assert/strict';
import {
  Client,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import type { Person } from '../app/people.ts';
import type { TestApp } from '../app/test-app.ts';

const REDIRECT = 'http://127.0.0.1:3118/callback';
type Access = 'read' | 'plan' | 'write';

/** Somebody's program, as far as OAuth knows it. It keeps what it is given, and waits where a person has to decide. */
class Program implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = { client_name: 'A test program', redirect_uris: [REDIRECT] };
  asked: URL | undefined;
  given: OAuthTokens | undefined;
  #client: { client_id: string } | undefined;
  #verifier = '';

  state = () => 'a state';
  clientInformation = () => this.#client as never;
  saveClientInformation = (client: { client_id: string }) => {
    this.#client = client;
  };
  tokens = () => this.given as never;
  saveTokens = (tokens: OAuthTokens) => {
    this.given = tokens;
  };
  redirectToAuthorization = (url: URL) => {
    this.asked = url;
  };
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier;
  };
  codeVerifier = () => this.#verifier;
}

/** What the consent page does when its button is clicked. Returns where the browser goes. */
export async function consent(
  person: Person,
  asked: URL,
  choice: { decision?: 'allow' | 'deny'; access?: Access; team_id?: string },
): Promise<URL> {
  const request = Object.fromEntries(asked.searchParams) as never as { client_id: string; redirect_uri: string };
  const body = { ...request, decision: 'allow' as const, ...choice };
  return new URL((await person.api.decideAuthorization({ body })).location);
}

/** A real client, signed in by OAuth from nothing: 401, metadata, registration, consent, tokens. */
export async function connectByOAuth(app: TestApp, person: Person, access: Access, teamId?: string) {
  const program = new Program();
  const address = new URL(`${app.url}/mcp`);
  const first = new StreamableHTTPClientTransport(address, { authProvider: program });
  await assert.rejects(newClient().connect(first), UnauthorizedError);
  assert.ok(program.asked);
  const back = await consent(person, program.asked, { access, ...(teamId && { team_id: teamId }) });
  await first.finishAuth(back.searchParams);
  const client = newClient();
  await client.connect(new StreamableHTTPClientTransport(address, { authProvider: program }));
  return { client, program };
}

export async function connectByToken(app: TestApp, token: string): Promise<Client> {
  const client = newClient();
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), { requestInit }));
  return client;
}

const newClient = () => new Client({ name: 'test', version: '1.0.0' });
