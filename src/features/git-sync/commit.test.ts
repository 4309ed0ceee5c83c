import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { ApiError, GitCommit, Site } from '#sdk';
import { letIn, type Person, registerPerson } from '#testkit/app/people.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { eventually, refused } from '#testkit/expect.ts';
import { type ProviderHost, startProviderHost } from '#testkit/git/provider-host.ts';
import { Remote } from '#testkit/git/remote.ts';
import { git as runGit } from '#testkit/git/repository.ts';

const TOKEN = 'a-git-token-of-tests';
const FILES = {
  'wp-content/plugins/a/a.php': 'one',
  'wp-content/plugins/a/old.php': 'old',
  'wp-content/plugins/a/run.sh': '#!/bin/sh',
  'wp-content/themes/t/style.css': 'css',
  '.gitignore': '*.map\n/wp-content/plugins/ignored/\n',
  '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n/wp-content/plugins/a/tests export-ignore\n',
  'README.md': 'read',
};

let app: TestApp;
let folder: string;
let host: ProviderHost;
let owner: Person;
let site: Site;
let git: Remote;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'siteyard-git-commit-'));
  await mkdir(join(folder, 'ada'));
  host = await startProviderHost(TOKEN, [{ name: 'ada/site', branches: ['main'] }], folder);
  app = await startTestApp({ env: { OUTBOUND_ALLOW: '127.0.0.0/8', GIT_FILE_ROOTS: folder } });
  owner = await registerPerson(app, 'Owner');
  await putOnPlan(app, owner.teamId, 'business');
  git = await Remote.create(join(folder, 'ada/site.git'), FILES);
  await runGit(git.work, 'update-index', '--chmod=+x', 'wp-content/plugins/a/run.sh');
  await chmod(join(git.work, 'wp-content/plugins/a/run.sh'), 0o755);
  await git.push({ 'wp-content/plugins/a/empty.php': '' });
  await owner.api.createGitAccount({ body: { provider: 'gitea', base_url: host.url, token: TOKEN } });
  site = await newSite(owner);
  await owner.api.updateSite({ ...at(), wait: 60, body: { git_url: `${host.url}/ada/site.git` } });
});
after(async () => {
  await app?.close();
  await host?.close();
  await rm(folder, { recursive: true, force: true });
});

const at = (of = site) => ({ params: { fqdn: of.fqdn } });
const disk = () => siteOnDisk(app, site.id);
const onDisk = (path: string) => join(app.runtime.storage(site.id).content, path);
const changes = () => owner.api.getGitChanges(at());
const commit = (body: { branch?: string; message?: string; paths?: string[] } = {}, person = owner) =>
  person.api.commitGitChanges({ ...at(), wait: 60, body: { branch: 'main', message: 'From the site', ...body } });
const sync = () => owner.api.syncGit({ ...at(), wait: 60 });
const hashOf = async () => (await owner.api.getSite(at())).git_last_sync_hash;
const tip = (branch = 'main') => runGit(git.path, 'rev-parse', `refs/heads/${branch}`);
const show = (path: string, branch = 'main') => runGit(git.path, 'show', `refs/heads/${branch}:wp-content/${path}`);
const namesOn = async (branch: string) =>
  (await runGit(git.path, 'ls-tree', '-r', '-z', '--name-only', `refs/heads/${branch}`)).split('\0').filter(Boolean);
const newest = async (type: string) => {
  const { results } = await owner.api.listSiteEvents({ ...at(), query: { size: 20 } });
  return results.find(({ event_type }) => event_type === type);
};
const refusal = (of: Promise<GitCommit>, code: string, status = 409) =>
  of.then(
    () => assert.fail('it was committed'),
    (error: ApiError) => {
      refused(status, code)(error);
      return error.message;
    },
  );
/** The remote's own work goes on from what the site pushed. */
const pull = async () => {
  await runGit(git.work, 'pull', '--quiet', '--ff-only', git.path, 'main');
  git.head = await tip();
};

