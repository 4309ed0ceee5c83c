import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { PATIENCE } from '#features/page-check/look-at-pages.ts';
import type { ApiError, Site } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { newFqdn, newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually, refused } from '#testkit/expect.ts';
import { Remote } from '#testkit/git/remote.ts';
import { pause } from '#testkit/pause.ts';

let app: TestApp;
let folder: string;
let owner: Person;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'siteyard-git-deploy-'));
  app = await startTestApp({ env: { OUTBOUND_ALLOW: '127.0.0.0/8', GIT_FILE_ROOTS: folder } });
  owner = await registerPerson(app, 'Owner');
  await putOnPlan(app, owner.teamId, 'business');
});
after(async () => {
  await app?.close();
  await rm(folder, { recursive: true, force: true });
});

const FILES = {
  'plugins/a/a.php': 'one',
  'plugins/a/old.php': 'old',
  'themes/t/style.css': 'css',
  'README.md': 'read',
};
let count = 0;
const remote = (files: Record<string, string> = FILES) => Remote.create(join(folder, `r${count++}.git`), files);
const at = (site: Site) => ({ params: { fqdn: site.fqdn } });
const read = (site: Site) => owner.api.getSite(at(site));
const link = (site: Site, git_url: string | null) => owner.api.updateSite({ ...at(site), wait: 60, body: { git_url } });
const sync = (site: Site) => owner.api.syncGit({ ...at(site), wait: 60 });

