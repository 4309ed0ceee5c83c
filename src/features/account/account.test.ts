import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { inTransaction } from '#core/db/database.ts';
import { createClient } from '#sdk';
import { PASSWORD, type Person, registerPerson, signInAs } from '#testkit/app/people.ts';
import { addPasskey, addTotp } from '#testkit/app/second-factor.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { CMS, newFqdn, newSite, putOnPlan } from '#testkit/app/sites.ts';
import { OPERATOR, startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { eventually, refused } from '#testkit/expect.ts';

let app: TestApp;
before(async () => {
  app = await sharedApp();
});

const anonymous = () => createClient({ baseUrl: app.url });
const tokenIn = (mail: string) => /token=([\w-]+)/.exec(mail)?.[1] as string;

test('registering makes a user and a default team on the plan free, and signing in works at once', async () => {
  const person = await registerPerson(app, 'Ada', { verified: false });
  const me = await person.api.getMe();
  assert.equal(me.full_name, 'Ada Tester');
  assert.equal(me.is_verified, false);
  assert.equal(me.is_superuser, false);
  const team = await person.api.getTeam({ params: { team_id: person.teamId } });
  assert.equal(team.is_default, true);
  assert.equal(team.plan_type_name, 'free');
  assert.equal(team.plan_type.visits, 10_000);
  assert.equal(team.user.id, person.userId);
  assert.match(team.tenant_id, /^t[a-z0-9]{10}$/);
});

test('an address has one account, however its letters are written', async () => {
  const person = await registerPerson(app);
  const body = { email: person.email.toUpperCase(), password: 'another password', first_name: 'B', last_name: 'C' };
  await assert.rejects(anonymous().register({ body }), refused(409, 'account.exists'));
});

test('a client can discover only a few registered addresses before every registration is rejected', async () => {
  // Three an hour.
  const limited = await startTestApp({ databaseUrl: app.databaseUrl, env: { RATE_LIMIT_FACTOR: '0.3' } });
  try {
    const { email } = await registerPerson(app);
    const register = (address: string) =>
      createClient({ baseUrl: limited.url }).register({
        body: { email: address, password: 'another password', first_name: 'B', last_name: 'C' },
      });
    await register(`new-${email}`);
    for (let time = 0; time < 3; time++)
      await assert.rejects(register(email), (error: Error) => {
        refused(409, 'account.exists')(error);
        assert.match(error.message, /Sign in, or set a new password/);
        return true;
      });
    for (const address of [email, `newer-${email}`])
      await assert.rejects(register(address), refused(429, 'rate_limit.exceeded'));
  } finally {
    await limited.close();
  }
});

test('the mailed link verifies the address once, signs in and ends older credentials', async () => {
  const person = await registerPerson(app, 'Ada', { verified: false });
  const token = tokenIn(await app.mailTo(person.email, '/verify'));
  const grant = await anonymous().verifyEmail({ body: { token } });
  assert.equal(
    (await createClient({ baseUrl: app.url, token: grant.access_token as string }).getMe()).is_verified,
    true,
  );
  await assert.rejects(person.api.getMe(), refused(401));
  await assert.rejects(anonymous().verifyEmail({ body: { token } }), refused(409, 'account.link_invalid'));
});

test('a signed-in person can have the verification mail sent again; nobody else can', async () => {
  const person = await registerPerson(app, 'Ada', { verified: false });
  const first = tokenIn(await app.mailTo(person.email, '/verify'));
  assert.deepEqual(await person.api.verifyEmail({ body: {} }), {});
  await assert.rejects(anonymous().verifyEmail({ body: {} }), refused(401));
  // The first link serves as well as the second until one of them is used.
  await anonymous().verifyEmail({ body: { token: first } });
});

test('nobody has a mailbox filled with our links, and what was mailed still works', async () => {
  const limited = await startTestApp({ env: { RATE_LIMIT_FACTOR: '1' } });
  try {
    const person = await registerPerson(limited, 'Ada', { verified: false });
    const sent = (purpose: string) =>
      limited.services.db.selectFrom('mailed_links').select('id').where('purpose', '=', purpose).execute();
    for (let again = 0; again < 4; again++) await person.api.verifyEmail({ body: {} });
    await assert.rejects(person.api.verifyEmail({ body: {} }), refused(429, 'account.too_many_mails'));
    assert.equal((await sent('verify_email')).length, 5);
    const stranger = createClient({ baseUrl: limited.url });
    for (let again = 0; again < 8; again++)
      assert.deepEqual(await stranger.resetPassword({ body: { email: person.email } }), {});
    assert.equal((await sent('password_reset')).length, 10);
    const token = tokenIn(await limited.mailTo(person.email, 'asked to set a new password'));
    await stranger.resetPassword({ body: { token, password: 'the new password' } });
  } finally {
    await limited.close();
  }
});

test('a password reset sets the password, ends every session, and the link works once', async () => {
  const person = await registerPerson(app);
  assert.deepEqual(await anonymous().resetPassword({ body: { email: person.email } }), {});
  const token = tokenIn(await app.mailTo(person.email, 'asked to set a new password'));
  await anonymous().resetPassword({ body: { token, password: 'the new password' } });
  await assert.rejects(person.api.getMe(), refused(401));
  await assert.rejects(signInAs(app, person.email), refused(401, 'auth.bad_sign_in'));
  await signInAs(app, person.email, 'the new password');
  await assert.rejects(anonymous().resetPassword({ body: { token, password: 'yet another one' } }), refused(409));
});

test('whoever lost the answer to a mailed link gets the same session again under the same key, while it lasts', async () => {
  const person = await registerPerson(app);
  const verify = tokenIn(await app.mailTo(person.email, '/verify'));
  // Asked for only now: confirming the address ends the links of before.
  const askToReset = async () => {
    await anonymous().resetPassword({ body: { email: person.email } });
    return tokenIn(await app.mailTo(person.email, 'asked to set a new password'));
  };
  const steps: [path: string, body: () => Promise<object>][] = [
    ['/verify_email', async () => ({ token: verify })],
    ['/password_reset', async () => ({ token: await askToReset(), password: 'the new password' })],
  ];
  // The browser is signed in, and its session ends with the link: it has only that one to come back with.
  let cookie = person.token;
  for (const [path, makeBody] of steps) {
    const body = await makeBody();
    const use = (more: object = {}) =>
      fetch(app.api + path, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'idempotency-key': 'lost-answer',
          origin: app.url,
          cookie: `session=${cookie}`,
        },
        body: JSON.stringify({ ...body, ...more }),
      });
    const [first, again] = [await use(), await use()];
    assert.deepEqual([first.status, again.status], [200, 200]);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.ok(first.headers.get('set-cookie'));
    assert.equal(again.headers.get('set-cookie'), first.headers.get('set-cookie'));
    const grant = (await first.json()) as { access_token: string };
    assert.deepEqual(await again.json(), grant);
    assert.equal((await createClient({ baseUrl: app.url, token: grant.access_token }).getMe()).is_verified, true);
    assert.equal((await use({ unknown: 1 })).status, 422);

    // Nobody else at the same address, and nobody with a session that has ended since.
    await assert.rejects(
      anonymous().verifyEmail({ body: { token: verify }, idempotencyKey: 'lost-answer' }),
      refused(409),
    );
    await createClient({ baseUrl: app.url, token: grant.access_token }).signOut();
    const late = await use();
    assert.equal(((await late.json()) as { code: string }).code, 'idempotency.session_ended');
    cookie = grant.access_token;
  }
});

