import { randomBytes } from 'node:crypto';
import { CMS, newFqdn } from '#testkit/app/sites.ts';
import { type Answer, type RequestOptions, request } from './world.ts';

/**
 * Every field of the service that takes or gives out a secret, with what is done to it, failures included. Whoever adds
 * such a field adds a plant: it returns the secrets that nobody may find in plain text afterwards.
 */
export interface Ground {
  api: string;
  teamId: string;
  token: string;
  email: string;
  password: string;
  /** A host elsewhere that repeats whatever it is told, and its errors; and one that nobody answers at. */
  echo: string;
  dead: string;
  /** The text of a mail that the service sent. */
  mailTo(address: string, containing: string): Promise<string>;
  /** Sends a request and keeps the answer for the search, unless it is where the secret is shown on purpose. */
  send(method: string, path: string, options?: RequestOptions & { shows?: true }): Promise<Answer>;
}

export interface Plant {
  name: string;
  plant(ground: Ground): Promise<string[]>;
}

/** Long enough that it stands nowhere by chance. */
export const newSecret = () => `planted-${randomBytes(18).toString('hex')}`;

const newHost = () => `${randomBytes(6).toString('hex')}.example.com`;
const KEYED = () => ({ 'idempotency-key': randomBytes(8).toString('hex') });

