import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type Caller, CREDENTIAL_KINDS } from '#core/auth/caller.ts';
import { createSecrets, lastingKeyOf } from '#core/secrets.ts';
import { basic, challengeOf, verifierOf } from '#testkit/clients/metrics-client.ts';
import { checkClient, registeredClient } from './metrics-sign-in.client.ts';
import { decideAuthorization, readExchange } from './metrics-sign-in.rules.ts';
import type { AuthorizationRequest } from './metrics-sign-in.schema.ts';

const REDIRECT = 'https://grafana.example/metrics/login/generic_oauth';
const WITH_QUERY = 'https://grafana.example/login?via=siteyard';
const ISSUER = 'https://app.example/metrics-auth';
const CLIENT = { id: 'grafana', secrets: ['today', 'before'], redirectUris: [REDIRECT, WITH_QUERY] };
const REQUEST: AuthorizationRequest = {
  client_id: 'grafana',
  redirect_uri: REDIRECT,
  response_type: 'code',
  state: 'a state',
};

const ada = (credential: Partial<Caller['credential']> = {}, isVerified = true) =>
  ({ isVerified, credential: { id: 'session', kind: 'session', ...credential } }) as Caller;

const decide = (
  changes: Partial<AuthorizationRequest> = {},
  { repeated = [], caller = ada() }: { repeated?: string[]; caller?: Caller | undefined } = {},
) => decideAuthorization({ client: CLIENT, issuer: ISSUER }, { ...REQUEST, ...changes }, repeated, caller);
const decideUnknown = (changes: Partial<AuthorizationRequest> = {}) =>
  decideAuthorization({ client: CLIENT, issuer: ISSUER }, { ...REQUEST, ...changes }, [], undefined);

/** Where a decision sends the browser. */
function locationOf(decision: ReturnType<typeof decideAuthorization>): URL {
  assert.ok('location' in decision);
  return new URL(decision.location, 'https://app.example');
}

suite('a wrong client or redirect URI sends the browser nowhere', () => {
  const wrong: Record<string, [field: string, change: Partial<AuthorizationRequest>]> = {
    'no client': ['client_id', { client_id: '' }],
    'another client': ['client_id', { client_id: 'prometheus' }],
    'a client in capitals': ['client_id', { client_id: 'Grafana' }],
    'an empty redirect URI': ['redirect_uri', { redirect_uri: '' }],
    'another host': ['redirect_uri', { redirect_uri: REDIRECT.replace('grafana.example', 'evil.example') }],
    'a host with the same end': ['redirect_uri', { redirect_uri: REDIRECT.replace('grafana.ex', 'evil-grafana.ex') }],
    'a user before the host': ['redirect_uri', { redirect_uri: REDIRECT.replace('//', '//grafana.example@evil.x/') }],
    'only the beginning': ['redirect_uri', { redirect_uri: REDIRECT.slice(0, -1) }],
    'something after it': ['redirect_uri', { redirect_uri: `${REDIRECT}/../../evil` }],
    'a slash at the end': ['redirect_uri', { redirect_uri: `${REDIRECT}/` }],
    'a query after it': ['redirect_uri', { redirect_uri: `${REDIRECT}?a=1` }],
    'a fragment after it': ['redirect_uri', { redirect_uri: `${REDIRECT}#a` }],
    'another case': ['redirect_uri', { redirect_uri: REDIRECT.replace('login', 'Login') }],
    'another case of the host': ['redirect_uri', { redirect_uri: REDIRECT.replace('grafana', 'GRAFANA') }],
    'another scheme': ['redirect_uri', { redirect_uri: REDIRECT.replace('https', 'http') }],
    'a port': ['redirect_uri', { redirect_uri: REDIRECT.replace('.example', '.example:443') }],
    'encoded letters': ['redirect_uri', { redirect_uri: REDIRECT.replace('login', '%6cogin') }],
    'encoded twice': ['redirect_uri', { redirect_uri: encodeURIComponent(REDIRECT) }],
    'blanks around it': ['redirect_uri', { redirect_uri: ` ${REDIRECT}` }],
    'a script': ['redirect_uri', { redirect_uri: 'javascript:alert(1)' }],
  };
  const refusedFor = (field: string) => (error: { status?: number; faults?: { loc: string[] }[] }) => {
    assert.deepEqual([error.status, error.faults?.map(({ loc }) => loc)], [422, [['query', field]]]);
    return true;
  };
  for (const [what, [field, change]] of Object.entries(wrong))
    test(what, () => {
      assert.throws(() => decide(change), refusedFor(field));
      assert.throws(() => decideUnknown(change), refusedFor(field));
    });

  for (const field of ['client_id', 'redirect_uri'])
    test(`two of ${field}, be the last one right`, () => {
      assert.throws(() => decide({}, { repeated: [field] }), refusedFor(field));
    });
});