test('signing out ends the bearer token and the session cookie, both where both come', async () => {
  const person = await registerPerson(app);
  const [bearer, cookie] = [await signInAs(app, person.email), await signInAs(app, person.email)];
  const signOut = (origin: string) =>
    fetch(`${app.api}/logout`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer.token}`, cookie: `session=${cookie.token}`, origin },
    });
  // What another site's page makes the browser send along does not count.
  assert.equal((await signOut('https://evil.example')).headers.get('set-cookie'), null);
  await assert.rejects(bearer.api.getMe(), refused(401));
  await cookie.api.getMe();
  const done = await signOut(app.url);
  assert.equal(done.status, 200);
  assert.match(done.headers.get('set-cookie') ?? '', /^session=; Path=\/; Max-Age=0;/);
  await assert.rejects(cookie.api.getMe(), refused(401));
  await person.api.getMe();

  const [again, beside] = [await signInAs(app, person.email), await signInAs(app, person.email)];
  await fetch(`${app.api}/logout`, {
    method: 'POST',
    headers: { authorization: `Bearer ${again.token}`, cookie: `session=${beside.token}` },
  });
  for (const { api } of [again, beside]) await assert.rejects(api.getMe(), refused(401));
});

test('asking to reset an unknown address answers like a known one', async () => {
  assert.deepEqual(await anonymous().resetPassword({ body: { email: 'nobody@example.com' } }), {});
});

test('a link for one purpose does not serve another', async () => {
  const person = await registerPerson(app);
  const token = tokenIn(await app.mailTo(person.email, '/verify'));
  await assert.rejects(anonymous().resetPassword({ body: { token, password: 'a new password' } }), refused(409));
});

test('changing the password needs the current one and ends the other sessions, not this one', async () => {
  const person = await registerPerson(app);
  const other = await signInAs(app, person.email);
  await assert.rejects(person.api.updateMe({ body: { new_password: 'new password!' } }), refused(422));
  await assert.rejects(
    person.api.updateMe({ body: { current_password: 'wrong', new_password: 'new password!' } }),
    refused(422),
  );
  await person.api.updateMe({
    body: { current_password: 'a long enough password', new_password: 'new password!', first_name: 'New' },
  });
  assert.equal((await person.api.getMe()).first_name, 'New');
  await assert.rejects(other.api.getMe(), refused(401));
});

test('the token operation speaks OAuth: form in, bearer out, and a refusal carries error and error_description', async () => {
  const person = await registerPerson(app);
  const sign = (password: string) =>
    fetch(`${app.api}/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'password', username: person.email, password }),
    });
  const good = await sign('a long enough password');
  assert.equal(good.status, 200);
  assert.match(
    good.headers.getSetCookie()[0] ?? '',
    /^session=sy_[\w-]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/,
  );
  assert.equal(((await good.json()) as { token_type: string }).token_type, 'bearer');
  const bad = await sign('wrong');
  assert.equal(bad.status, 401);
  assert.equal(bad.headers.get('www-authenticate'), 'Bearer');
  const body = (await bad.json()) as Record<string, string>;
  assert.equal(body.error, 'invalid_grant');
  assert.ok(body.error_description);
});

