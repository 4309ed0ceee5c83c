import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { letIn, type Person, registerPerson, signInAs } from '#testkit/app/people.ts';
import { OPERATOR, startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { basic, type ClientAnswer, challengeOf, metricsClient, verifierOf } from '#testkit/clients/metrics-client.ts';

const REDIRECT = 'https://grafana.example/metrics/login/generic_oauth';
const WITH_QUERY = 'https://grafana.example/login?via=siteyard';

let app: TestApp;
let client: ReturnType<typeof metricsClient>;
let ada: Person;

before(async () => {
  app = await startTestApp({ env: { METRICS_REDIRECT_URIS: `${REDIRECT} ${WITH_QUERY}` } });
  client = metricsClient(app, REDIRECT);
  ada = await registerPerson(app, 'Ada');
});
after(async () => {
  await app?.close();
});

async function setUser(person: Person, change: { is_verified?: boolean; is_active?: boolean }): Promise<void> {
  await app.services.db.updateTable('users').set(change).where('id', '=', person.userId).execute();
  // The database announces it too, a moment later.
  app.services.credentials.forget(person.userId);
}

function assertRefused(answer: ClientAnswer, status: number, error: string): void {
  assert.equal(answer.status, status, JSON.stringify(answer.json));
  assert.equal(answer.json.error, error);
  assert.equal(typeof answer.json.error_description, 'string');
  assert.equal(answer.json.access_token, undefined);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
}

suite('Grafana signs a person in with the requests that it really sends', () => {
  /** As Go's url.Values writes them: sorted, with a plus for a blank. */
  const sorted = (fields: Record<string, string>) => {
    const query = new URLSearchParams(fields);
    query.sort();
    return query.toString();
  };
  // base64.URLEncoding, with padding.
  const newState = () => randomBytes(32).toString('base64').replaceAll('+', '-').replaceAll('/', '_');

  for (const usesPkce of [true, false]) {
    test(usesPkce ? 'with use_pkce' : 'without use_pkce', async () => {
      const state = newState();
      const verifier = verifierOf();
      const pkce = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' };
      const request = { client_id: client.id, redirect_uri: REDIRECT, response_type: 'code', scope: 'userinfo', state };
      const answer = await client.authorize(ada.token, sorted({ ...request, ...(usesPkce && pkce) }));
      assert.equal(answer.status, 302);
      assert.equal(answer.headers.get('referrer-policy'), 'no-referrer');
      const back = new URL(answer.headers.get('location') as string);
      assert.equal(back.origin + back.pathname, REDIRECT);
      assert.equal(back.searchParams.get('state'), state);
      assert.equal(back.searchParams.get('iss'), `${app.url}/metrics-auth`);

      const exchange = {
        code: back.searchParams.get('code') as string,
        grant_type: 'authorization_code',
        redirect_uri: REDIRECT,
        ...(usesPkce && { code_verifier: verifier }),
      };
      const escaped = basic(encodeURIComponent(client.id), encodeURIComponent(client.secret));
      const token = await client.exchange(sorted(exchange), escaped);
      assert.equal(token.status, 200, JSON.stringify(token.json));
      assert.equal(token.headers.get('cache-control'), 'no-store');
      assert.match(token.headers.get('content-type') as string, /^application\/json/);
      assert.equal(token.json.token_type, 'Bearer');
      assert.equal(token.json.expires_in, 3600);

      const user = await client.user(token.json.access_token);
      assert.equal(user.status, 200);
      assert.deepEqual(user.json, {
        sub: ada.userId,
        email: ada.email,
        email_verified: true,
        name: 'Ada Tester',
        login: ada.email,
        role: 'customer',
        groups: [`${ada.teamId}/owner`],
        teams: [{ id: ada.teamId, name: user.json.teams[0].name, role: 'owner', metrics_org_id: await orgOf(ada) }],
      });
    });
  }

  test('when its first try, with the secret in the header, fails and it sends the same code again with the secret in the body', async () => {
    const code = await client.codeFor(ada.token);
    const first = await client.exchange({ code }, basic(client.id, 'what a proxy made of it'));
    assertRefused(first, 401, 'invalid_client');
    assert.match(first.headers.get('www-authenticate') as string, /^Basic realm=/);
    const second = await client.exchange({ code });
    assert.equal(second.status, 200, JSON.stringify(second.json));
  });

  test('and learns of every team and role, and who is an operator', async () => {
    const grace = await registerPerson(app, 'Grace');
    await letIn(ada, grace, 'viewer');
    const { json } = await client.user(await client.tokenFor(grace.token));
    assert.deepEqual(json.groups.toSorted(), [`${ada.teamId}/viewer`, `${grace.teamId}/owner`].toSorted());
    assert.equal(json.role, 'customer');
    const operator = await signInAs(app, OPERATOR.email, OPERATOR.password);
    const { json: described } = await client.user(await client.tokenFor(operator.token));
    assert.equal(described.role, 'operator');
    assert.ok(described.groups.includes('operators'));
  });
});

async function orgOf({ teamId }: Person): Promise<number> {
  const row = app.services.db.selectFrom('teams').select('metrics_org_id').where('id', '=', teamId);
  return (await row.executeTakeFirstOrThrow()).metrics_org_id;
}

suite('a wrong client or way back gets an answer and no redirect', () => {
  const wrong: Record<string, Record<string, string | undefined> | string> = {
    'no client': { client_id: undefined },
    'no way back': { redirect_uri: undefined },
    'another host': { redirect_uri: REDIRECT.replace('grafana.example', 'evil.example') },
    'two ways back': `response_type=code&client_id=grafana&redirect_uri=https://evil.example&redirect_uri=${REDIRECT}`,
  };
  for (const [what, changes] of Object.entries(wrong)) {
    test(what, async () => {
      const answer = await client.authorize(ada.token, changes);
      assert.equal(answer.status, 422);
      assert.equal(answer.headers.get('location'), null);
      const { detail } = (await answer.json()) as { detail: { loc: string[] }[] };
      assert.match(detail[0]?.loc.join('.') ?? '', /^query\.(client_id|redirect_uri)$/);
    });
  }

  test('a registered way back may have a query of its own', async () => {
    const answer = await client.authorize(ada.token, { redirect_uri: WITH_QUERY });
    assert.match(answer.headers.get('location') as string, /^https:\/\/grafana\.example\/login\?via=siteyard&code=sy_/);
  });
});

test('every other fault of the request is told to the client, whether somebody is signed in or not', async () => {
  const twoScopes = `response_type=code&client_id=grafana&state=a+state&scope=a&scope=b&redirect_uri=${encodeURIComponent(REDIRECT)}`;
  for (const session of [ada.token, undefined]) {
    const answer = await client.authorize(session, twoScopes);
    assert.equal(answer.status, 302);
    const back = new URL(answer.headers.get('location') as string);
    assert.equal(back.origin + back.pathname, REDIRECT);
    const { code, ...told } = Object.fromEntries(back.searchParams);
    assert.equal(code, undefined);
    assert.ok(told.error_description);
    assert.deepEqual(told, { ...told, error: 'invalid_request', state: 'a state', iss: `${app.url}/metrics-auth` });
  }
});

suite('only who signed in with a password and confirmed the address gets a code', () => {
  const errorOf = (answer: Response) =>
    new URL(answer.headers.get('location') as string, app.url).searchParams.get('error');

  test('who is not signed in is led to the sign-in and from there to this very request', async () => {
    for (const session of [undefined, 'sy_of_nobody']) {
      const answer = await client.authorize(session, { state: 'a&b=c', nonsense: 'https://evil.example' });
      const location = new URL(answer.headers.get('location') as string, app.url);
      assert.equal(location.origin + location.pathname, `${app.url}/sign-in`);
      const next = new URL(location.searchParams.get('next') as string, app.url);
      assert.equal(next.origin + next.pathname, `${app.api}/metrics-auth`);
      assert.deepEqual(Object.fromEntries(next.searchParams), {
        client_id: client.id,
        redirect_uri: REDIRECT,
        response_type: 'code',
        state: 'a&b=c',
      });
    }
  });

  test('an unconfirmed address is access_denied, with what to do about it', async () => {
    const answer = await client.authorize((await registerPerson(app, 'Unconfirmed', { verified: false })).token);
    assert.equal(errorOf(answer), 'access_denied');
    assert.match(answer.headers.get('location') as string, /Confirm\+your\+email\+address/);
  });

  test('whoever was deactivated is asked to sign in', async () => {
    const person = await registerPerson(app, 'Gone');
    await setUser(person, { is_active: false });
    assert.match((await client.authorize(person.token)).headers.get('location') as string, /^\/sign-in\?/);
  });
});

suite('a code is worth nothing', () => {
  test('a second time, and then neither is the token it was exchanged for', async () => {
    const code = await client.codeFor(ada.token);
    const { json } = await client.exchange({ code });
    assert.equal((await client.user(json.access_token)).status, 200);
    assertRefused(await client.exchange({ code }), 400, 'invalid_grant');
    assert.equal((await client.user(json.access_token)).status, 401);
  });

  test('to two who come at once: at most one gets a token, and it is over', async () => {
    const code = await client.codeFor(ada.token);
    const answers = await Promise.all([1, 2, 3, 4].map(() => client.exchange({ code })));
    const tokens = answers.filter(({ status }) => status === 200).map(({ json }) => json.access_token);
    assert.equal(tokens.length, 1);
    assert.equal((await client.user(tokens[0])).status, 401);
  });

  test('after a minute', async () => {
    const code = await client.codeFor(ada.token);
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from max(expires_at) - now())::float as seconds from authorization_codes`.execute(
      app.services.db,
    );
    assert.ok((rows[0]?.seconds ?? 0) > 50 && (rows[0]?.seconds ?? 0) <= 60);
    await sql`update authorization_codes set expires_at = now() - interval '1 second' where used_at is null`.execute(
      app.services.db,
    );
    assertRefused(await client.exchange({ code }), 400, 'invalid_grant');
  });

  test('with a wrong verifier, not even when it is shown rightly afterwards', async () => {
    const verifier = verifierOf();
    const pkce = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' };
    const code = await client.codeFor(ada.token, pkce);
    assertRefused(await client.exchange({ code, code_verifier: verifierOf() }), 400, 'invalid_grant');
    assertRefused(await client.exchange({ code, code_verifier: verifier }), 400, 'invalid_grant');
  });

  test('that nobody issued', async () => {
    assertRefused(await client.exchange({ code: `sy_${randomBytes(32).toString('base64url')}` }), 400, 'invalid_grant');
  });

  test('once its owner signed out, was deactivated or lost the confirmation', async () => {
    const person = await registerPerson(app, 'Leaver');
    const { token } = await signInAs(app, person.email);
    const ofSession = await client.codeFor(token);
    await fetch(`${app.api}/logout`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
    assertRefused(await client.exchange({ code: ofSession }), 400, 'invalid_grant');
    for (const change of [{ is_verified: false }, { is_active: false }]) {
      await setUser(person, { is_verified: true, is_active: true });
      const code = await client.codeFor(person.token);
      await setUser(person, change);
      assertRefused(await client.exchange({ code }), 400, 'invalid_grant');
    }
  });

  test('and neither code nor token is stored anywhere but as a hash', async () => {
    const code = await client.codeFor(ada.token);
    const { json } = await client.exchange({ code });
    const { rows } = await sql<{ text: string }>`
      select string_agg(c::text, ' ') as text from authorization_codes c union all select string_agg(c::text, ' ') from credentials c`.execute(
      app.services.db,
    );
    for (const secret of [code, json.access_token])
      for (const { text } of rows) {
        assert.ok(!text.includes(secret));
        assert.ok(!text.includes(Buffer.from(secret).toString('hex')));
      }
  });
});

suite('the token step', () => {
  test('takes JSON as well as a form', async () => {
    const fields = { grant_type: 'authorization_code', redirect_uri: REDIRECT, code: await client.codeFor(ada.token) };
    const response = await fetch(`${app.api}/metrics-token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: basic(client.id, client.secret) },
      body: JSON.stringify(fields),
    });
    assert.equal(response.status, 200);
  });

  const body = `grant_type=authorization_code&redirect_uri=${encodeURIComponent(REDIRECT)}`;
  test('refuses a wrong secret and leaves the code as it was', async () => {
    const code = await client.codeFor(ada.token);
    const refused = await client.exchange({ code, client_secret: 'wrong' });
    assertRefused(refused, 401, 'invalid_client');
    assert.equal(refused.headers.get('www-authenticate'), 'Bearer');
    assert.equal((await client.exchange({ code })).status, 200);
  });

  test('refuses what is no request for a token, and leaves the code as it was', async () => {
    const code = await client.codeFor(ada.token);
    const proof = basic(client.id, client.secret);
    assertRefused(await client.exchange({ code, grant_type: 'refresh_token' }), 400, 'unsupported_grant_type');
    assertRefused(await client.exchange(`${body}&code=${code}&code=other`, proof), 422, 'invalid_request');
    assertRefused(await client.exchange(`${body}&code=other&code=${code}`, proof), 422, 'invalid_request');
    assert.equal((await client.exchange({ code })).status, 200);
  });
});

