import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import type { ApiError, Site } from '#sdk';
import { letIn, type Person, registerPerson } from '#testkit/app/people.ts';
import { newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { eventually, refused } from '#testkit/expect.ts';
import { type ProviderHost, startProviderHost } from '#testkit/git/provider-host.ts';
import { Remote } from '#testkit/git/remote.ts';
import { git as runGit } from '#testkit/git/repository.ts';
import { planLooks } from './git-sync.look.ts';

const TOKEN = 'a-git-token-of-tests';
const FILES = { 'wp-content/plugins/a/a.php': 'one', 'wp-content/themes/t/style.css': 'css', 'composer.json': '{}' };

let app: TestApp;
let folder: string;
let host: ProviderHost;
let owner: Person;
let site: Site;
let git: Remote;
let first: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'siteyard-git-odd-'));
  await mkdir(join(folder, 'ada'));
  host = await startProviderHost(TOKEN, [{ name: 'ada/site', branches: ['main'] }], folder);
  app = await startTestApp({ env: { OUTBOUND_ALLOW: '127.0.0.0/8', GIT_FILE_ROOTS: folder } });
  owner = await registerPerson(app, 'Owner');
  await putOnPlan(app, owner.teamId, 'business');
  git = await Remote.create(join(folder, 'ada/site.git'), FILES);
  first = git.head;
  site = await newSite(owner);
  await link(git.url);
});
after(async () => {
  await app?.close();
  await host?.close();
  await rm(folder, { recursive: true, force: true });
});

const at = () => ({ params: { fqdn: site.fqdn } });
const link = (git_url: string) => owner.api.updateSite({ ...at(), wait: 60, body: { git_url } });
const sync = () => owner.api.syncGit({ ...at(), wait: 60 });
const hashOf = async () => (await owner.api.getSite(at())).git_last_sync_hash;
const onDisk = (path: string) => join(app.runtime.storage(site.id).content, path);
const fileOf = (path: string) => (existsSync(onDisk(path)) ? readFileSync(onDisk(path), 'utf8') : undefined);
const refusal = () =>
  sync().then(
    () => assert.fail('it was synced'),
    (error: ApiError) => {
      refused(502, 'git.sync_failed')(error);
      return error.message;
    },
  );
const newestSync = async () => {
  const { results } = await owner.api.listSiteEvents({ ...at(), query: { size: 20 } });
  return results.find(({ event_type }) => event_type === 'git.synced');
};
const resultOf = async () => (await newestSync())?.detail.result as Record<string, unknown>;