suite('any other invalid request redirects to the client with an error, whether the person is signed in or not', () => {
  const challenge = challengeOf(verifierOf());
  const faults: Record<string, [changes: Partial<AuthorizationRequest>, error: string]> = {
    'no response_type': [{ response_type: '' }, 'invalid_request'],
    'a token at once': [{ response_type: 'token' }, 'unsupported_response_type'],
    'a code and a token': [{ response_type: 'code token' }, 'unsupported_response_type'],
    'a plain challenge': [{ code_challenge: challenge, code_challenge_method: 'plain' }, 'invalid_request'],
    'a challenge without a method, which means plain': [{ code_challenge: challenge }, 'invalid_request'],
    'a method without a challenge': [{ code_challenge_method: 'S256' }, 'invalid_request'],
    'a challenge that is no hash': [{ code_challenge: 'short', code_challenge_method: 'S256' }, 'invalid_request'],
  };
  for (const [what, [changes, error]] of Object.entries(faults))
    test(what, () => {
      for (const decision of [decide(changes), decideUnknown(changes)]) {
        const back = locationOf(decision);
        assert.equal(back.origin + back.pathname, REDIRECT);
        const { error_description, ...told } = Object.fromEntries(back.searchParams);
        assert.ok(error_description);
        assert.deepEqual(told, { error, state: 'a state', iss: ISSUER });
      }
    });

  test('two scope parameters', () => {
    const back = locationOf(decide({}, { repeated: ['scope'] }));
    assert.equal(back.searchParams.get('error'), 'invalid_request');
    assert.match(back.searchParams.get('error_description') ?? '', /^scope must be there only once/);
  });

  test('a redirect URI with a query of its own keeps it', () => {
    const back = locationOf(decide({ redirect_uri: WITH_QUERY, response_type: 'token' }));
    assert.match(back.href, /^https:\/\/grafana\.example\/login\?via=siteyard&error=unsupported_response_type/);
  });
});

suite('only a person who signed in with a password and confirmed the address gets a code', () => {
  const error = (caller: Caller) => locationOf(decide({}, { caller })).searchParams.get('error');

  test('a session of a confirmed person does, with and without PKCE', () => {
    const caller = ada();
    const pkce = { code_challenge: challengeOf(verifierOf()), code_challenge_method: 'S256' };
    assert.deepEqual([decide({}, { caller }), decide(pkce, { caller })], [{ signedIn: caller }, { signedIn: caller }]);
  });

  test('an unconfirmed address and every credential but a session are access_denied', () => {
    assert.equal(error(ada({}, false)), 'access_denied');
    for (const kind of CREDENTIAL_KINDS.filter((each) => each !== 'session'))
      assert.equal(error(ada({ kind })), 'access_denied', kind);
  });

  test('a visitor signs in first, and returns to what was understood of this very request', () => {
    const location = locationOf(decideUnknown({ state: 'a&b=c' }));
    assert.equal(location.pathname, '/sign-in');
    const next = new URL(location.searchParams.get('next') as string, 'https://app.example');
    assert.equal(next.pathname, '/f/api/v1/metrics-auth');
    assert.deepEqual(Object.fromEntries(next.searchParams), { ...REQUEST, state: 'a&b=c' });
  });
});