test('the operator of ADMIN_EMAIL exists after the first start', async () => {
  const operator = await signInAs(app, OPERATOR.email, OPERATOR.password);
  assert.equal((await operator.api.getMe()).is_superuser, true);
});

test('logging out ends the credential that came along, as bearer or as cookie, and needs none', async () => {
  const person = await registerPerson(app);
  const other = await signInAs(app, person.email);
  await anonymous().signOut();
  await person.api.signOut();
  await assert.rejects(person.api.getMe(), refused(401));
  await fetch(`${app.api}/logout`, { method: 'POST', headers: { cookie: `session=${other.token}` } });
  await assert.rejects(other.api.getMe(), refused(401));
});

test('the session cookie signs in; a change made with it must come from the platform itself', async () => {
  const person = await registerPerson(app);
  const cookie = `session=${person.token}`;
  assert.equal((await fetch(`${app.api}/me`, { headers: { cookie } })).status, 200);
  const change = (origin: Record<string, string>) =>
    fetch(`${app.api}/me`, {
      method: 'PATCH',
      headers: { cookie, 'content-type': 'application/json', ...origin },
      body: '{"first_name":"X"}',
    });
  assert.equal((await change({})).status, 403);
  assert.equal((await change({ origin: 'https://evil.example' })).status, 403);
  assert.equal((await change({ origin: app.url.replace('localhost', 'blog.localhost') })).status, 403);
  assert.equal((await change({ origin: app.url })).status, 200);
});

