import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import type { ApiError } from '#sdk';
import { letIn, type Person, registerPerson } from '#testkit/app/people.ts';
import { insertSite } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { consent } from '#testkit/clients/mcp-client.ts';
import { post, registerProgram } from '#testkit/clients/oauth-client.ts';
import { deleteUnused } from '../oauth/oauth.sql.ts';

let app: TestApp;
let ada: Person;
let eve: Person;
let program: Awaited<ReturnType<typeof registerProgram>>;

before(async () => {
  app = await startTestApp({ env: { RATE_LIMIT_FACTOR: '10' } });
  [ada, eve] = [await registerPerson(app, 'Ada'), await registerPerson(app, 'Eve')];
  program = await registerProgram(app);
});
after(() => app?.close());

const code = (expected: string) => (error: ApiError) => {
  assert.equal(error.code, expected);
  return true;
};
const refused = (answer: { status: number; json: { error?: string } }, error: string, status = 400) =>
  assert.deepEqual([answer.status, answer.json.error], [status, error], JSON.stringify(answer.json));

/** One message, as any program would send it. */
async function say(token: string | undefined, message: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${app.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message),
  });
  const text = await response.text();
  const data = /^data: (\{.*)$/m.exec(text)?.[1] ?? text;
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: data.startsWith('{') ? JSON.parse(data) : undefined,
  };
}
const call = (name: string, args: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

suite('nobody is led, or given a token, where that was not agreed', () => {
  test('an address that was not registered, in any spelling, gets nobody and no code', async () => {
    const near = [
      'https://program.example/callback/',
      'https://program.example/callback?x=1',
      'https://PROGRAM.example/callback',
      'https://evil.example/callback',
      'https://program.example:8443/callback',
      'https://program.example/callback#x',
      'http://program.example/callback',
      'javascript:alert(1)',
    ];
    for (const redirect_uri of near)
      await assert.rejects(
        consent(ada, program.ask({ redirect_uri }), { access: 'read' }),
        code('oauth.foreign_redirect'),
        redirect_uri,
      );
    await assert.rejects(
      consent(ada, program.ask({ client_id: crypto.randomUUID() }), { access: 'read' }),
      code('oauth.unknown_client'),
    );
    const local = await registerProgram(app, 'http://127.0.0.1:1234/cb');
    const back = await consent(ada, local.ask({ redirect_uri: 'http://127.0.0.1:60001/cb' }), { access: 'read' });
    assert.equal(back.port, '60001');
    for (const redirect_uri of [
      'http://127.0.0.1:60001/other',
      'http://localhost:1234/cb',
      'http://127.0.0.1.evil.example:1234/cb',
      'http://127.0.0.1:1@evil.example/cb',
    ])
      await assert.rejects(
        consent(ada, local.ask({ redirect_uri }), { access: 'read' }),
        code('oauth.foreign_redirect'),
        redirect_uri,
      );
  });

  test('a program can not register an address that would run in our page or be read on the way', async () => {
    for (const uri of [
      'javascript:alert(1)',
      'data:text/html,x',
      'http://program.example/cb',
      'https://a:b@c.example/',
      'https://c.example/#x',
      'file:///etc/passwd',
      'blob:https://x/y',
      'nonsense',
      'vbscript:x',
      'https://x.example/\\evil',
    ])
      refused(await post(`${app.api}/oauth/register`, { redirect_uris: [uri] }), 'invalid_redirect_uri');
    const { json } = await post(`${app.api}/oauth/register`, {
      client_name: 'A\u202e\nB',
      redirect_uris: ['com.example.app:/cb'],
    });
    assert.equal(json.client_name, 'A B');
  });

  test('what is asked wrongly is shown and not followed, and only a session decides', async () => {
    for (const changes of [
      { response_type: 'token' },
      { code_challenge_method: 'plain' },
      { code_challenge: '' },
      { resource: 'https://other.example/mcp' },
    ])
      await assert.rejects(
        consent(ada, program.ask(changes as never), { access: 'read' }),
        code('oauth.bad_request'),
        JSON.stringify(changes),
      );
    const { token } = await ada.api.createApiToken({ body: { name: 'x', scopes: ['write'] } });
    const body = { ...Object.fromEntries(program.ask().searchParams), decision: 'allow', access: 'write' };
    const headers = { authorization: `Bearer ${token}` };
    assert.equal((await post(`${app.api}/oauth/authorization`, body, headers)).json.code, 'auth.session_required');
    const cookie = { cookie: `session=${ada.token}` };
    for (const origin of ['https://evil.example', 'null'])
      assert.equal(
        (await post(`${app.api}/oauth/authorization`, body, { ...cookie, origin })).json.code,
        'auth.foreign_origin',
      );
    await assert.rejects(consent(ada, program.ask({ scope: 'read' }), { access: 'write' }), /access: .*read/);
    await assert.rejects(consent(ada, program.ask(), { access: 'read', team_id: eve.teamId }), /no such team/);
    const page = await fetch(program.ask(), { redirect: 'manual' });
    assert.equal(page.headers.get('x-frame-options'), 'DENY');
    assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
    assert.equal((await consent(ada, program.ask(), { decision: 'deny' })).searchParams.get('error'), 'access_denied');
  });

  test('a code is good once, with its verifier, at its address, for its program; shown again, its token ends', async () => {
    const spoiled: Record<string, string | undefined>[] = [
      { code_verifier: 'x'.repeat(43) },
      { redirect_uri: 'https://program.example/other' },
    ];
    for (const changes of spoiled)
      refused(await program.exchange({ code: await program.codeOf(ada), ...changes }), 'invalid_grant');
    refused(await program.exchange({ code: await program.codeOf(ada), code_verifier: undefined }), 'invalid_request');
    refused(
      await program.exchange({ code: await program.codeOf(ada), resource: `${app.url}/other` }),
      'invalid_target',
    );
    refused(
      await program.exchange({ code: await program.codeOf(ada), client_id: crypto.randomUUID() }),
      'invalid_client',
      401,
    );
    const other = await registerProgram(app);
    refused(
      await other.exchange({ code: await program.codeOf(ada), code_verifier: program.verifier }),
      'invalid_grant',
    );

    const stolen = await program.codeOf(ada);
    const { json: tokens } = await program.exchange({ code: stolen });
    assert.equal((await say(tokens.access_token, LIST)).status, 200);
    refused(await program.exchange({ code: stolen }), 'invalid_grant');
    assert.equal((await say(tokens.access_token, LIST)).status, 401);
    refused(await program.refresh(tokens.refresh_token), 'invalid_grant');
  });

  test('a refresh token is good once; a stolen one ends the grant for both', async () => {
    const first = await program.tokensOf(ada);
    const { json: second } = await program.refresh(first.refresh_token as string);
    assert.equal((await say(second.access_token, LIST)).status, 200);
    assert.equal((await say(first.access_token, LIST)).status, 401);
    const other = await registerProgram(app);
    refused(await other.refresh(second.refresh_token), 'invalid_grant');
    refused(await program.refresh(first.refresh_token as string), 'invalid_grant');
    assert.equal((await say(second.access_token, LIST)).status, 401);
    refused(await program.refresh(second.refresh_token), 'invalid_grant');
  });

  test('a grant is refreshed a few times a minute, its used tokens are swept, and a person has so many grants', async () => {
    const { db, limits } = app.services;
    const person = await registerPerson(app, 'Busy');
    const first = await program.tokensOf(person);
    const { json: second } = await program.refresh(first.refresh_token as string);
    const tokens = async () =>
      (
        await sql<{ is_used: boolean }>`
        select r.used_at is not null as is_used from oauth_refresh_tokens r join credentials c on c.id = r.credential_id
        where c.user_id = ${person.userId} order by is_used`.execute(db)
      ).rows.map(({ is_used }) => is_used);
    const [grant] = (await person.api.listOAuthGrants()).results;
    while (!limits.take('oauthRefresh', grant?.id as string).exceeded);
    assert.equal((await program.refresh(second.refresh_token)).status, 429);
    assert.deepEqual(await tokens(), [false, true], 'what was refused is not used up');
    await sql`update oauth_refresh_tokens set used_at = used_at - interval '25 hours'`.execute(db);
    await deleteUnused(db);
    assert.deepEqual(await tokens(), [false]);

    await sql`
      insert into credentials (kind, token_hash, user_id, scopes, resource, name, oauth_client_id, expires_at, token_expires_at)
      select kind, sha256(n::text::bytea), user_id, scopes, resource, name, oauth_client_id, expires_at, token_expires_at
      from credentials, generate_series(1, 49) n where id = ${grant?.id}`.execute(db);
    assert.equal((await say(second.access_token, LIST)).status, 200);
    const newest = await program.tokensOf(person);
    assert.equal((await person.api.listOAuthGrants()).count, 50);
    assert.deepEqual(
      [(await say(second.access_token, LIST)).status, (await say(newest.access_token, LIST)).status],
      [401, 200],
      'the oldest has gone',
    );
  });
});

suite('a token is good where it was given for, and as long as its owner has it so', () => {
  test('it does not open the API, nor whatever else takes a token', async () => {
    const { access_token } = await program.tokensOf(ada, 'write');
    for (const path of ['/me', '/site', '/metrics-api', '/token/introspect'])
      assert.equal(
        (await fetch(`${app.api}${path}`, { headers: { authorization: `Bearer ${access_token}` } })).status,
        401,
        path,
      );
    assert.equal((await fetch(`${app.api}/me`, { headers: { cookie: `session=${access_token}` } })).status, 401);
  });

  test('an ended hour, a disconnect, a revocation and a new password each end it at once', async () => {
    const person = await registerPerson(app, 'Brief');
    const [past, cut, revoked, kept] = await Promise.all([0, 1, 2, 3].map(() => program.tokensOf(person)));
    const grants = (await person.api.listOAuthGrants()).results;
    assert.equal(grants.length, 4);
    for (const tokens of [past, cut, revoked, kept]) assert.equal((await say(tokens?.access_token, LIST)).status, 200);

    await post(`${app.api}/oauth/revoke`, new URLSearchParams({ token: revoked?.refresh_token as string }));
    assert.equal((await say(revoked?.access_token, LIST)).status, 401);
    await assert.rejects(
      eve.api.deleteOAuthGrant({ params: { oauth_grant_id: grants[0]?.id as string } }),
      code('oauth_grant.not_found'),
    );
    await person.api.updateMe({
      body: { new_password: 'another long password', current_password: 'a long enough password' },
    });
    for (const tokens of [past, cut, kept]) {
      assert.equal((await say(tokens?.access_token, LIST)).status, 401);
      refused(await program.refresh(tokens?.refresh_token as string), 'invalid_grant');
    }
    assert.equal((await person.api.listOAuthGrants()).count, 0);

    const ended = await program.tokensOf(ada);
    const id = (await ada.api.listOAuthGrants()).results[0]?.id as string;
    await sql`update credentials set token_expires_at = now() where id = ${id}`.execute(app.services.db);
    app.services.credentials.forget(ada.userId);
    assert.equal((await say(ended.access_token, LIST)).status, 401);
    const { json: renewed } = await program.refresh(ended.refresh_token as string);
    await ada.api.deleteOAuthGrant({ params: { oauth_grant_id: id } });
    assert.equal((await say(renewed.access_token, LIST)).status, 401);
  });

  test('programs that nobody let in are swept after a day, those in use are not', async () => {
    const idle = await registerProgram(app);
    await sql`update oauth_clients set created_at = now() - interval '2 days'`.execute(app.services.db);
    await deleteUnused(app.services.db);
    await assert.rejects(consent(ada, idle.ask(), { access: 'read' }), code('oauth.unknown_client'));
    assert.ok((await program.tokensOf(ada)).access_token);
  });
});

suite('the MCP server', () => {
  test('says to strangers where to sign in, and nothing to pages of others', async () => {
    for (const [token, error] of [
      [undefined, false],
      ['sy_wrong', true],
    ] as const) {
      const { status, headers } = await say(token, LIST);
      assert.equal(status, 401);
      const challenge = headers.get('www-authenticate') ?? '';
      assert.ok(
        challenge.includes(`resource_metadata="${app.url}/.well-known/oauth-protected-resource/mcp"`),
        challenge,
      );
      assert.equal(challenge.includes('invalid_token'), error);
    }
    for (const origin of ['https://evil.example', 'null', 'http://evil.localhost'])
      for (const method of ['POST', 'GET', 'DELETE']) {
        const headers = { origin, authorization: `Bearer ${ada.token}` };
        assert.equal((await fetch(`${app.url}/mcp`, { method, headers })).status, 403, `${method} ${origin}`);
      }
    assert.equal(
      (await fetch(`${app.url}/mcp`, { method: 'POST', headers: { cookie: `session=${ada.token}` } })).status,
      401,
    );
    for (const method of ['GET', 'DELETE'])
      assert.equal(
        (await fetch(`${app.url}/mcp`, { method, headers: { authorization: `Bearer ${ada.token}` } })).status,
        405,
      );
  });

  test('keeps to what its caller may: no site of others, no team beyond the one chosen, no change by a token that plans', async () => {
    const hers = 'hers.example.com';
    await insertSite(app, eve, { fqdn: hers });
    const { access_token: full } = await program.tokensOf(ada, 'write');
    for (const [name, args] of [
      ['getSite', {}],
      ['deleteSite', {}],
      ['runSiteCommand', { cmd: 'id' }],
      ['createPitRestore', { restore_point: new Date().toISOString() }],
    ] as const) {
      const { json } = await say(full, call(name, { fqdn: hers, ...args }));
      assert.equal(json.result.isError, true, name);
      assert.match(json.result.content[0].text, /^site\.not_found/, name);
    }
    const read = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: `siteyard://site/${hers}` } };
    assert.match((await say(full, read)).json.error.message, /no such resource/);

    await letIn(eve, ada, 'admin');
    const { access_token: bound } = await program.tokensOf(ada, 'write', ada.teamId);
    assert.match((await say(bound, call('getSite', { fqdn: hers }))).json.result.content[0].text, /^site\.not_found/);
    const { access_token: planner } = await program.tokensOf(ada, 'plan');
    const { json } = await say(planner, call('deleteSite', { fqdn: hers }));
    assert.equal(json.result.structuredContent.state, 'open');
    assert.ok(await eve.api.getSite({ params: { fqdn: hers } }));
    const { proposal_id } = json.result.structuredContent;
    assert.match((await say(planner, call('confirmProposal', { proposal_id }))).json.error.message, /no tool/);
    const { access_token: reader } = await program.tokensOf(ada, 'read');
    assert.match(
      (await say(reader, call('deleteSite', { fqdn: hers }))).json.result.content[0].text,
      /^auth\.insufficient_scope/,
    );
  });

  test('takes no body of 10 MB, no flood in one message, and no nonsense, and goes on', async () => {
    const { access_token } = await program.tokensOf(ada);
    const large = call('listSites', { x: 'y'.repeat(10_000_000) });
    assert.equal((await say(access_token, large)).status, 413);
    assert.equal((await say(undefined, large)).status, 401);
    assert.equal((await say(access_token, Array(5000).fill(LIST))).json.code, 'mcp.batch_too_large');
    const oneBadByte = Buffer.from(JSON.stringify(Array(50).fill({ ...LIST, method: 'ping', params: { x: '?' } })));
    oneBadByte[oneBadByte.indexOf('?')] = 0xff;
    for (const nonsense of [
      oneBadByte,
      '{',
      '[]',
      '[1]',
      'null',
      '"x"',
      '{"jsonrpc":"1.0"}',
      '{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
      '',
      `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
    ]) {
      const { status } = await say(access_token, nonsense);
      assert.ok(status >= 400 && status < 500, `${nonsense.slice(0, 40)} ${status}`);
    }
    for (const params of [
      undefined,
      {},
      { name: 7 },
      { name: '__proto__' },
      { name: 'listSites', arguments: [] },
      { name: 'listSites', arguments: { page: 'x' } },
      { name: 'getSite', arguments: { fqdn: '../../etc' } },
    ]) {
      const { status, json } = await say(access_token, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      assert.ok(status < 500 && (json.error || json.result.isError), JSON.stringify(params));
      assert.doesNotMatch(JSON.stringify(json), /internal|stack|node_modules/i);
    }
    assert.equal((await say(access_token, LIST)).status, 200);
  });

  test('counts every message of a batch, and registrations by address', async () => {
    const limited = await startTestApp({ env: { RATE_LIMIT_FACTOR: '0.1' } });
    try {
      const person = await registerPerson(limited, 'Quick');
      const headers = { authorization: `Bearer ${person.token}`, accept: 'application/json, text/event-stream' };
      const { db, limits } = limited.services;
      const own = db.selectFrom('credentials').select('id').where('user_id', '=', person.userId);
      const { id } = await own.executeTakeFirstOrThrow();
      const left = limits.peek('read', id).remaining;
      // The message itself is let in; what it reads is not.
      for (let used = 1; used < left; used++) limits.take('read', id);
      const list = await post(`${limited.url}/mcp`, { ...LIST, method: 'resources/list' }, headers);
      assert.match(JSON.stringify(list.json), /Too many requests/, 'it is not said that there is nothing');
      for (let given = 0; given <= left; given++) limits.giveBack('read', id);

      const flood = () => post(`${limited.url}/mcp`, Array(20).fill({ ...LIST, method: 'ping' }), headers);
      const statuses: number[] = [];
      for (let times = 0; times < 7; times++) statuses.push((await flood()).status);
      assert.deepEqual([statuses[0], statuses[6]], [200, 429], String(statuses));
      await registerProgram(limited);
      assert.equal(
        (await post(`${limited.api}/oauth/register`, { redirect_uris: ['https://a.example/'] })).status,
        429,
      );
    } finally {
      await limited.close();
    }
  });
});