suite('what was changed on a site', () => {
  test('is listed: files that the repository has, their neighbours, and what is new', async () => {
    const none = await changes();
    assert.deepEqual([none.base, none.folders.filter(({ is_new }) => !is_new)], [git.head, []]);
    await disk().write('plugins/a/a.php', 'two');
    await disk().write('plugins/a/lib/über-neu.php', 'ü');
    await disk().write('plugins/a/-rf.php', 'dash');
    await disk().write('plugins/a/new\nline.php', 'line');
    await disk().write('plugins/a/app.js.map', 'ignored');
    await disk().write('plugins/a/tests/t.php', 'not exported');
    await disk().write('plugins/a/.env', 'PASSWORD=x');
    await disk().write('plugins/a/wp-config.php', 'secret');
    await disk().write('plugins/a/.git/config', '[core]');
    await disk().write('plugins/own/own.php', 'own');
    await disk().write('plugins/ignored/x.php', 'x');
    await disk().write('uploads/a.txt', 'upload');
    await disk().write('cache/a.txt', 'cache');
    await symlink('/etc/passwd', onDisk('plugins/a/passwd.php'));
    await disk().remove('plugins/a/old.php');
    // WordPress gives everything the same rights.
    await disk().write('plugins/a/run.sh', '#!/bin/sh\nexit');
    await chmod(onDisk('plugins/a/run.sh'), 0o644);
    await disk().write('plugins/a/tool', 'tool');
    await chmod(onDisk('plugins/a/tool'), 0o755);
    const found = await changes();
    const files = found.files.filter(({ folder: of }) => of === 'plugins/a').map(({ path, change }) => [path, change]);
    assert.deepEqual(files, [
      ['plugins/a/-rf.php', 'added'],
      ['plugins/a/a.php', 'changed'],
      ['plugins/a/lib/über-neu.php', 'added'],
      ['plugins/a/new\nline.php', 'added'],
      ['plugins/a/old.php', 'deleted'],
      ['plugins/a/run.sh', 'changed'],
      ['plugins/a/tool', 'added'],
    ]);
    const [known, ...others] = found.folders;
    assert.deepEqual(known, { path: 'plugins/a', is_new: false, added: 4, changed: 2, deleted: 1, size: 31 });
    assert.ok(others.every(({ is_new }) => is_new));
    assert.ok(others.some(({ path }) => path === 'plugins/own'));
    const reasons = Object.fromEntries(found.left_out.map(({ path, reason }) => [path, reason]));
    assert.deepEqual(reasons, {
      'plugins/a/.env': 'secret',
      'plugins/a/.git/config': 'name',
      'plugins/a/app.js.map': 'ignored',
      'plugins/a/passwd.php': 'link',
      'plugins/a/tests/t.php': 'unexported',
      'plugins/a/wp-config.php': 'secret',
      'plugins/ignored/x.php': 'ignored',
    });
  });

  test('becomes a commit of the person on a new branch, with right bytes and rights and nothing else', async () => {
    const before = await namesOn('main');
    const made = await commit({ branch: 'from/site', message: '  Ein Ümläut\n\nand -more ' });
    assert.deepEqual([made.branch, made.added, made.changed, made.deleted], ['from/site', 4, 2, 1]);
    assert.deepEqual([made.hash, made.is_synced], [await tip('from/site'), false]);
    assert.equal(made.url, `${host.url}/ada/site/commit/${made.hash}`);
    const about = await runGit(git.path, 'log', '-1', '--format=%P|%an|%ae|%cn|%B', 'from/site');
    assert.equal(about, `${git.head}|Owner Tester|${owner.email}|Owner Tester|Ein Ümläut\n\nand -more`);
    const added = ['-rf.php', 'lib/über-neu.php', 'new\nline.php', 'tool'].map(
      (name) => `wp-content/plugins/a/${name}`,
    );
    const wanted = [...before, ...added].filter((name) => !name.endsWith('/old.php')).sort();
    assert.deepEqual((await namesOn('from/site')).sort(), wanted);
    assert.deepEqual(
      [await show('plugins/a/a.php', 'from/site'), await show('plugins/a/-rf.php', 'from/site')],
      ['two', 'dash'],
    );
    const modes = await runGit(git.path, 'ls-tree', 'from/site', 'wp-content/plugins/a/');
    const modeOf = (name: string) => new RegExp(`^(\\d+) .*/${name}$`, 'm').exec(modes)?.[1];
    assert.deepEqual([modeOf('run.sh'), modeOf('tool'), modeOf('a.php')], ['100755', '100755', '100644']);
    const event = await newest('git.committed');
    const result = event?.detail.result as GitCommit;
    assert.deepEqual([result.hash, result.branch, result.left_out_count], [made.hash, 'from/site', 7]);
    assert.deepEqual([await hashOf(), (await owner.api.getSite(at())).busy], [git.head, null]);
    // The branch has it now; the site still differs from what it follows.
    assert.match(await refusal(commit({ branch: 'from/site' }), 'git.nothing_to_commit'), /has all of it already/);
    assert.equal((await changes()).changed, 2);
  });

  test('moves the site on where it is the branch that it follows; the push that this tells of changes nothing', async () => {
    await disk().write('themes/t/style.css', 'edited');
    const made = await commit({ paths: ['plugins/a/', 'plugins/own'] });
    assert.deepEqual([made.is_synced, await hashOf(), await tip()], [true, made.hash, made.hash]);
    assert.equal(await show('plugins/own/own.php'), 'own');
    const left = (await changes()).files.filter(({ folder: of }) => /^(plugins\/a|plugins\/own|themes\/t)/.test(of));
    assert.deepEqual(
      left.map(({ path }) => path),
      ['themes/t/style.css'],
    );
    const last = await newest('git.synced');
    assert.equal((await tellPush(made.hash as string)).status, 200);
    assert.equal((await newest('git.synced'))?.id, last?.id);
    assert.equal(await disk().read('themes/t/style.css'), 'edited');
    await commit();
    assert.equal(await show('themes/t/style.css'), 'edited');
    await refusal(commit(), 'git.nothing_to_commit');
    await sync();
    const result = (await newest('git.synced'))?.detail.result as Record<string, unknown>;
    const { files_added, files_changed, files_deleted, overwritten } = result;
    assert.deepEqual([files_added, files_changed, files_deleted, overwritten], [0, 0, 0, []]);
    await pull();
  });

  test('goes on top of a branch that others moved, unless they changed the same files', async () => {
    await git.push({ 'wp-content/plugins/a/b.php': 'theirs' });
    await disk().write('plugins/a/a.php', 'three');
    const made = await commit();
    assert.deepEqual([made.is_synced, (await hashOf()) !== made.hash], [false, true]);
    assert.deepEqual([await show('plugins/a/b.php'), await show('plugins/a/a.php')], ['theirs', 'three']);
    await pull();
    await git.push({ 'wp-content/themes/t/style.css': 'theirs', 'wp-content/plugins/a/a.php': 'theirs' });
    await disk().write('plugins/a/a.php', 'four');
    await disk().write('themes/t/style.css', 'ours');
    const said = await refusal(commit(), 'git.branch_moved');
    assert.match(said, /other changes of plugins\/a\/a\.php, themes\/t\/style\.css/);
    assert.deepEqual([await tip(), await disk().read('themes/t/style.css')], [git.head, 'ours']);
    await sync();
  });

  test('is not lost where the account may not push, and says so', async () => {
    await disk().write('plugins/a/a.php', 'five');
    host.takesPushes = false;
    const said = await refusal(commit(), 'git.push_refused');
    assert.match(said, /linked account may not push.*repository is as before/);
    host.takesPushes = true;
    await writeFile(join(git.path, 'hooks/pre-receive'), '#!/bin/sh\necho "main is <protected>"; exit 1\n', {
      mode: 0o755,
    });
    assert.match(await refusal(commit(), 'git.push_refused'), /pre-receive hook declined.*main is protected/);
    await rm(join(git.path, 'hooks/pre-receive'));
    assert.deepEqual([await tip(), await hashOf(), (await owner.api.getSite(at())).busy], [git.head, git.head, null]);
    assert.equal((await owner.api.getGitLink(at())).problem, null);
  });

  test('is pushed once, also where the worker never heard that it was', async () => {
    host.losesNextAnswer = true;
    const made = await commit({ message: 'Once' });
    assert.equal(host.losesNextAnswer, false);
    assert.deepEqual([await tip(), await hashOf(), made.is_synced], [made.hash, made.hash, true]);
    assert.equal(await runGit(git.path, 'log', '-1', '--format=%P', 'main'), git.head);
    await pull();
  });

  test('is refused with a clear word where Git LFS has it', async () => {
    await disk().write('plugins/a/big.bin', 'big');
    await disk().write('plugins/a/a.php', 'six');
    assert.match(
      await refusal(commit(), 'git.not_committable'),
      /plugins\/a\/big\.bin with Git LFS.*Choose other paths/,
    );
    await commit({ paths: ['plugins/a/a.php'] });
    assert.equal(await show('plugins/a/a.php'), 'six');
    await disk().remove('plugins/a/big.bin');
    await pull();
  });

  test('is not taken for deleted where a folder became a link', async () => {
    await disk().remove('themes/t');
    await symlink('/etc', onDisk('themes/t'));
    const found = await changes();
    assert.equal(found.deleted, 0);
    assert.ok(found.left_out.some(({ path, reason }) => path === 'themes/t/style.css' && reason === 'link'));
    await rm(onDisk('themes/t'));
    await disk().write('themes/t/style.css', await show('themes/t/style.css'));
  });
});