test('a page of another site can neither sign a visitor in nor end their session', async () => {
  const person = await registerPerson(app);
  const foreign = { origin: 'https://evil.example' };
  const body = new URLSearchParams({ username: person.email, password: 'a long enough password' });
  const answer = await fetch(`${app.api}/token`, { method: 'POST', headers: foreign, body });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('set-cookie'), null);
  await fetch(`${app.api}/logout`, { method: 'POST', headers: { ...foreign, cookie: `session=${person.token}` } });
  assert.equal((await person.api.getMe()).id, person.userId);
});

test('an API token is shown once, has its scopes, and is revoked at once', async () => {
  const person = await registerPerson(app);
  const made = await person.api.createApiToken({ body: { name: 'ci', scopes: ['read'] } });
  const bot = createClient({ baseUrl: app.url, token: made.token });
  assert.equal((await bot.getMe()).id, person.userId);
  assert.deepEqual((await bot.introspectToken()).scopes, ['read']);
  await assert.rejects(
    bot.updateTeam({ params: { team_id: person.teamId }, body: { name: 'x' } }),
    refused(403, 'auth.insufficient_scope'),
  );
  const listed = (await person.api.listApiTokens()).results[0];
  assert.equal(listed?.name, 'ci');
  assert.ok(listed?.last_used_at);
  assert.ok(!('token' in (listed ?? {})));
  await person.api.deleteApiToken({ params: { api_token_id: made.id } });
  await assert.rejects(bot.getMe(), refused(401));
});

test('an API token can not make tokens or change the password, and can be bound to one team and a time', async () => {
  const person = await registerPerson(app);
  const { token } = await person.api.createApiToken({ body: { name: 'all', scopes: ['write'] } });
  const bot = createClient({ baseUrl: app.url, token });
  await assert.rejects(
    bot.createApiToken({ body: { name: 'more', scopes: ['write'] } }),
    refused(403, 'auth.session_required'),
  );
  await assert.rejects(bot.updateMe({ body: { first_name: 'Bot' } }), refused(403));
  const past = { name: 'late', scopes: ['read' as const], expires_at: '2020-01-01T00:00:00Z' };
  await assert.rejects(person.api.createApiToken({ body: past }), refused(422));
  const foreign = { name: 'foreign', scopes: ['read' as const], team_id: crypto.randomUUID() };
  await assert.rejects(person.api.createApiToken({ body: foreign }), refused(422));
});

test('a token bound to one team reaches nothing beyond it', async () => {
  const person = await registerPerson(app);
  const other = await registerPerson(app);
  const { token } = await person.api.createApiToken({
    body: { name: 'bound', scopes: ['write'], team_id: person.teamId },
  });
  const bot = createClient({ baseUrl: app.url, token });
  const invite = await other.api.createInvite({
    params: { team_id: other.teamId },
    body: { target_email: person.email, first_name: 'P' },
  });
  const inviteToken = new URL(invite.link).searchParams.get('token') as string;
  await assert.rejects(bot.acceptInvite({ body: { token: inviteToken } }), refused(403, 'auth.bound_to_team'));
  await assert.rejects(bot.listApiTokens(), refused(403, 'auth.bound_to_team'));
  assert.ok((await bot.listEvents()).results.every(({ team_id }) => team_id === person.teamId));
  assert.ok((await person.api.listEvents()).results.some(({ team_id }) => team_id === null));
});

test('nothing secret is stored in plain text: no password, no token', async () => {
  const person = await registerPerson(app);
  const { token } = await person.api.createApiToken({ body: { name: 'planted', scopes: ['read'] } });
  const client = new pg.Client({ connectionString: app.databaseUrl });
  await client.connect();
  const tables = await client.query(
    "select table_schema, table_name from information_schema.tables where table_schema in ('public', 'jobs')",
  );
  let rowsSeen = 0;
  for (const { table_schema, table_name } of tables.rows) {
    const { rows } = await client.query(`select to_jsonb(t)::text as row from ${table_schema}.${table_name} t`);
    for (const { row } of rows) {
      rowsSeen++;
      for (const secret of [token, person.token, 'a long enough password'])
        assert.ok(!row.includes(secret), `${table_name} holds a secret`);
    }
  }
  await client.end();
  assert.ok(rowsSeen > 50);
});

