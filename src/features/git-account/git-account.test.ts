import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { type Client, createClient } from '#sdk';
import { registerPerson } from '#testkit/app/people.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { refused } from '#testkit/expect.ts';
import { type ProviderHost, startProviderHost } from '#testkit/git/provider-host.ts';

const TOKEN = 'planted-git-token-7f3a';
let app: TestApp;
let host: ProviderHost;

before(async () => {
  host = await startProviderHost(TOKEN, []);
  app = await startTestApp({ env: { OUTBOUND_ALLOW: '127.0.0.0/8' } });
});
after(async () => {
  await app?.close();
  await host?.close();
});

const newApi = async (): Promise<Client> => (await registerPerson(app)).api;

test('a token is tried at its host, in its own way, and kept sealed', async () => {
  const headers = {
    github: ['/api/v3/user', 'authorization', `Bearer ${TOKEN}`],
    gitlab: ['/api/v4/user', 'private-token', TOKEN],
    gitea: ['/api/v1/user', 'authorization', `token ${TOKEN}`],
  } as const;
  for (const [provider, [path, name, value]] of Object.entries(headers)) {
    const api = await newApi();
    const body = { provider: provider as 'github', base_url: `${host.url}/`, token: ` ${TOKEN}\n` };
    const made = await api.createGitAccount({ body });
    assert.deepEqual([made.provider, made.base_url, made.login, made.public_key], [provider, host.url, 'ada', null]);
    assert.deepEqual([host.asked.at(-1)?.path, host.asked.at(-1)?.headers[name]], [path, value]);
    assert.deepEqual((await api.listGitAccounts()).results, [made]);
    await assert.rejects(api.createGitAccount({ body }), refused(409, 'git_account.exists'));
    assert.equal(await storedInPlain(TOKEN), 0);
    await api.deleteGitAccount({ params: { git_account_id: made.id } });
    await assert.rejects(
      api.deleteGitAccount({ params: { git_account_id: made.id } }),
      refused(404, 'git_account.not_found'),
    );
    const events = (await api.listEvents({ query: { size: 2 } })).results.map(({ event_type }) => event_type);
    assert.deepEqual(events, ['account.git_unlinked', 'account.git_linked']);
  }
});