suite('a commit is refused', () => {
  test('to what is no branch', async () => {
    const hostile = [
      '--upload-pack=touch /tmp/x',
      '-f',
      '../x',
      'refs/heads/..',
      'refs/heads/x',
      'a b',

      'a:b',
      'HEAD',
      'x.lock',
      'a\nb',
      '@',
      '*',
    ];
    for (const branch of hostile)
      await assert.rejects(commit({ branch }), (error: ApiError) => {
        refused(422)(error);
        assert.deepEqual(error.faults[0]?.loc, ['body', 'branch']);
        return true;
      });
    await assert.rejects(commit({ message: ' \n' }), refused(422));
    await assert.rejects(commit({ paths: [] }), refused(422));
    await refusal(commit({ paths: ['../../etc/passwd', '/', 'uploads', '--all', '.'] }), 'git.nothing_to_commit');
  });

  test('to whoever may only read, and to whoever is not of the team', async () => {
    const [viewer, stranger] = [await registerPerson(app, 'Viewer'), await registerPerson(app, 'Stranger')];
    await letIn(owner, viewer, 'viewer');
    await assert.rejects(commit({}, viewer), refused(403));
    await assert.rejects(viewer.api.getGitChanges(at()), refused(403));
    await assert.rejects(viewer.api.renewGitHookSecret(at()), refused(403));
    await assert.rejects(commit({}, stranger), refused(404));
  });

  test('without a link, without a sync, and without an account', async () => {
    const other = await newSite(owner);
    const commitOther = () =>
      owner.api.commitGitChanges({ ...at(other), wait: 60, body: { branch: 'main', message: 'x' } });
    await refusal(commitOther(), 'git.not_linked');
    await assert.rejects(owner.api.getGitChanges(at(other)), refused(409, 'git.not_linked'));
    await owner.api.updateSite({ ...at(other), wait: 60, body: { git_url: git.url } });
    assert.match(await refusal(commitOther(), 'git.no_account'), /Link one that may push/);
    await app.services.db.updateTable('sites').set({ git_last_sync_hash: null }).where('id', '=', other.id).execute();
    await refusal(commitOther(), 'git.not_synced');
    await assert.rejects(owner.api.getGitChanges(at(other)), refused(409, 'git.not_synced'));
  });
});