test("the account's default region is where a new site goes that names none, and follows what operators do to regions", async () => {
  const person = await registerPerson(app);
  await putOnPlan(app, person.teamId, 'starter');
  const operator = (await signInAs(app, OPERATOR.email, OPERATOR.password)).api;
  const [first] = await operator.listRegions();
  const place = { city: 'Oslo', country: 'Norway', country_code: 'NO', cname: 'osl.example.net', ip: '192.0.2.9' };
  const region = await operator.createRegion({ body: { ...place, name: 'osl' } });
  const params = { region_id: region.id };
  const regionOf = async () => (await newSite(person)).region_id;

  assert.equal((await person.api.getMe()).default_region, null);
  assert.equal(await regionOf(), first?.id);
  for (const default_region of ['atlantis', '', ' osl '])
    await assert.rejects(person.api.updateMe({ body: { default_region } }), refused(422));
  assert.equal((await person.api.updateMe({ body: { default_region: 'osl' } })).default_region, 'osl');
  // It is for them alone, and nothing else of the account changes it.
  assert.equal((await person.api.updateMe({ body: { first_name: 'Ada' } })).default_region, 'osl');
  const team = await person.api.getTeam({ params: { team_id: person.teamId } });
  assert.ok(!('default_region' in team.user));
  assert.equal(await regionOf(), region.id);
  const named = { ...CMS, fqdn: newFqdn(), team_id: person.teamId, region_name: first?.name as string };
  assert.equal((await person.api.createSite({ body: named })).region_id, first?.id);

  await operator.updateRegion({ params, body: { name: 'osl-2' } });
  assert.equal((await person.api.getMe()).default_region, 'osl-2');
  assert.equal(await regionOf(), region.id);
  for (const site of (await person.api.listSites()).results)
    if (site.region_id === region.id) await person.api.deleteSite({ wait: 60, params: { fqdn: site.fqdn } });
  await operator.deleteRegion({ params });
  assert.equal((await person.api.getMe()).default_region, null);
  assert.equal(await regionOf(), first?.id);

  const again = await operator.createRegion({ body: { ...place, name: 'osl' } });
  assert.equal((await person.api.updateMe({ body: { default_region: 'osl' } })).default_region, 'osl');
  assert.equal((await person.api.updateMe({ body: { default_region: null } })).default_region, null);
  assert.equal(await regionOf(), first?.id);
  await operator.deleteRegion({ params: { region_id: again.id } });
});

test('a new address counts once its link is used by whoever asked, and the one before can take it back', async () => {
  const person = await registerPerson(app, 'Ada');
  const stranger = await registerPerson(app, 'Eve');
  const next = `next-${person.email}`;
  const ask = (current_password: string, email = next) => person.api.changeEmail({ body: { email, current_password } });
  await assert.rejects(ask('not it'), refused(422));
  await assert.rejects(ask(PASSWORD, stranger.email), refused(409, 'account.exists'));
  assert.equal((await ask(PASSWORD)).pending_email, next);
  assert.equal((await person.api.getMe()).email, person.email);
  await anonymous().resetPassword({ body: { email: person.email } });
  const reset = tokenIn(await app.mailTo(person.email, 'asked to set a new password'));

  const token = tokenIn(await app.mailTo(next));
  await assert.rejects(stranger.api.confirmEmail({ body: { token } }), refused(409, 'account.link_invalid'));
  const me = await person.api.confirmEmail({ body: { token } });
  assert.deepEqual([me.email, me.is_verified, me.pending_email], [next, true, null]);
  await assert.rejects(person.api.confirmEmail({ body: { token } }), refused(409, 'account.link_invalid'));
  await signInAs(app, next);
  await assert.rejects(signInAs(app, person.email), refused(401));
  // What was mailed to the address before opens nothing, and nobody else gets that address while the way back is open.
  const password = 'another long password';
  await assert.rejects(anonymous().resetPassword({ body: { token: reset, password } }), refused(409));
  const registration = { email: person.email, password, first_name: 'E', last_name: 'V' };
  await assert.rejects(anonymous().register({ body: registration }), refused(409, 'account.exists'));

  const { totp } = await addTotp(app, person);
  await totp.later();
  const back = tokenIn(await app.mailTo(person.email, 'was changed'));
  await anonymous().takeEmailBack({ body: { token: back } });
  await assert.rejects(anonymous().takeEmailBack({ body: { token: back } }), refused(409, 'account.link_invalid'));
  await assert.rejects(person.api.getMe(), refused(401));
  // Whoever changed it knows the password, and may have added a factor: neither is of use.
  await assert.rejects(signInAs(app, person.email), refused(401, 'auth.bad_sign_in'));
  // The letter of before is there too; the new one may be on its way.
  const fresh = await eventually(async () => {
    const found = tokenIn(await app.mailTo(person.email, 'asked to set a new password'));
    return found !== reset && found;
  });
  const grant = await anonymous().resetPassword({ body: { token: fresh, password } });
  const { email } = await createClient({ baseUrl: app.url, token: grant.access_token as string }).getMe();
  assert.equal(email, person.email);
});

