import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { ApiError } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { refused } from '#testkit/expect.ts';
import { type ProviderHost, startProviderHost } from '#testkit/git/provider-host.ts';
import { makeRepository } from '#testkit/git/repository.ts';
import { startSshd } from '#testkit/git/ssh-host.ts';

const TOKEN = 'planted-git-token-9c1b';
const MANY = Array.from({ length: 120 }, (_, at) => ({ name: `ada/r${at}`, branches: ['main', `b${at}`] }));

let app: TestApp;
let folder: string;
let host: ProviderHost;
let owner: Person;
let commit: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'siteyard-git-sync-'));
  await mkdir(join(folder, 'ada'));
  commit = await makeRepository(
    join(folder, 'ada/site.git'),
    { 'plugins/a/a.php': '', 'themes/t/style.css': '', 'README.md': '' },
    {
      below: { 'wp-content/mu-plugins/a.php': '', 'docs/x.md': '' },
      both: { 'plugins/a.php': '', 'wp-content/themes/t/style.css': '' },
      core: { 'plugins/a.php': '', 'wp-load.php': '', 'wp-includes/x.php': '', 'WP-Config.php': '' },
      config: { 'wp-content/plugins/a.php': '', 'wp-content/wp-config.php': '' },
      none: { 'src/index.php': '', plugins: 'a file' },
      'feature/x': { 'themes/t/style.css': '' },
    },
  );
  host = await startProviderHost(TOKEN, [{ name: 'ada/site', branches: ['main', 'below'] }, ...MANY], folder);
  app = await startTestApp({ env: { OUTBOUND_ALLOW: '127.0.0.0/8', GIT_FILE_ROOTS: folder } });
  owner = await registerPerson(app);
});
after(async () => {
  await app?.close();
  await host?.close();
  await rm(folder, { recursive: true, force: true });
});

const verify = (git_url: string, git_branch?: string, person = owner) =>
  person.api.verifyGitSyncDirectories({ query: { git_url, ...(git_branch !== undefined && { git_branch }) } });