suite('the client of a token request', () => {
  const fields = { client_id: 'grafana', client_secret: 'today' };
  const check = (body: Partial<typeof fields>, authorization?: string) => checkClient(CLIENT, authorization, body);

  test('proves itself in the body or the header, with the secret of today or one of before', () => {
    check(fields);
    check({ ...fields, client_secret: 'before' });
    check({}, basic('grafana', 'today'));
    check({ client_id: 'grafana' }, basic('grafana', 'before'));
    check({}, `basic  ${basic('grafana', 'today').slice(6)}`);
    // Each half encoded as a form, as the RFC asks for.
    const odd = { ...CLIENT, id: 'gra fana', secrets: ['a+b:c%d'] };
    checkClient(odd, basic('gra+fana', 'a%2Bb%3Ac%25d'), {});
    checkClient(odd, basic('gra fana', 'a+b:c%d'), {});
  });

  const wrong: Record<string, [body: Partial<typeof fields>, authorization?: string]> = {
    'a wrong secret in the body': [{ ...fields, client_secret: 'wrong' }],
    'no secret': [{ client_id: 'grafana' }],
    'an empty secret': [{ ...fields, client_secret: '' }],
    'no client': [{ client_secret: 'today' }],
    'another client': [{ ...fields, client_id: 'other' }],
    'a wrong secret in the header': [{}, basic('grafana', 'wrong')],
    'a wrong secret in the header, the right one in the body': [fields, basic('grafana', 'wrong')],
    'another client in the header': [{}, basic('other', 'today')],
    'a header that is no pair': [{}, 'Basic Z3JhZmFuYQ=='],
    'a header that is no base64': [{}, 'Basic ***'],
    'an empty header': [{}, 'Basic '],
    'a bearer token instead': [{}, 'Bearer sy_x'],
  };
  for (const [what, [body, authorization]] of Object.entries(wrong))
    test(`is refused with ${what}`, () => {
      assert.throws(
        () => check(body, authorization),
        (error: { code: string; status: number; headers: Record<string, string> }) => {
          assert.deepEqual([error.code, error.status], ['metrics.invalid_client', 401]);
          const scheme = authorization?.startsWith('Basic') ? /^Basic realm=/ : /^Bearer$/;
          assert.match(error.headers['www-authenticate'] ?? '', scheme);
          return true;
        },
      );
    });

  test('is refused where it proves itself twice, or names two clients', () => {
    for (const body of [fields, { client_id: 'other' }, { client_secret: 'today' }])
      assert.throws(() => check(body, basic('grafana', 'today')), { code: 'metrics.invalid_request', status: 400 });
  });

  test('has a secret of the platform key, and of the key before while that is known', () => {
    const [key, before] = ['a key for tests that is long enough', 'the key before and long enough as well'] as const;
    const config = { metricsRedirectUris: [REDIRECT], metricsClientId: 'grafana', metricsClientSecret: undefined };
    const clientOf = (...keys: [string, ...string[]]) =>
      registeredClient({ config, secrets: createSecrets(keys, lastingKeyOf(key)) } as never);
    const [old] = clientOf(before).secrets;
    const { secrets } = clientOf(key, before);
    assert.deepEqual([secrets.length, secrets[1]], [2, old]);
    assert.notEqual(secrets[0], old);
    const own = { ...config, metricsClientSecret: 'chosen' };
    const chosen = registeredClient({ config: own, secrets: createSecrets([key], lastingKeyOf(key)) } as never);
    assert.deepEqual(chosen.secrets, ['chosen']);
    assert.throws(() => registeredClient({ config: { ...config, metricsRedirectUris: [] } } as never), {
      code: 'metrics.not_configured',
    });
  });
});

test('a token request has a code, its redirect URI and the one grant type there is', () => {
  const body = { grant_type: 'authorization_code', code: 'a', redirect_uri: REDIRECT };
  assert.deepEqual(readExchange(body), { code: 'a', redirect_uri: REDIRECT, code_verifier: undefined });
  assert.equal(readExchange({ ...body, code_verifier: 'v' }).code_verifier, 'v');
  const wrong: [change: object, code: string][] = [
    [{ grant_type: 'refresh_token' }, 'metrics.unsupported_grant_type'],
    [{ grant_type: undefined }, 'metrics.invalid_request'],
    [{ code: undefined }, 'metrics.invalid_request'],
    [{ code: '' }, 'metrics.invalid_request'],
    [{ redirect_uri: undefined }, 'metrics.invalid_request'],
  ];
  for (const [change, code] of wrong)
    assert.throws(() => readExchange({ ...body, ...change }), { code, status: 400 }, JSON.stringify(change));
});