suite('who somebody is', () => {
  test('is told to a bearer token and never to the cookie', async () => {
    const token = await client.tokenFor(ada.token);
    for (const cookie of [token, ada.token]) {
      const response = await fetch(`${app.api}/metrics-api`, { headers: { cookie: `session=${cookie}` } });
      assert.equal(response.status, 401);
    }
    for (const bearer of [token, ada.token]) assert.equal((await client.user(bearer)).json.sub, ada.userId);
  });

  test('is told for an hour', async () => {
    const token = await client.tokenFor(ada.token);
    await sql`update credentials set expires_at = expires_at - interval '1 hour' where kind = 'metrics'`.execute(
      app.services.db,
    );
    app.services.credentials.forget(ada.userId);
    assert.equal((await client.user(token)).status, 401);
  });

  test('is no longer told after a new password, a deactivation or the end of the token', async () => {
    const ends: ((person: Person, token: string) => Promise<unknown>)[] = [
      ({ api }) =>
        api.updateMe({ body: { new_password: 'another long password', current_password: 'a long enough password' } }),
      (person) => setUser(person, { is_active: false }),
      (_person, token) => fetch(`${app.api}/logout`, { method: 'POST', headers: { authorization: `Bearer ${token}` } }),
    ];
    for (const end of ends) {
      const person = await registerPerson(app, 'Ending');
      const token = await client.tokenFor(person.token);
      assert.equal((await client.user(token)).status, 200);
      await end(person, token);
      assert.equal((await client.user(token)).status, 401);
    }
  });
});