suite('a repository is set up for a site', () => {
  const url = () => `file://${join(folder, 'ada/site.git')}`;
  const faultsOf = async (branch: string): Promise<string[]> => {
    const error = await verify(url(), branch).then(
      () => assert.fail('it was found right'),
      (reason: unknown) => reason as ApiError,
    );
    refused(422, 'git.not_set_up')(error);
    for (const { loc } of error.faults) assert.deepEqual(loc, ['query', 'git_url']);
    return error.faults.map(({ msg }) => msg.replace('Value error, ', ''));
  };

  test('with its folders at the top or in one wp-content', async () => {
    const top = {
      verified: true,
      git_url: url(),
      branch: 'main',
      commit,
      root: '.',
      directories: ['plugins', 'themes'],
    };
    assert.deepEqual(await verify(url()), top);
    assert.deepEqual(await verify(url(), ''), top);
    const { root, directories } = await verify(url(), 'below');
    assert.deepEqual([root, directories], ['wp-content', ['mu-plugins']]);
    assert.equal((await verify(url(), 'feature/x')).branch, 'feature/x');
  });

  test('and not with anything of WordPress itself, in two places, or without them; each fault is named', async () => {
    assert.match((await faultsOf('both'))[0] ?? '', /both at the top and in wp-content/);
    const core = await faultsOf('core');
    assert.equal(core.length, 3);
    for (const name of ['WP-Config.php', 'wp-includes/', 'wp-load.php'])
      assert.ok(
        core.some((fault) => fault.includes(name)),
        name,
      );
    assert.match((await faultsOf('config')).join(), /wp-content\/wp-config\.php/);
    assert.match((await faultsOf('none')).join(), /no plugins\/, themes\/ or mu-plugins\//);
  });

  test('a branch that is not there or no name of one is a fault of that field', async () => {
    const at = (loc: string, code?: string) => (error: unknown) => {
      refused(422, code)(error);
      assert.deepEqual((error as ApiError).faults[0]?.loc, ['query', loc]);
      return true;
    };
    await assert.rejects(verify(url(), 'missing'), at('git_branch', 'git.no_branch'));
    for (const branch of ['--upload-pack=x', '-x', 'a..b', 'a b', 'a~1', 'x.lock', '@', 'a/', '/a', 'a\nb', 'a@{1}'])
      await assert.rejects(verify(url(), branch), at('git_branch'), branch);
    await assert.rejects(verify('https://user:secret@example.com/x.git'), at('git_url'));
    await assert.rejects(verify('file:///etc'), at('git_url'));
    await assert.rejects(verify('https://127.0.0.1:1/x.git'), refused(502, 'git.unreachable'));
  });
});

suite('a linked account', () => {
  test('opens the repositories of its host, for whoever linked it', async () => {
    const url = `${host.url}/ada/site.git`;
    await assert.rejects(verify(url), refused(422, 'git.needs_credentials'));
    await owner.api.createGitAccount({ body: { provider: 'gitea', base_url: host.url, token: TOKEN } });
    assert.equal((await verify(url)).commit, commit);
    await assert.rejects(verify(`${host.url}/ada/none.git`), refused(422, 'git.no_repository'));
    await assert.rejects(verify(url, undefined, await registerPerson(app)), refused(422, 'git.needs_credentials'));
  });

  test('of ssh opens them by its key once that is known there', async () => {
    const sshd = await startSshd();
    try {
      const url = `ssh://${sshd.user}@127.0.0.1:${sshd.port}${join(folder, 'ada/site.git')}`;
      const base_url = `ssh://127.0.0.1:${sshd.port}`;
      const { public_key } = await owner.api.createGitAccount({ body: { provider: 'ssh', base_url } });
      await assert.rejects(verify(url), refused(422, 'git.needs_credentials'));
      await sshd.authorize(public_key as string);
      assert.equal((await verify(url)).commit, commit);
    } finally {
      await sshd.close();
    }
  });
});

suite('the list of repositories', () => {
  for (const provider of ['github', 'gitlab', 'gitea'] as const) {
    test(`has every page of ${provider}, with branches`, async () => {
      const { api } = await registerPerson(app);
      assert.deepEqual(await api.listGitSyncRepositories(), []);
      await api.createGitAccount({ body: { provider, base_url: host.url, token: TOKEN } });
      const list = await api.listGitSyncRepositories();
      assert.equal(list.length, MANY.length + 1);
      const linked_sites: string[] = [];
      assert.deepEqual(list[0], {
        git_url: `${host.url}/ada/site.git`,
        provider,
        default_branch: 'main',
        branches: ['main', 'below'],
        linked_sites,
      });
      assert.deepEqual(list[118]?.branches, ['main', 'b117']);
    });
  }

  test('names the sites of one’s own teams that are linked, however their URL is written, and their repositories', async () => {
    const person = await registerPerson(app);
    await person.api.createGitAccount({ body: { provider: 'github', base_url: host.url, token: TOKEN } });
    const link = (fqdn: string, teamId: string, git_url: string) => insertLinkedSite(fqdn, teamId, git_url);
    await link('a.example.com', person.teamId, `${host.url}/ada/site`);
    await link('b.example.com', person.teamId, `${host.url}/Ada/Site.git/`);
    await link('c.example.com', person.teamId, 'git@github.com:acme/shop.git');
    await link('d.example.com', person.teamId, 'https://github.com/acme/shop');
    await link('e.example.com', owner.teamId, `${host.url}/ada/site.git`);
    const list = await person.api.listGitSyncRepositories();
    assert.deepEqual(list[0]?.linked_sites, ['a.example.com', 'b.example.com']);
    const shop = list.at(-1);
    assert.deepEqual([shop?.git_url, shop?.provider], ['git@github.com:acme/shop.git', 'github']);
    assert.deepEqual(shop?.linked_sites, ['c.example.com', 'd.example.com']);
  });

  test('loses nothing to an account whose host fails; the account says what is wrong until it works again', async () => {
    const failing = await startProviderHost(TOKEN, [{ name: 'ada/other', branches: [] }]);
    const { api } = await registerPerson(app);
    await api.createGitAccount({ body: { provider: 'gitea', base_url: host.url, token: TOKEN } });
    await api.createGitAccount({ body: { provider: 'gitlab', base_url: failing.url, token: TOKEN } });
    const problems = async () => (await api.listGitAccounts()).results.map(({ problem }) => problem);
    failing.mood = 'broken';
    assert.equal((await api.listGitSyncRepositories()).length, MANY.length + 1);
    const [problem, none] = await problems();
    assert.match(problem ?? '', /does not answer as a gitlab host does/);
    assert.equal(none, null);
    failing.mood = 'normal';
    assert.equal((await api.listGitSyncRepositories()).length, MANY.length + 2);
    assert.deepEqual(await problems(), [null, null]);
    await failing.close();
  });
});

async function insertLinkedSite(fqdn: string, team_id: string, git_url: string): Promise<void> {
  const { db, secrets } = app.services;
  const region = await db.selectFrom('regions').select('id').executeTakeFirstOrThrow();
  const team = await db.selectFrom('teams').select('user_id').where('id', '=', team_id).executeTakeFirstOrThrow();
  const sealed = secrets.seal(Buffer.from('x'));
  const whose = { fqdn, team_id, git_url, user_id: team.user_id, region_id: region.id };
  const rest = { domain_option: 'custom', is_testing: false, host: 'local', driver: 'memory' };
  const passwords = { http_auth_password_sealed: sealed, code_server_password_sealed: sealed };
  await db
    .insertInto('sites')
    .values({ ...whose, ...rest, ...passwords })
    .execute();
}
