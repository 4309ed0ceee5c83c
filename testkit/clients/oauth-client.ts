import { hash, randomBytes } from 'node:crypto';
import type { Person } from '../app/people.ts';
import type { TestApp } from '../app/test-app.ts';
import { consent } from './mcp-client.ts';

export interface OAuthAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into answers of every shape
  json: any;
}

/** A program's side of OAuth by hand, so that each request can be spoiled. */
export async function registerProgram(app: TestApp, redirectUri = 'https://program.example/callback') {
  const { status, json } = await post(`${app.api}/oauth/register`, {
    client_name: 'Spoiler',
    redirect_uris: [redirectUri],
  });
  if (status !== 201) throw new Error(JSON.stringify(json));
  const verifier = randomBytes(48).toString('base64url');
  const program = {
    id: json.client_id as string,
    redirectUri,
    verifier,
    /** What it leads somebody to us with. */
    ask(changes: Record<string, string> = {}): URL {
      const request = {
        client_id: program.id,
        redirect_uri: redirectUri,
        response_type: 'code',
        state: 'a state',
        code_challenge: hash('sha256', verifier, 'base64url'),
        code_challenge_method: 'S256',
        resource: `${app.url}/mcp`,
      };
      return new URL(`${app.url}/authorize?${new URLSearchParams({ ...request, ...changes })}`);
    },
    async codeOf(person: Person, access: 'read' | 'plan' | 'write' = 'read', team_id?: string): Promise<string> {
      const back = await consent(person, program.ask(), { access, ...(team_id && { team_id }) });
      return back.searchParams.get('code') as string;
    },
    exchange(changes: Record<string, string | undefined>): Promise<OAuthAnswer> {
      const request = {
        grant_type: 'authorization_code',
        client_id: program.id,
        redirect_uri: redirectUri,
        code_verifier: verifier,
        resource: `${app.url}/mcp`,
      };
      const fields = Object.entries({ ...request, ...changes }).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      );
      return post(`${app.api}/oauth/token`, new URLSearchParams(fields));
    },
    async tokensOf(person: Person, access?: 'read' | 'plan' | 'write', team?: string): Promise<Record<string, string>> {
      const { status: got, json: tokens } = await program.exchange({
        code: await program.codeOf(person, access, team),
      });
      if (got !== 200) throw new Error(JSON.stringify(tokens));
      return tokens;
    },
    refresh: (refresh_token: string, changes: Record<string, string> = {}) =>
      program.exchange({ grant_type: 'refresh_token', refresh_token, ...changes }),
  };
  return program;
}

export async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<OAuthAnswer> {
  const isForm = body instanceof URLSearchParams;
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...(!isForm && { 'content-type': 'application/json' }), ...headers },
    body: isForm ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, json: text.startsWith('{') ? JSON.parse(text) : text };
}