suite('a stage', () => {
  test('is committed by itself, from the commit that it has', async () => {
    await git.push({ 'wp-content/plugins/a/a.php': 'next' }, 'next');
    const stage = await owner.api.createStage({
      ...at(),
      wait: 60,
      body: { subdomain: 'git-commit', git_staging_branch: 'next' },
    });
    const ofStage = { ...at(), query: { stage: true } };
    const link = () => owner.api.getGitLink(ofStage);
    await eventually(async () => (await link()).last_sync_hash === git.tips.get('next'), 60_000);
    await siteOnDisk(app, stage.id).write('plugins/a/a.php', 'by the stage');
    assert.equal((await owner.api.getGitChanges(ofStage)).changed, 1);
    const body = { branch: 'next', message: 'Stage' };
    const made = await owner.api.commitGitChanges({ ...ofStage, wait: 60, body });
    assert.deepEqual([made.is_synced, (await link()).last_sync_hash], [true, made.hash]);
    assert.equal(await show('plugins/a/a.php', 'next'), 'by the stage');
    assert.equal(await show('plugins/a/a.php'), 'six');
  });
});

suite('the secret for pushes', () => {
  test('can be renewed, and the one before opens nothing from then on', async () => {
    const before = await owner.api.getGitLink(at());
    const renewed = await owner.api.renewGitHookSecret(at());
    assert.notEqual(renewed.hook_secret, before.hook_secret);
    assert.equal((await tellPush('0'.repeat(40), before.hook_secret)).status, 404);
    assert.equal((await tellPush(git.head, renewed.hook_secret)).status, 200);
    assert.equal(
      (await newest('git.hook_renewed'))?.activity,
      `Owner Tester renewed the secret for pushes to ${site.fqdn}`,
    );
  });
});

async function tellPush(commitHash: string, secret?: string): Promise<Response> {
  const { hook_url, hook_secret } = await owner.api.getGitLink(at());
  const body = JSON.stringify({ ref: 'refs/heads/main', after: commitHash });
  const signature = createHmac('sha256', secret ?? hook_secret)
    .update(body)
    .digest('hex');
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` };
  return fetch(hook_url.replace(/^https?:\/\/[^/]+/, app.url), { method: 'POST', body, headers });
}