/** Whoever has the session and the password, and the mailbox of the new address. */
async function changeTo(person: Person, email: string): Promise<void> {
  await person.api.changeEmail({ body: { email, current_password: PASSWORD } });
  const token = tokenIn(await app.mailTo(email, 'Confirm your new email'));
  await person.api.confirmEmail({ body: { token } });
}

test('whoever took an account over several addresses has no way back to it once the first one took it back', async () => {
  const person = await registerPerson(app, 'Ada');
  const [second, third] = [`second-${person.email}`, `third-${person.email}`];
  await changeTo(person, second);
  await changeTo(person, third);
  const owners = tokenIn(await app.mailTo(person.email, 'was changed'));
  const thiefs = tokenIn(await app.mailTo(second, 'was changed'));
  await anonymous().takeEmailBack({ body: { token: owners } });
  await assert.rejects(anonymous().takeEmailBack({ body: { token: thiefs } }), refused(409, 'account.link_invalid'));
  const { rows } = await sql<{ email: string }>`select email from users where id = ${person.userId}`.execute(
    app.services.db,
  );
  assert.equal(rows[0]?.email, person.email);
});

test('an address that is being left can not be registered in that moment: its way back would lead nowhere', async () => {
  const person = await registerPerson(app, 'Ada');
  const { db } = app.services;
  const registration = { email: person.email, password: PASSWORD, first_name: 'E', last_name: 'V' };
  let registering: Promise<unknown> | undefined;
  await inTransaction(db, async (tx) => {
    await sql`insert into email_changes (user_id, old_email, new_email, confirmed_at, expires_at)
      values (${person.userId}, ${person.email}, ${`x-${person.email}`}, now(), now() + interval '7 days')`.execute(tx);
    await sql`update users set email = ${`x-${person.email}`} where id = ${person.userId}`.execute(tx);
    registering = anonymous().register({ body: registration });
    registering.catch(() => {});
    await eventually(async () => {
      const waiting =
        await sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like 'insert into "users"%'`;
      return (await waiting.execute(db)).rows.length > 0;
    });
  });
  await assert.rejects(registering as Promise<unknown>, refused(409, 'account.exists'));
});

test('a deleted account keeps no way in and no way back, and its addresses are free', async () => {
  const person = await registerPerson(app, 'Ada');
  await changeTo(person, `next-${person.email}`);
  const token = tokenIn(await app.mailTo(person.email, 'was changed'));
  await addPasskey(app, person);
  await person.api.deleteAccount({ body: { password: PASSWORD } });
  await assert.rejects(anonymous().takeEmailBack({ body: { token } }), refused(409, 'account.link_invalid'));
  const { rows } = await sql`select from passkeys where user_id = ${person.userId}
    union all select from recovery_codes where user_id = ${person.userId}`.execute(app.services.db);
  assert.equal(rows.length, 0);
  const registration = { email: person.email, password: PASSWORD, first_name: 'A', last_name: 'B' };
  assert.equal((await anonymous().register({ body: registration })).email, person.email);
});