suite('an odd repository', () => {
  test('may have its folders in wp-content', async () => {
    assert.equal(await hashOf(), first);
    assert.equal(fileOf('plugins/a/a.php'), 'one');
  });

  test('leaves out what it marks as export-ignore: files, folders, and what is in them', async () => {
    await git.push({
      '.gitattributes': 'wp-content/plugins/a/tests export-ignore\n*.dist export-ignore\n',
      'wp-content/plugins/a/.gitattributes': 'build/ export-ignore\n.gitattributes export-ignore\n',
      'wp-content/plugins/a/tests/deep/t.php': 't',
      'wp-content/plugins/a/x.dist': 'x',
      'wp-content/plugins/a/build/y.js': 'y',
      'wp-content/plugins/a/kept.php': 'kept',
    });
    await sync();
    const paths = ['tests', 'x.dist', 'build', '.gitattributes', 'kept.php'].map((name) => `plugins/a/${name}`);
    assert.deepEqual(
      paths.map((path) => existsSync(onDisk(path))),
      [false, false, false, false, true],
    );
  });

  test('names its pointers of LFS and does not deploy them; the file of before stays', async () => {
    await git.push({ 'wp-content/plugins/a/big.bin': 'the real one' });
    await sync();
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345\n`;
    await git.push({ 'wp-content/plugins/a/big.bin': pointer, 'wp-content/plugins/a/new.bin': pointer });
    await sync();
    assert.deepEqual([fileOf('plugins/a/big.bin'), fileOf('plugins/a/new.bin')], ['the real one', undefined]);
    assert.deepEqual((await resultOf()).lfs_pointers, ['plugins/a/big.bin', 'plugins/a/new.bin']);
  });

  test('may have links that stay inside', async () => {
    await git.link('wp-content/plugins/b', 'a');
    await sync();
    assert.equal(readlinkSync(onDisk('plugins/b')), 'a');
    await git.push({ 'wp-content/plugins/b': null });
    await sync();
    assert.equal(fileOf('plugins/b/a.php'), undefined);
  });

  test('is refused with a word that names what is wrong, and nothing of it is deployed', async () => {
    const good = git.head;
    const wrong: [what: string, make: () => Promise<void>, says: RegExp][] = [
      ['a submodule', () => git.submodule('wp-content/plugins/sub'), /plugins\/sub is a submodule/],
      [
        'a link out',
        () => git.link('wp-content/plugins/out', '../../../../etc'),
        /plugins\/out is a link that leads out/,
      ],
      ['an absolute link', () => git.link('wp-content/plugins/abs', '/etc/passwd'), /leads out/],
      ['a link that turns', () => git.link('wp-content/plugins/turn', 'a/../../../..'), /leads out/],
      [
        'a name in another encoding',
        () => git.file(Buffer.from('wp-content/plugins/a/caf\xe9.php', 'latin1'), 'x'),
        /caf.\.php is not UTF-8/,
      ],
      ['WordPress itself', () => git.push({ 'wp-load.php': '' }), /wp-load\.php, which is WordPress itself/],
    ];
    for (const [what, make, says] of wrong) {
      await make();
      const message = await refusal();
      assert.match(message, says, what);
      assert.match(message, /Nothing was changed/, what);
      assert.equal(await hashOf(), good, what);
      await git.reset(good);
    }
    await sync();
    assert.equal((await owner.api.getGitLink(at())).problem, null);
  });

  test('that is empty by now changes nothing, and one with another history is followed', async () => {
    const good = git.head;
    await runGit(git.path, 'update-ref', '-d', 'refs/heads/main');
    assert.match(await refusal(), /no commit yet/);
    assert.deepEqual([await hashOf(), fileOf('plugins/a/a.php')], [good, 'one']);
    await git.rewrite(FILES);
    await sync();
    assert.deepEqual([await hashOf(), fileOf('plugins/a/kept.php')], [git.head, undefined]);
  });
});

suite('a push', () => {
  const ask = async (ref: string | undefined, headers: (secret: string, body: string) => Record<string, string>) => {
    const { hook_url, hook_secret } = await owner.api.getGitLink(at());
    const body = JSON.stringify({ ref, after: '0'.repeat(40) });
    const response = await fetch(hook_url.replace(/^https?:\/\/[^/]+/, app.url), {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers(hook_secret, body) },
    });
    return { status: response.status, text: await response.text() };
  };
  const hmac = (secret: string, body: string) => createHmac('sha256', secret).update(body).digest('hex');
  const signers: Record<string, (secret: string, body: string) => Record<string, string>> = {
    github: (secret, body) => ({ 'x-hub-signature-256': `sha256=${hmac(secret, body)}` }),
    gitea: (secret, body) => ({ 'x-gitea-signature': hmac(secret, body) }),
    gitlab: (secret) => ({ 'x-gitlab-token': secret }),
  };

  for (const [name, sign] of Object.entries(signers))
    test(`that ${name} tells of and signed is followed`, async () => {
      await git.push({ 'wp-content/plugins/a/a.php': `by ${name}` });
      assert.equal((await ask('refs/heads/main', sign)).status, 200);
      await eventually(async () => (await hashOf()) === git.head && fileOf('plugins/a/a.php') === `by ${name}`);
      await eventually(async () => (await owner.api.getSite(at())).busy === null);
    });

  test('with a wrong signature or none is answered like one for a site that is not there', async () => {
    const before = await newestSync();
    const wrong = [
      () => ({}),
      () => ({ 'x-gitlab-token': '' }),
      () => ({ 'x-gitlab-token': 'x' }),
      (_: string, body: string) => ({ 'x-hub-signature-256': `sha256=${hmac('x', body)}` }),
      (secret: string) => ({ 'x-hub-signature-256': `sha256=${hmac(secret, 'another body')}` }),
    ] as const;
    const missing = await fetch(`${app.url}/f/api/v1/git_hook/${owner.teamId}`, { method: 'POST', body: '{}' });
    const answer = { status: missing.status, text: await missing.text() };
    assert.equal(answer.status, 404);
    for (const headers of wrong) assert.deepEqual(await ask('refs/heads/main', headers as never), answer);
    assert.equal((await newestSync())?.id, before?.id);
  });

  test('to another branch, of a tag or a ping does nothing', async () => {
    const before = await newestSync();
    for (const ref of ['refs/heads/other', 'refs/tags/main', undefined])
      assert.equal((await ask(ref, signers.gitlab as never)).status, 200);
    assert.equal((await newestSync())?.id, before?.id);
  });

  test('shows its address and its secret to nobody who may only read', async () => {
    const viewer = await registerPerson(app, 'Viewer');
    await letIn(owner, viewer, 'viewer');
    const { hook_url, hook_secret, branch } = await viewer.api.getGitLink(at());
    assert.deepEqual([hook_url, hook_secret, branch], ['', '', 'main']);
  });
});

suite('a look by the clock', () => {
  const look = async () => {
    await sql`update git_links set look_at = now()`.execute(app.services.db);
    await app.services.jobs.enqueue(app.services.db, planLooks, {});
  };

  test('finds a commit that nobody told of, and tries one that fails only once', async () => {
    await git.push({ 'wp-content/plugins/a/a.php': 'found' });
    await look();
    await eventually(async () => (await hashOf()) === git.head);
    assert.equal((await newestSync())?.activity, `${site.fqdn} follows its repository`);
    await git.submodule('wp-content/plugins/sub');
    await look();
    const failed = await eventually(async () => {
      const event = await newestSync();
      return event?.description?.includes('submodule') && event;
    });
    await look();
    const isLookedAt = sql<{ count: number }>`select count(*)::int as count from jobs.job
      where data->>'kind' = 'git.look' and state in ('created', 'retry', 'active')`;
    await eventually(async () => {
      const { rows } = await sql`select from git_links where look_at > now()`.execute(app.services.db);
      return rows.length > 0 && (await isLookedAt.execute(app.services.db)).rows[0]?.count === 0;
    });
    assert.equal((await newestSync())?.id, failed.id);
  });

  test('says that the account is gone, until the repository is linked again', async () => {
    await git.reset(first);
    const url = `${host.url}/ada/site.git`;
    await assert.rejects(link(url), refused(422, 'git.needs_credentials'));
    const body = { provider: 'gitea', base_url: host.url, token: TOKEN } as const;
    const { id } = await owner.api.createGitAccount({ body });
    await link(url);
    assert.deepEqual([await hashOf(), (await owner.api.getGitLink(at())).is_account_missing], [first, false]);
    // It is used for as long as whoever linked it works for the team.
    const setRole = (role: 'viewer' | 'owner') =>
      sql`update team_members set role = ${role} where user_id = ${owner.userId}`.execute(app.services.db);
    await setRole('viewer');
    assert.equal((await owner.api.getGitLink(at())).is_account_missing, true);
    await setRole('owner');
    await owner.api.deleteGitAccount({ params: { git_account_id: id } });
    assert.match(await refusal(), /account that opened the repository is linked no more/);
    assert.equal((await owner.api.getGitLink(at())).is_account_missing, true);
    await owner.api.createGitAccount({ body });
    await link(url);
    assert.equal((await owner.api.getGitLink(at())).problem, null);
  });
});
