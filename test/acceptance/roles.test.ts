import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { registerPerson } from '#testkit/app/people.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { newSite, putOnPlan } from '#testkit/app/sites.ts';
import { createTestDatabase, startTestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually, refused } from '#testkit/expect.ts';
import { freePort } from '#testkit/free-port.ts';
import { Remote } from '#testkit/git/remote.ts';

test('processes of every role start at once on an empty database and share the work', async () => {
  const database = await createTestDatabase({ empty: true });
  const roles = ['all', 'api', 'api', 'worker', 'edge'];
  const apps = await Promise.all(roles.map((ROLE) => startTestApp({ databaseUrl: database.url, env: { ROLE } })));
  const [all, api, second, worker, edge] = apps as [
    (typeof apps)[0],
    (typeof apps)[0],
    (typeof apps)[0],
    (typeof apps)[0],
    (typeof apps)[0],
  ];
  try {
    const { db } = api.services;
    assert.equal((await db.selectFrom('users').selectAll().where('is_superuser', '=', true).execute()).length, 1);
    assert.equal((await db.selectFrom('regions').selectAll().execute()).length, 1);
    assert.equal((await fetch(`${worker.api}/region`)).status, 404);
    assert.equal((await fetch(`${edge.api}/region`)).status, 404);
    for (const app of apps) assert.equal((await fetch(`${app.url}/readyz`)).status, 200);

    // Registered on one process, used on another; the mail is written by whichever works.
    await all.close();
    const person = await registerPerson(api, 'Ada', { verified: false });
    const mail = await worker.mailTo(person.email, '/verify');
    const token = /token=([\w-]+)/.exec(mail)?.[1];
    const answer = await fetch(`${second.api}/verify_email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    });
    assert.equal(answer.status, 200);
    // The older credential ended with it, on the process that had it in memory too, as soon as that heard of it.
    const headers = { authorization: `Bearer ${person.token}` };
    const statusOfMe = async () => (await fetch(`${api.api}/me`, { headers })).status;
    for (const end = Date.now() + 4_000; (await statusOfMe()) !== 401; ) assert.ok(Date.now() < end, 'it still opens');
  } finally {
    await Promise.all([api, second, worker, edge].map((app) => app.close()));
    await database.drop();
  }
});

test('each role is a process of its own, and nobody but the host has the sites', async () => {
  const database = await createTestDatabase({ empty: true });
  const start = (ROLE: string, env = {}) => startTestApp({ databaseUrl: database.url, env: { ROLE, ...env } });
  const edge = await start('edge');
  // Sites are reached through the edge, so that is the port in their addresses.
  const folder = mkdtempSync(join(tmpdir(), 'siteyard-roles-'));
  const shared = { BASE_URL: edge.url, GIT_FILE_ROOTS: folder };
  const port = await freePort();
  const [host, api, worker] = await Promise.all([
    start('host', shared),
    start('api', { ...shared, PORT: String(port) }),
    start('worker', shared),
  ]);
  const running = new Set([api, worker, edge, host]);
  const awake = () => host.runtime.awake().length;
  try {
    const ada = await registerPerson({ ...api, url: `http://localhost:${port}` }, 'Ada');
    await putOnPlan(api, ada.teamId, 'business');
    const site = await newSite(ada);
    const params = { fqdn: site.fqdn };
    assert.equal(site.busy, null);
    for (const app of [edge, api, worker]) assert.equal(app.services.localHost, undefined);

    // Pages, files small and large, a part of one, and a folder come from where the site is.
    assert.equal((await visit(edge, site.fqdn, '/wp-login.php')).status, 200);
    assert.equal(awake(), 1);
    const disk = siteOnDisk(host, site.id);
    const large = 'large '.repeat(1_000_000);
    await disk.write('uploads/small.txt', 'small');
    await disk.write('uploads/large.txt', large);
    const open = (path: string, headers = {}) => visit(edge, site.fqdn, path, { headers });
    assert.equal((await open('/wp-content/uploads/small.txt')).text, 'small');
    assert.equal((await open('/wp-content/uploads/large.txt')).text, large);
    assert.equal((await open('/wp-content/uploads/large.txt', { range: 'bytes=6-10' })).text, 'large');
    assert.equal((await open('/wp-content/uploads')).status, 301);
    assert.equal((await open('/wp-content/uploads/missing.txt')).status, 404);

    // Its files are edited there, too, and what the host refuses is refused in the same words.
    const edit = (body: { path: string; content: string; version?: string }) => ada.api.saveSiteFile({ params, body });
    const saved = await edit({ path: 'edited.txt', content: large.slice(0, 2_000_000) });
    assert.equal((await ada.api.getSiteFile({ params, query: { path: 'edited.txt' } })).version, saved.version);
    await assert.rejects(edit({ path: 'edited.txt', content: '', version: 'another' }), refused(409, 'file.changed'));
    await assert.rejects(edit({ path: '../out.txt', content: '' }), refused(422));
    const upload = { params, query: { path: 'uploads/up.bin' }, body: new Blob([large]) };
    assert.equal((await ada.api.uploadSiteFile(upload)).size, large.length);
    assert.equal(await disk.read('uploads/up.bin'), large);
    const packed = (await ada.api.downloadSiteFile({ params, query: { path: 'uploads' } })) as Blob;
    assert.equal(Buffer.from(await packed.arrayBuffer()).toString('latin1', 0, 2), 'PK');
    assert.equal((await ada.api.searchSiteFiles({ params, query: { name: 'edited' } })).matches.length, 1);
    for (const path of ['edited.txt', 'uploads/up.bin']) await ada.api.deleteSiteFile({ params, query: { path } });

    // Its past, its log and its mail too.
    const point = await disk.keep();
    await disk.write('uploads/small.txt', 'changed');
    const wish = { restore_point: point, restore_db: true, restore_cms_content: true };
    const preview = await ada.api.previewPitRestore({ params, wait: 60, body: { restore_point: point } });
    assert.equal(preview.num_files_restored, 1);
    const { urls } = await ada.api.createBlobUrls({ params, body: { keys: ['uploads/large.txt'] } });
    assert.equal(await (await fetch(String(urls[0]?.url).replace(edge.url, `http://localhost:${port}`))).text(), large);
    const restored = await ada.api.createPitRestore({ params, wait: 120, body: wish });
    assert.equal(restored.failed_reason, null);
    assert.equal(readFileSync(join(host.runtime.contentFolder(site.id), 'uploads/small.txt'), 'utf8'), 'small');
    await edge.services.siteLog.flush();
    const { results } = await ada.api.listSiteLog({ params, query: { kind: 'access', search: 'large.txt' } });
    assert.equal(results.length, 2);

    // A worker fetches what the host places.
    const git = await Remote.create(join(folder, 'site.git'), { 'plugins/a/a.php': 'a', 'plugins/a/large.txt': large });
    await ada.api.updateSite({ params, wait: 60, body: { git_url: git.url } });
    assert.equal(readFileSync(join(host.runtime.contentFolder(site.id), 'plugins/a/large.txt'), 'utf8'), large);

    // A process that serves no sites says so at once.
    assert.equal((await visit({ url: `http://localhost:${port}` }, site.fqdn, '/')).status, 421);
    assert.equal((await visit(edge, site.fqdn, '/')).status, 200);
    await ada.api.sleepSite({ params, wait: 60 });
    await eventually(async () => awake() === 0);
    assert.equal((await visit(edge, site.fqdn, '/wp-login.php')).status, 200);
    assert.equal((await ada.api.getSite({ params })).is_sleeping, false);
    await ada.api.updateSite({ params, wait: 60, body: { new_fqdn: `new-${site.fqdn}` } });
    assert.equal((await visit(edge, `new-${site.fqdn}`, '/')).status, 200);

    // Without the host visitors are told so.
    running.delete(host);
    await host.close();
    assert.equal((await visit(edge, `new-${site.fqdn}`, '/wp-login.php')).status, 503);
  } finally {
    await Promise.all([...running].map((app) => app.close()));
    await database.drop();
    rmSync(folder, { recursive: true });
  }
});
