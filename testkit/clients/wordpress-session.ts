import assert from 'node:assert/strict';
import { CMS } from '../app/sites.ts';
import type { TestApp } from '../app/test-app.ts';
import { type Visited, visit } from './visit.ts';

export interface Session {
  ask(path: string, request?: { method?: string; headers?: Record<string, string>; body?: string }): Promise<Visited>;
  /** Sends a form as a browser would. */
  send(path: string, fields: Record<string, string>): Promise<Visited>;
}

/** Somebody with cookies at a site, as a browser keeps them, without a browser. */
export function openSession(app: Pick<TestApp, 'url'>, fqdn: string): Session {
  const cookies = new Map<string, string>();
  const session: Session = {
    async ask(path, { method, headers, body } = {}) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await visit(app, fqdn, path, {
        ...(method && { method }),
        ...(body !== undefined && { body }),
        headers: { ...(cookie && { cookie }), ...headers },
      });
      for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      return answer;
    },
    send: (path, fields) =>
      session.ask(path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(fields).toString(),
      }),
  };
  return session;
}

/** The first administrator, signed in by the form. */
export async function signInToSite(app: Pick<TestApp, 'url'>, fqdn: string): Promise<Session> {
  const session = openSession(app, fqdn);
  await session.ask('/wp-login.php');
  const answer = await session.send('/wp-login.php', { log: CMS.cms_username, pwd: CMS.cms_password });
  assert.equal(answer.status, 302, answer.text);
  return session;
}