suite('set-up', () => {
  test('without METRICS_URL and METRICS_REDIRECT_URIS nobody can sign in, and is told why', async () => {
    const bare = await startTestApp({ env: { METRICS_URL: '' } });
    try {
      const unconfigured = metricsClient(bare);
      const answers = [
        await unconfigured.authorize(undefined),
        await fetch(`${bare.url}/.well-known/oauth-authorization-server/metrics-auth`),
        // Whatever the client sends: none of it is what is wrong.
        await unconfigured.authorize(undefined, 'client_id=grafana'),
        await unconfigured.authorize(undefined, `client_id=${'x'.repeat(3000)}`),
      ];
      for (const answer of answers) {
        assert.equal(answer.status, 503);
        assert.equal(((await answer.json()) as { code: string }).code, 'metrics.not_configured');
      }
      for (const fields of [{ code: 'x' }, 'code=x&code=y', '', `code=${'x'.repeat(3000)}`]) {
        const answer = await unconfigured.exchange(fields);
        assert.equal(answer.json.code, 'metrics.not_configured');
        assertRefused(answer, 503, 'temporarily_unavailable');
      }
    } finally {
      await bare.close();
    }
  });

  test('tries that fail are limited by address, and those that succeed are not counted', async () => {
    const limited = await startTestApp({ env: { RATE_LIMIT_FACTOR: '0.25' } });
    try {
      const strict = metricsClient(limited);
      const { token } = await signInAs(limited, OPERATOR.email, OPERATOR.password);
      for (let times = 0; times < 10; times++) await strict.tokenFor(token);
      const statuses: number[] = [];
      for (let times = 0; times < 6; times++) statuses.push((await strict.exchange({ client_secret: 'x' })).status);
      assert.deepEqual(statuses, [401, 401, 401, 401, 429, 429]);
    } finally {
      await limited.close();
    }
  });
});