const fileOf = (site: { id: string }, path: string) => {
  const file = join(app.runtime.storage(site.id).content, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
};

/** What the newest sync says of itself. */
async function lastSync(site: Site) {
  const { results } = await owner.api.listSiteEvents({ ...at(site), query: { size: 20 } });
  const event = results.find(({ event_type }) => event_type === 'git.synced');
  const detail = event?.detail as { result?: Record<string, never>; failure?: string };
  return { ...event, failure: detail?.failure, result: detail?.result as unknown as Record<string, unknown> };
}

async function linkedSite(files?: Record<string, string>): Promise<{ site: Site; git: Remote }> {
  const [git, site] = [await remote(files), await newSite(owner)];
  await link(site, git.url);
  return { site, git };
}

suite('a repository that is linked', () => {
  test('becomes files of the site at once, and follows what is pushed', async () => {
    const git = await remote();
    const site = await newSite(owner);
    const linked = await link(site, git.url);
    assert.deepEqual([linked.git_url, linked.git_last_sync_hash, linked.busy], [git.url, git.head, null]);
    assert.equal(fileOf(site, 'plugins/a/a.php'), 'one');
    assert.equal(fileOf(site, 'README.md'), undefined, 'it is no part of a site');
    const { result } = await lastSync(site);
    assert.deepEqual([result.hash, result.branch, result.files_added], [git.head, 'main', 3]);
    assert.deepEqual((result.checks as unknown[])[0], { page: 'front page', before: 200, after: 200 });

    await siteOnDisk(app, site.id).write('plugins/own/own.php', 'own');
    await siteOnDisk(app, site.id).write('uploads/a.txt', 'a');
    await git.push({ 'plugins/a/a.php': 'two', 'plugins/a/old.php': null, 'themes/u/style.css': 'new' });
    const synced = await sync(site);
    assert.equal(synced.last_sync_hash, git.head);
    const paths = [
      'plugins/a/a.php',
      'plugins/a/old.php',
      'themes/u/style.css',
      'plugins/own/own.php',
      'uploads/a.txt',
    ];
    assert.deepEqual(
      paths.map((path) => fileOf(site, path)),
      ['two', undefined, 'new', 'own', 'a'],
    );
    const { files_added, files_changed, files_deleted, overwritten } = (await lastSync(site)).result;
    assert.deepEqual([files_added, files_changed, files_deleted, overwritten], [1, 1, 1, []]);
  });

  test('comes with a new site, and is unlinked without losing a file', async () => {
    const git = await remote();
    const site = await newSite(owner, { git_url: git.url });
    assert.deepEqual([site.git_last_sync_hash, site.busy], [git.head, null], 'the response waits for the first sync');
    const { results } = await owner.api.listSiteEvents(at(site));
    const [created, synced] = ['site.created', 'git.synced'].map((type) => results.find((e) => e.event_type === type));
    assert.equal(created?.detail.git_sync_event_id, synced?.id);
    assert.ok(String(created?.finished_at) >= String(synced?.finished_at));
    const unlinked = await link(site, null);
    assert.deepEqual([unlinked.git_url, unlinked.git_last_sync_hash], [null, null]);
    assert.equal(fileOf(site, 'plugins/a/a.php'), 'one');
    await assert.rejects(sync(site), refused(409, 'git.not_linked'));
    await assert.rejects(owner.api.getGitLink(at(site)), refused(409, 'git.not_linked'));
  });

  test('fails the creation that waits for it where its first sync fails; site and stage are there', async () => {
    const broken = { 'mu-plugins/broken.php': '[{"fail":true}]' };
    const [git, fqdn] = [await remote({ ...FILES, ...broken }), newFqdn()];
    const notSynced = (error: unknown) => {
      refused(502, 'git.sync_failed')(error);
      assert.match(
        (error as Error).message,
        /site is ready, but the first sync .* failed\. The deploy was rolled back/,
      );
      return true;
    };
    await assert.rejects(newSite(owner, { fqdn, git_url: git.url }), notSynced);
    const site = await owner.api.getSite({ params: { fqdn } });
    assert.deepEqual([site.busy, site.active, site.git_last_sync_hash], [null, true, null]);
    await git.push({ 'mu-plugins/broken.php': null });
    await sync(site);
    await git.push(broken, 'next');
    const body = { subdomain: `git-first-${count}`, git_staging_branch: 'next' };
    await assert.rejects(owner.api.createStage({ ...at(site), wait: 60, body }), notSynced);
    const { site_stage } = await read(site);
    assert.deepEqual([site_stage?.git_branch, site_stage?.busy], ['next', null]);
  });

  test('is looked at first: a fault is one of the field, and nothing is linked', async () => {
    const site = await newSite(owner);
    for (const url of [(await remote({ 'src/x.php': '' })).url, 'file:///etc', `file://${folder}/none.git`]) {
      const error = (await link(site, url).catch((reason: unknown) => reason)) as ApiError;
      refused(422)(error);
      assert.deepEqual(error.faults[0]?.loc, ['body', 'git_url']);
    }
    assert.equal((await read(site)).git_url, null);
  });

  test('wins over what the site changed; that is told, and kept at the undo point', async () => {
    const { site, git } = await linkedSite();
    const disk = siteOnDisk(app, site.id);
    await disk.write('plugins/a/a.php', 'by the site');
    await disk.write('themes/t/style.css', 'by the site');
    await git.push({ 'plugins/a/a.php': 'two' });
    await sync(site);
    assert.deepEqual([fileOf(site, 'plugins/a/a.php'), fileOf(site, 'themes/t/style.css')], ['two', 'css']);
    const { overwritten, undo_point } = (await lastSync(site)).result;
    assert.deepEqual(overwritten, ['plugins/a/a.php', 'themes/t/style.css']);
    const restore_point = undo_point as string;
    await owner.api.createPitRestore({ ...at(site), wait: 60, body: { restore_point, restore_db: false } });
    assert.equal(fileOf(site, 'plugins/a/a.php'), 'by the site');
  });

  test('that breaks the site is rolled back by itself, and the event says what broke and what PHP said', async () => {
    const { site, git } = await linkedSite();
    const before = git.head;
    await git.push({
      'mu-plugins/broken.php': '[{"setOption":["blogname","Broken"]},{"fail":true}]',
      'plugins/a/a.php': 'two',
    });
    await assert.rejects(sync(site), refused(502, 'git.sync_failed'));
    const { failure, result } = await lastSync(site);
    assert.match(
      failure ?? '',
      /rolled back, because the front page answered 500 \(before: 200\).*PHP said: .*it fails.*broken\.php/s,
    );
    assert.equal(result.hash, git.head);
    assert.deepEqual([fileOf(site, 'plugins/a/a.php'), fileOf(site, 'mu-plugins/broken.php')], ['one', undefined]);
    assert.notEqual(await siteOnDisk(app, site.id).option('blogname'), 'Broken');
    assert.equal((await visit(app, site.fqdn, '/')).status, 200);
    assert.deepEqual([(await read(site)).git_last_sync_hash, (await read(site)).busy], [before, null]);
    await git.push({ 'mu-plugins/broken.php': null });
    await sync(site);
    assert.equal(fileOf(site, 'plugins/a/a.php'), 'two');
  });

  test('is not rolled back if a page responds late', async (t) => {
    const patience = { ...PATIENCE };
    t.after(() => Object.assign(PATIENCE, patience));
    Object.assign(PATIENCE, { attempts: 1000, timeoutMs: 1000, pauseMs: 50, maxLoadFactor: 1 });
    const { site, git } = await linkedSite();
    await git.push({ 'mu-plugins/slow.php': '[{"hold":"slow"}]' });
    const syncing = sync(site);
    await eventually(async () => fileOf(site, 'slow.begun') !== undefined);
    // The request that began it has timed out by then.
    await pause(2000);
    await siteOnDisk(app, site.id).write('slow.go', '');
    assert.equal((await syncing).last_sync_hash, git.head);
    const { result } = await lastSync(site);
    assert.deepEqual((result.checks as unknown[])[0], { page: 'front page', before: 200, after: 200 });
  });

  test('is followed by a stage on a branch of its own', async () => {
    const { site, git } = await linkedSite();
    await git.push({ 'plugins/a/a.php': 'next' }, 'next');
    const wish = { subdomain: `git-${count}`, git_staging_branch: 'next' };
    const missing = { ...wish, git_staging_branch: 'missing' };
    await assert.rejects(owner.api.createStage({ ...at(site), body: missing }), refused(422, 'git.no_branch'));
    const stage = await owner.api.createStage({ ...at(site), wait: 60, body: wish });
    assert.equal(stage.git_branch, 'next');
    assert.equal(stage.busy, null);
    const staged = await owner.api.getGitLink({ ...at(site), query: { stage: true } });
    assert.equal(staged.last_sync_hash, git.tips.get('next'), 'the response waits for the first sync');
    assert.deepEqual([fileOf(stage, 'plugins/a/a.php'), fileOf(site, 'plugins/a/a.php')], ['next', 'one']);
  });
});