export const PLANTS: Plant[] = [
  {
    name: 'the password of an account, right and wrong, new and old',
    async plant({ send }) {
      const [first, second, wrong] = [newSecret(), newSecret(), newSecret()];
      const email = `${randomBytes(6).toString('hex')}@example.com`;
      const person = { email, first_name: 'Ada', last_name: 'Lovelace' };
      await send('POST', '/register', { body: { ...person, password: first }, headers: KEYED() });
      await send('POST', '/register', { body: { ...person, password: first } });
      await send('POST', '/register', { body: { ...person, email: 'x', password: [wrong] } });
      const signIn = await send('POST', '/token', { body: { username: email, password: first }, shows: true });
      for (const body of [
        { username: email, password: wrong },
        { username: wrong, password: wrong },
        `{"password":"${wrong}"`,
      ])
        await send('POST', '/token', { body });
      const token: string = signIn.json.access_token;
      const change = { current_password: first, new_password: second };
      await send('PATCH', '/me', { token, body: { ...change, current_password: wrong } });
      await send('PATCH', '/me', { token, body: change });
      await send('POST', '/password_reset', { body: { token: wrong, password: wrong } });
      await send('POST', '/verify_email', { body: { token: wrong } });
      return [first, second, wrong, token];
    },
  },
  {
    name: 'tokens, made up and real',
    async plant({ send, token }) {
      const wrong = newSecret();
      for (const headers of [{ authorization: `Bearer ${wrong}` }, { cookie: `session=${wrong}` }])
        await send('GET', '/me', { headers });
      const cookie = `device=${wrong}; session=${wrong}; session=${wrong}`;
      await send('GET', '/me', { headers: { cookie } });
      await send('POST', '/token', { headers: { cookie }, body: { username: 'x', password: 'y' } });
      await send('GET', `/event?token=${wrong}`, { token });
      const keyed = { token, body: { name: 'ci', scopes: ['read'] }, headers: KEYED(), shows: true } as const;
      const made = await send('POST', '/api_token', keyed);
      const replayed = await send('POST', '/api_token', keyed);
      if (replayed.json.token !== made.json.token) throw new Error('the answer was not kept');
      await send('GET', '/api_token', { token });
      return [wrong, made.json.token, token];
    },
  },
  {
    name: 'sessions that a mailed link gives, and that signing out ends, each answered twice under one key',
    async plant({ send, mailTo }) {
      const email = `${randomBytes(6).toString('hex')}@example.com`;
      const [first, second] = [newSecret(), newSecret()];
      await send('POST', '/register', { body: { email, password: first, first_name: 'Ada', last_name: 'Lovelace' } });
      const twice = async (path: string, body: unknown, more: Record<string, string> = {}) => {
        const keyed = { body, headers: { ...KEYED(), ...more }, shows: true } as const;
        const [once, again] = [await send('POST', path, keyed), await send('POST', path, keyed)];
        if (once.status !== 200 || once.text !== again.text) throw new Error(`${once.text} ${again.text}`);
        if (again.headers.get('idempotent-replayed') !== 'true') throw new Error(`${path} was not kept`);
        return once.json.access_token as string;
      };
      const tokenIn = (mail: string) => /token=([\w-]+)/.exec(mail)?.[1] as string;
      const verified = await twice('/verify_email', { token: tokenIn(await mailTo(email, '/verify')) });
      await twice('/password_reset', { email });
      // The mail to confirm the address has a link to /reset too, and is there before this one.
      const link = tokenIn(await mailTo(email, 'asked to set a new password'));
      const reset = await twice('/password_reset', { token: link, password: second });
      await twice('/logout', {}, { cookie: `session=${reset}` });
      return [first, second, verified, reset];
    },
  },
  {
    name: "the password of a site's first administrator, and the passwords that its owner is shown",
    async plant({ send, token, teamId }) {
      const [password, refused] = [newSecret(), newSecret()];
      const fqdn = newFqdn();
      const body = { ...CMS, cms_blog_name: VISIBLE.site, fqdn, team_id: teamId };
      const headers = { prefer: 'wait=60' };
      await send('POST', '/site', { token, body: { ...body, fqdn: 'x', cms_password: refused } });
      await send('POST', '/site', {
        token,
        body: { ...body, cms_password: refused.repeat(1000) },
      });
      await send('POST', '/site', { token, body: { ...body, cms_password: password }, headers, shows: true });
      await send('POST', '/site', { token, body: { ...body, cms_password: password } });
      const site = await send('GET', `/site/${fqdn}`, { token, shows: true });
      if (site.status !== 200) throw new Error(site.text);
      const { http_auth_password, code_server_password } = site.json;
      await send('PATCH', `/site/${fqdn}`, { token, body: { http_auth_enabled: true }, shows: true });
      const login = await send('POST', `/site/${fqdn}/login`, { token, headers: KEYED(), shows: true });
      return [
        password,
        refused,
        http_auth_password,
        code_server_password,
        new URL(login.json.url).searchParams.get('siteyard_login') as string,
      ];
    },
  },
  {
    name: 'an application password: stored, changed, used against what fails and what repeats it',
    async plant({ send, token, teamId, echo, dead }) {
      const [first, second, wrong] = [newSecret(), newSecret(), newSecret()];
      const body = { fqdn: echo, username: 'ada', password: first, team_id: teamId };
      const keyed = { token, body, headers: KEYED() };
      await send('POST', '/application_password', keyed);
      await send('POST', '/application_password', keyed);
      await send('POST', '/application_password', { token, body });
      for (const bad of [{ fqdn: 'x' }, { username: `a:${wrong}` }, { password: { a: wrong } }, { team_id: wrong }])
        await send('POST', '/application_password', {
          token,
          body: { ...body, fqdn: newHost(), password: wrong, ...bad },
        });
      await send('POST', '/application_password', { token, body: { ...body, fqdn: dead } });
      await send('GET', `/team/${teamId}/application_password`, { token });
      const callBoth = async () => {
        for (const path of ['/wp-json/echo', '/wp-json/fail', '/wp-json/text', '/wp-json/bytes'])
          await send('POST', '/cms-proxy', { token, body: { fqdn: echo, path }, headers: KEYED() });
        await send('POST', '/cms-proxy', { token, body: { fqdn: dead } });
        const call = '<methodCall><string>{{username}} {{password}}</string></methodCall>';
        for (const fqdn of [echo, dead])
          await send('POST', `/xmlrpc/${fqdn}`, { token, body: call, headers: { 'content-type': 'text/xml' } });
      };
      await callBoth();
      await send('PUT', `/application_password/${echo}`, { token, body: { password: second } });
      await send('PUT', `/application_password/${echo}`, { token, body: { password: 7, username: wrong } });
      await callBoth();
      const deleted = await send('DELETE', `/application_password/${echo}`, { token, shows: true });
      if (deleted.json.password !== second) throw new Error(deleted.text);
      const basic = (password: string) => Buffer.from(`ada:${password}`).toString('base64');
      return [first, second, wrong, basic(first), basic(second)];
    },
  },
  {
    name: 'the access token of a storefront',
    async plant({ send, token, teamId, echo }) {
      const secret = newSecret();
      const fqdn = `acme.shops.example.com:${echo.split(':')[1]}`;
      await send('POST', '/application_password', {
        token,
        body: { fqdn, username: 'x', password: secret, team_id: teamId },
      });
      for (const path of ['/admin/api/echo', '/admin/api/fail'])
        await send('POST', '/storefront-proxy', { token, body: { shop_name: 'acme', path } });
      return [secret];
    },
  },
  {
    name: 'what a webhook signs with, before and after a rotation',
    async plant({ send, token, teamId, echo }) {
      const path = `/team/${teamId}/webhook`;
      const made = await send('POST', path, {
        token,
        body: { url: `http://${echo}/fail` },
        headers: KEYED(),
        shows: true,
      });
      if (made.status !== 200) throw new Error(made.text);
      const { id, secret } = made.json;
      await send('POST', `${path}/${id}/test`, { token });
      const rotated = await send('POST', `${path}/${id}/rotate_secret`, { token, body: {}, shows: true });
      await send('POST', `${path}/${id}/test`, { token });
      for (const view of [path, `${path}/${id}`, `${path}/${id}/delivery`]) await send('GET', view, { token });
      return [secret, rotated.json.secret].flatMap((each: string) => [each, each.replace('whsec_', '')]);
    },
  },
  {
    name: 'the token of a Git account, and one in the URL of a repository',
    async plant({ send, token, dead }) {
      const [first, second] = [newSecret(), newSecret()];
      const body = { provider: 'gitea', base_url: `https://${dead}`, token: first };
      for (const bad of [
        {},
        { base_url: 'x' },
        { provider: 'x' },
        { token: [first] },
        { base_url: `https://x:${first}@${dead}` },
      ])
        await send('POST', '/git_account', { token, body: { ...body, ...bad }, headers: KEYED() });
      const url = encodeURIComponent(`https://ada:${second}@${dead}/site.git`);
      await send('GET', `/verify_git_sync_directories?git_url=${url}`, { token });
      const key = await send('POST', '/git_account', { token, body: { provider: 'ssh', base_url: `ssh://${dead}` } });
      if (key.status !== 200) throw new Error(key.text);
      await send('GET', `/verify_git_sync_directories?git_url=${encodeURIComponent(`ssh://git@${dead}/site.git`)}`, {
        token,
      });
      return [first, second, 'BEGIN OPENSSH PRIVATE KEY'];
    },
  },
  {
    name: 'codes and secrets at the sign-in to the metrics dashboard',
    async plant({ send }) {
      const [code, secret] = [newSecret(), newSecret()];
      const body = {
        grant_type: 'authorization_code',
        code,
        redirect_uri: 'x',
        client_id: 'grafana',
        client_secret: secret,
      };
      await send('POST', '/metrics-token', { body });
      await send('POST', '/metrics-token', {
        body: new URLSearchParams(body).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      await send('GET', '/metrics-api', { token: secret });
      return [code, secret];
    },
  },
  {
    name: 'what pays: a checkout that the provider fails, an event that nobody signed',
    async plant({ send, token }) {
      const signature = newSecret();
      await send('POST', '/create_checkout_session', { token, body: { new_team_name: 'New', plan_name: 'micro' } });
      await send('POST', '/create_portal_session', { token });
      await send('POST', '/payment_webhook', {
        body: { id: 'evt_1' },
        headers: { 'stripe-signature': `t=1,v1=${signature}` },
      });
      return [signature];
    },
  },
];

/** What is no secret, and has to be found: otherwise the search would find nothing because it can not. */
export const VISIBLE = { site: newSecret(), ticket: newSecret() };

export async function plantVisible({ send, token, teamId }: Ground): Promise<void> {
  const ticket = { subject: 'A question', description: VISIBLE.ticket, team_id: teamId };
  await send('POST', '/support/ticket', { token, body: ticket });
  await send('GET', `/site/${VISIBLE.ticket}.example.com`, { token });
}

export const sender = (api: string, keep: (answer: string) => void): Ground['send'] => {
  return async (method, path, { shows, ...options } = {}) => {
    const answer = await request({ api }, method, path, options);
    if (!shows)
      keep(`${method} ${path.split('?')[0]} ${answer.status} ${JSON.stringify([...answer.headers])} ${answer.text}`);
    return answer;
  };
};

/** A secret as somebody could have written it down: plain, in base64 wherever it begins, in hex, in a URL or in JSON. */
export function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].flatMap((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    // The edges depend on what stands beside it.
    const middle = text.slice(shift === 0 ? 0 : 4, -4);
    return [middle, middle.replaceAll('+', '-').replaceAll('/', '_')];
  });
  const hex = bytes.toString('hex');
  return [
    ...new Set([
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      hex,
      hex.toUpperCase(),
      ...base64,
    ]),
  ];
}
