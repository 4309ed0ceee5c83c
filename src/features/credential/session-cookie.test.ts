import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { CMS, insertSite } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { refused } from '#testkit/expect.ts';
import { request } from '../../../test/acceptance/world.ts';

const EMAIL = 'two.cookies@example.com';
const PASSWORD = 'a long enough password';
const SECURE = 'https://app.platform.example';

/** The same platform as a browser sees it over http, and over https behind a proxy that ends TLS. */
let plain: TestApp;
let secure: TestApp;
before(async () => {
  plain = await sharedApp();
  const app = await startTestApp({ env: { BASE_URL: SECURE } });
  const url = `http://127.0.0.1:${app.services.config.port}`;
  secure = { ...app, url, api: `${url}/f/api/v1` };
  const body = { email: EMAIL, password: PASSWORD, first_name: 'Ada', last_name: 'Tester' };
  for (const each of [plain, secure]) await request(each, 'POST', '/register', { body });
});
after(() => secure?.close());

async function signIn(app: Pick<TestApp, 'api'>) {
  const answer = await request(app, 'POST', '/token', { body: { username: EMAIL, password: PASSWORD } });
  const cookie = answer.headers.getSetCookie().find((each) => /^(__Host-)?session=/.test(each)) as string;
  return { token: answer.json.access_token as string, cookie };
}
const me = (app: Pick<TestApp, 'api'>, cookie: string, more: { token?: string } = {}) =>
  request(app, 'GET', '/me', { headers: { cookie }, ...more });

suite('over https', () => {
  test('the session cookie is one that browsers take from the host itself alone', async () => {
    const { cookie } = await signIn(secure);
    assert.match(cookie, /^__Host-session=sy_[\w-]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/);
    assert.equal((await me(secure, cookie.split(';')[0] as string)).status, 200);
  });

  test('a cookie called session, which any host of the domain could have set, counts for nothing', async () => {
    const { token } = await signIn(secure);
    const answer = await me(secure, `session=${token}`);
    assert.deepEqual([answer.status, answer.json.code], [401, 'auth.required']);
    assert.equal((await me(secure, `session=${token}; __Host-session=${token}`)).status, 200);
    assert.equal((await me(secure, `__host-session=${token}`)).status, 401);
  });

  test('signing out removes the cookie by its name, and the document names it', async () => {
    const { token } = await signIn(secure);
    const headers = { cookie: `__Host-session=${token}`, origin: SECURE };
    const answer = await request(secure, 'POST', '/logout', { headers });
    assert.match(answer.headers.get('set-cookie') ?? '', /^__Host-session=; Path=\/; Max-Age=0; /);
    assert.equal((await request(secure, 'GET', '/me', { token })).status, 401);
    const schemeOf = async (app: Pick<TestApp, 'api'>) =>
      (await request({ api: new URL('/openapi.json', app.api).href }, 'GET', '')).json.components.securitySchemes;
    assert.equal((await schemeOf(secure)).APIKeyCookie.name, '__Host-session');
    assert.equal((await schemeOf(plain)).APIKeyCookie.name, 'session');
  });
});

test("no site has a name within the platform's own domain; its cookies would reach the dashboard", async () => {
  const ada = await registerPerson(secure, 'Ada');
  for (const fqdn of ['shop.platform.example', 'platform.example', 'a.b.platform.example', 'Shop.Platform.Example']) {
    const body = { ...CMS, fqdn, team_id: ada.teamId };
    await assert.rejects(ada.api.createSite({ body }), refused(422), fqdn);
    await assert.rejects(ada.api.verifyDomain({ query: { fqdn } }), refused(422), fqdn);
  }
  const id = await insertSite(secure, ada);
  const { fqdn } = await secure.services.db
    .selectFrom('sites')
    .select('fqdn')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const rename = { params: { fqdn }, body: { new_fqdn: 'shop.platform.example' } };
  await assert.rejects(ada.api.updateSite(rename), refused(422));
  // What is hosted elsewhere may be there.
  const password = { fqdn: 'shop.platform.example', username: 'ada', password: 'secret', team_id: ada.teamId };
  await ada.api.createApplicationPassword({ body: password });
});

suite('two session cookies in one request', () => {
  const NAMES = { plain: 'session', secure: '__Host-session' } as const;
  for (const which of ['plain', 'secure'] as const) {
    test(`are no credential, whichever comes first (${which})`, async () => {
      const app = which === 'plain' ? plain : secure;
      const name = NAMES[which];
      const { token } = await signIn(app);
      for (const cookie of [
        `${name}=${token}; ${name}=sy_of_somebody_else`,
        `${name}=sy_of_somebody_else; ${name}=${token}`,
        `${name}=${token}; a=b; ${name}=${token}`,
        `${name}=; ${name}=${token}`,
        `${name}=${token};${name}=`,
      ]) {
        const answer = await me(app, cookie);
        assert.deepEqual([answer.status, answer.json.code], [401, 'auth.duplicate_cookie'], cookie);
        assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
        assert.match(answer.json.detail, /Delete the cookies/);
        const origin = which === 'plain' ? plain.url : SECURE;
        const change = await request(app, 'PATCH', '/me', {
          headers: { cookie, origin },
          body: { first_name: 'Changed' },
        });
        assert.equal(change.status, 401);
      }
      // Whoever says by a header who they are is not asked for cookies.
      assert.equal((await me(app, `${name}=a; ${name}=b`, { token })).status, 200);
    });
  }

  test('keep nobody from signing in, and nothing is signed out by them', async () => {
    const { token } = await signIn(plain);
    const headers = { cookie: `session=${token}; session=sy_x`, origin: plain.url };
    const body = { username: EMAIL, password: PASSWORD };
    assert.equal((await request(plain, 'POST', '/token', { headers, body })).status, 200);
    assert.equal((await request(plain, 'POST', '/logout', { headers })).status, 200);
    assert.equal((await request(plain, 'GET', '/me', { token })).status, 200);
  });
});
