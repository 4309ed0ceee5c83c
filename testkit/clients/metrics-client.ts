import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { metricsClientSecret } from '#features/metrics-sign-in/metrics-sign-in.client.ts';
import type { TestApp } from '../app/test-app.ts';

/** The metrics dashboard's side of a sign-in, by hand, so that each request can be spoiled. */
export interface ClientAnswer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into answers of every shape
  json: any;
}

type Fields = Record<string, string | undefined>;

export const verifierOf = () => randomBytes(96).toString('base64url');
export const challengeOf = (verifier: string) => hash('sha256', verifier, 'base64url');
export const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

export function metricsClient(app: TestApp, redirectUri = 'http://grafana.example/login/generic_oauth') {
  const id = 'grafana';
  const secret = metricsClientSecret(app.services);
  const client = {
    id,
    secret,
    redirectUri,

    /** Asks for a code, in the browser of whoever has this session. */
    async authorize(session: string | undefined, changes: Fields | string = {}): Promise<Response> {
      const defaults = { response_type: 'code', client_id: id, redirect_uri: redirectUri, state: 'a state' };
      const query = typeof changes === 'string' ? changes : form({ ...defaults, ...changes });
      const headers = session ? { cookie: `session=${session}` } : {};
      return fetch(`${app.api}/metrics-auth?${query}`, { redirect: 'manual', headers });
    },

    async codeFor(session: string, changes: Fields = {}): Promise<string> {
      const answer = await client.authorize(session, changes);
      assert.equal(answer.status, 302, await answer.text());
      const code = new URL(answer.headers.get('location') as string).searchParams.get('code');
      assert.ok(code, `no code in ${answer.headers.get('location')}`);
      return code;
    },

    /** Exchanges a code; the secret goes in the body unless the header says otherwise. */
    async exchange(changes: Fields | string, authorization?: string): Promise<ClientAnswer> {
      const secretToo = authorization ? {} : { client_id: id, client_secret: secret };
      const defaults = { grant_type: 'authorization_code', redirect_uri: redirectUri, ...secretToo };
      const response = await fetch(`${app.api}/metrics-token`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...(authorization && { authorization }) },
        body: typeof changes === 'string' ? changes : form({ ...defaults, ...changes }),
      });
      return { status: response.status, headers: response.headers, json: await response.json() };
    },

    async tokenFor(session: string): Promise<string> {
      const { status, json } = await client.exchange({ code: await client.codeFor(session) });
      assert.equal(status, 200, JSON.stringify(json));
      return json.access_token;
    },

    async user(token: string): Promise<ClientAnswer> {
      const response = await fetch(`${app.api}/metrics-api`, { headers: { authorization: `Bearer ${token}` } });
      return { status: response.status, headers: response.headers, json: await response.json() };
    },
  };
  return client;
}

function form(fields: Fields): string {
  const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(given).toString();
}