/** In how many rows of any table these characters stand. */
async function storedInPlain(secret: string): Promise<number> {
  const { db } = app.services;
  const { rows } = await sql<{ name: string }>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_schema in ('public', 'jobs') and table_type = 'BASE TABLE'`.execute(db);
  let found = 0;
  for (const { name } of rows) {
    const inTable = await sql<{ count: number }>`
      select count(*)::int as count from ${sql.raw(name)} t
      where position(${secret} in t::text) > 0 or position(${Buffer.from(secret).toString('hex')} in t::text) > 0`.execute(
      db,
    );
    found += inTable.rows[0]?.count ?? 0;
  }
  return found;
}

test('a host that answers nonsense fails, and nothing of ours does', async () => {
  const api = await newApi();
  const link = () => api.createGitAccount({ body: { provider: 'gitea', base_url: host.url, token: TOKEN } });
  try {
    for (const says of [null, 7, [null], { login: '' }, { login: 'a\u0000b' }, { login: 'x'.repeat(1_000_000) }]) {
      host.mood = { says };
      await assert.rejects(link(), refused(502, 'git_account.host_failed'), JSON.stringify(says).slice(0, 50));
    }
    host.mood = 'normal';
    await link();
    for (const says of [null, [null, 7, {}, { clone_url: 7, full_name: null, default_branch: 7 }]]) {
      host.mood = { says };
      assert.deepEqual(await api.listGitSyncRepositories(), []);
    }
    // What each list of branches is told too.
    host.mood = { says: [null, { clone_url: 'https://git.example.com/a.git', full_name: 'a', name: 7 }] };
    const [found] = await api.listGitSyncRepositories();
    assert.deepEqual([found?.git_url, found?.branches], ['https://git.example.com/a.git', []]);
  } finally {
    host.mood = 'normal';
  }
});

test('what can not be right is refused field by field, and whose fault it is can be told', async () => {
  const api = await newApi();
  const link = (body: Record<string, unknown>) =>
    api.createGitAccount({ body: { provider: 'gitea', ...body } as never });
  const faultAt = (field: string, code?: string) => (error: unknown) => {
    refused(422, code)(error);
    assert.deepEqual((error as { faults: { loc: unknown[] }[] }).faults[0]?.loc, ['body', field]);
    return true;
  };
  await assert.rejects(link({ base_url: host.url, token: 'wrong' }), faultAt('token', 'git_account.bad_token'));
  await assert.rejects(link({ base_url: host.url }), faultAt('token'));
  await assert.rejects(link({ base_url: host.url, token: 'with\r\nheader' }), faultAt('token'));
  await assert.rejects(link({ token: TOKEN }), faultAt('base_url'), 'there is no usual host of Gitea');
  const asked = host.asked.length;
  for (const base_url of [
    'http://git.example.com',
    'https://user:pass@git.example.com',
    'https://git.example.com?x=1',
    'https://169.254.169.254',
    'https://[::1]:3000',
    'https://10.0.0.1/',
    'ssh://git.example.com',
    'git.example.com',
  ])
    await assert.rejects(link({ base_url, token: TOKEN }), faultAt('base_url'), base_url);
  await assert.rejects(link({ provider: 'ssh', base_url: 'ssh://git.example.com', token: TOKEN }), faultAt('token'));
  await assert.rejects(link({ provider: 'ssh' }), faultAt('base_url'));
  assert.equal(host.asked.length, asked);

  for (const mood of ['broken', 'huge', 'tired'] as const) {
    host.mood = mood;
    await assert.rejects(link({ base_url: host.url, token: TOKEN }), refused(502, 'git_account.host_failed'));
  }
  host.mood = 'normal';
  await assert.rejects(
    link({ base_url: 'https://127.0.0.1:1', token: TOKEN }),
    refused(502, 'git_account.host_failed'),
  );
  assert.equal((await api.listGitAccounts()).count, 0);
});

test('for ssh a key is made; its public half is for the host, its other half for nobody', async () => {
  const api = await newApi();
  const body = { provider: 'ssh' as const, base_url: 'ssh://Git.Example.com:2222' };
  const made = await api.createGitAccount({ body });
  assert.deepEqual([made.base_url, made.login], ['ssh://git.example.com:2222', null]);
  assert.match(made.public_key ?? '', /^ssh-ed25519 [A-Za-z0-9+/=]+ siteyard@localhost$/);
  assert.equal(await storedInPlain('OPENSSH PRIVATE KEY'), 0);
  assert.deepEqual((await api.listGitAccounts()).results, [made]);
});

test('accounts are their owner’s alone, and no more than twenty', async () => {
  const api = await newApi();
  const link = (at: number) =>
    api.createGitAccount({ body: { provider: 'ssh', base_url: `ssh://h${at}.example.com` } });
  const first = await link(0);
  const answers = await Promise.allSettled(Array.from({ length: 24 }, (_, at) => link(at + 1)));
  for (const answer of answers) if (answer.status === 'rejected') refused(409, 'git_account.too_many')(answer.reason);
  assert.equal((await api.listGitAccounts()).count, 20);
  const other = await newApi();
  assert.equal((await other.listGitAccounts()).count, 0);
  await assert.rejects(other.deleteGitAccount({ params: { git_account_id: first.id } }), refused(404));
});

test('a token that is bound to a team reaches no account', async () => {
  const person = await registerPerson(app);
  const { token } = await person.api.createApiToken({ body: { name: 'ci', scopes: ['read'], team_id: person.teamId } });
  const bound = createClient({ baseUrl: app.url, token });
  await assert.rejects(bound.listGitAccounts(), refused(403, 'auth.bound_to_team'));
  await assert.rejects(bound.listGitSyncRepositories(), refused(403, 'auth.bound_to_team'));
});
