import assert from 'node:assert/strict';
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';
import { backUp } from '#features/backup-clock/cut.ts';
import type { ApiError, Site, SiteFile } from '#sdk';
import { letIn, type Person, registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { holdSite, insertStage, newSite, putOnPlan } from '#testkit/app/sites.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { makeTinySite } from '#testkit/app/tiny-site.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually, refused } from '#testkit/expect.ts';
import { pause } from '#testkit/pause.ts';

let app: TestApp;
let owner: Person;
let site: Site;
let params: { fqdn: string };
let disk: ReturnType<typeof siteOnDisk>;
before(async () => {
  app = await sharedApp();
  owner = await registerPerson(app, 'Owner');
  await putOnPlan(app, owner.teamId, 'micro');
  site = await newSite(owner);
  params = { fqdn: site.fqdn };
  disk = siteOnDisk(app, site.id);
  await disk.write('themes/mine/style.css', 'a {}');
});

const read = (path: string, more: { stage?: boolean; at?: string } = {}) =>
  owner.api.getSiteFile({ params, query: { path, ...more } });
const save = (path: string, content: string, version?: string | null) =>
  owner.api.saveSiteFile({ params, body: { path, content, ...(version && { version }) } });
const bytes = (text: string) => new Blob([text]);

suite('a file', () => {
  test('is read and saved, and what somebody else changed meanwhile is told instead of lost', async () => {
    const first = await read('themes/mine/style.css');
    assert.deepEqual([first.kind, first.content, first.size, first.not_shown], ['file', 'a {}', 4, null]);
    const saved = await save('themes/mine/style.css', 'b {}', first.version);
    assert.equal(saved.version, (await read('themes/mine/style.css')).version);
    const error = await save('themes/mine/style.css', 'c {}', first.version).catch((thrown: ApiError) => thrown);
    assert.ok(refused(409, 'file.changed')(error));
    const current = (error as ApiError).data.current as SiteFile;
    assert.deepEqual([current.content, current.version], ['b {}', saved.version]);
    assert.equal(await disk.read('themes/mine/style.css'), 'b {}');
    // Nobody has seen what is there, so nobody may replace it.
    await assert.rejects(save('themes/mine/style.css', 'd {}'), refused(409, 'file.changed'));
    await disk.remove('themes/mine/style.css');
    const gone = await save('themes/mine/style.css', 'd {}', saved.version).catch((thrown: ApiError) => thrown);
    assert.equal((gone as ApiError).data.current, null);
    await save('themes/mine/style.css', 'a {}', null);
  });

  test('keeps every byte, whatever lines end with', async () => {
    const text = '\ufeffone\r\ntwo\nthree\rö\u2028';
    await save('odd.txt', text);
    const { content, version } = await read('odd.txt');
    assert.equal(content, text);
    await save('odd.txt', content, version);
    assert.equal(await disk.read('odd.txt'), text);
  });

  test('that is no text, or too large for an editor, says so instead of its content', async () => {
    await disk.write('picture.png', Buffer.from([1, 0, 2]));
    await disk.write('latin.txt', Buffer.from([0x66, 0xfc, 0x72]));
    await disk.write('large.txt', 'x'.repeat(2 * 1024 * 1024 + 1));
    for (const [path, why] of [
      ['picture.png', 'binary'],
      ['latin.txt', 'binary'],
      ['large.txt', 'too_large'],
    ] as const) {
      const { content, version, not_shown } = await read(path);
      assert.deepEqual([content, version, not_shown], [null, null, why]);
    }
    await assert.rejects(save('new.txt', 'x'.repeat(2 * 1024 * 1024 + 1)), refused(413));
    assert.equal((await save('new.txt', '"'.repeat(2 * 1024 * 1024))).size, 2 * 1024 * 1024);
    await owner.api.deleteSiteFile({ params, query: { path: 'new.txt' } });
  });

  test('of a path that leads out or that nothing takes is refused with a 422', async () => {
    for (const path of ['..', '../x', 'a/../../x', '/etc/passwd', 'a//b', 'a\0b', 'n'.repeat(300), 'a/'.repeat(900)]) {
      const query = { path };
      for (const act of [
        () => read(path),
        () => read(path, { at: new Date().toISOString() }),
        () => save(path, 'x'),
        () => owner.api.uploadSiteFile({ params, query, body: bytes('x') }),
        () => owner.api.createSiteFolder({ params, body: { path } }),
        () => owner.api.moveSiteFile({ params, body: { path: 'odd.txt', new_path: path } }),
        () => owner.api.deleteSiteFile({ params, query }),
        () => owner.api.downloadSiteFile({ params, query }),
        () => owner.api.searchSiteFiles({ params, query: { path, name: 'x' } }),
        () => owner.api.getSiteFileHistory({ params, query }),
      ])
        await assert.rejects(act, refused(422), path.slice(0, 20));
    }
  });

  test('is what visitors get as soon as it is saved', async () => {
    await disk.write('uploads/shown.css', 'old {}');
    const ask = async () => (await visit(app, site.fqdn, '/wp-content/uploads/shown.css')).text;
    assert.equal(await ask(), 'old {}');
    await save('uploads/shown.css', 'new {}', (await read('uploads/shown.css')).version);
    await eventually(async () => (await ask()) === 'new {}');
  });
});

suite('a folder', () => {
  test('is listed, made, moved and deleted', async () => {
    await owner.api.createSiteFolder({ params, body: { path: 'plugins/mine' } });
    await assert.rejects(
      owner.api.createSiteFolder({ params, body: { path: 'plugins/mine' } }),
      refused(409, 'file.exists'),
    );
    await save('plugins/mine/mine.txt', 'x');
    symlinkSync('/etc', join(app.runtime.contentFolder(site.id), 'plugins/mine/link'));
    const moved = await owner.api.moveSiteFile({ params, body: { path: 'plugins/mine', new_path: 'plugins/yours' } });
    assert.deepEqual([moved.path, moved.kind], ['plugins/yours', 'folder']);
    const { entries, is_truncated } = await read('plugins/yours');
    assert.deepEqual(
      entries?.map(({ name, kind }) => [name, kind]),
      [
        ['link', 'link'],
        ['mine.txt', 'file'],
      ],
    );
    assert.equal(is_truncated, false);
    await assert.rejects(read('plugins/yours/link/passwd'), refused(404, 'file.not_found'));
    await assert.rejects(
      owner.api.downloadSiteFile({ params, query: { path: 'plugins/yours/link' } }),
      refused(422, 'file.not_a_file'),
    );
    await owner.api.deleteSiteFile({ params, query: { path: 'plugins/yours' } });
    await assert.rejects(read('plugins/yours'), refused(404, 'file.not_found'));
    assert.ok(readdirSync('/etc').includes('passwd'));
  });

  test('is downloaded as a zip file, and a file as its bytes that no browser runs', async () => {
    const headers = { authorization: `Bearer ${owner.token}` };
    const ask = (path: string) => fetch(`${app.api}/site/${site.fqdn}/file/download?path=${path}`, { headers });
    await save('page.html', '<script>alert(1)</script>');
    const file = await ask('page.html');
    assert.equal(await file.text(), '<script>alert(1)</script>');
    assert.equal(file.headers.get('content-type'), 'application/octet-stream');
    assert.match(file.headers.get('content-disposition') ?? '', /^attachment/);
    assert.equal(file.headers.get('x-content-type-options'), 'nosniff');
    await save('empty.txt', '');
    assert.equal((await (await ask('empty.txt')).arrayBuffer()).byteLength, 0);
    const folder = await ask('themes');
    assert.match(folder.headers.get('content-disposition') ?? '', /themes\.zip/);
    assert.equal(
      Buffer.from(await folder.arrayBuffer())
        .subarray(0, 2)
        .toString(),
      'PK',
    );
  });

  test('is searched by name and by text', async () => {
    await save('themes/mine/find.css', 'one\n.needle {}');
    const search = async (query: object) => (await owner.api.searchSiteFiles({ params, query })).matches;
    assert.deepEqual(await search({ text: '.NEEDLE' }), [
      { path: 'themes/mine/find.css', kind: 'file', line: 2, excerpt: '.needle {}' },
    ]);
    assert.equal((await search({ name: 'find', path: 'themes' })).length, 1);
    await assert.rejects(search({}), refused(422));
    await assert.rejects(search({ name: 'a', text: 'b' }), refused(422));
  });
});

suite('an upload', () => {
  test('is there byte for byte, and replaces something only when told to', async () => {
    const content = Buffer.alloc(3_000_000, 'abcdefg\0');
    const query = { path: 'uploads/file.bin' };
    const upload = (body: Blob, replace?: boolean) =>
      owner.api.uploadSiteFile({ params, query: { ...query, ...(replace && { replace }) }, body });
    const uploaded = await upload(new Blob([content]));
    assert.equal(uploaded.size, content.length);
    assert.ok(content.equals(readFileSync(join(app.runtime.contentFolder(site.id), query.path))));
    await assert.rejects(upload(bytes('x')), refused(409, 'file.exists'));
    await upload(bytes('x'), true);
    assert.equal(await disk.read(query.path), 'x');
  });

  test('and whatever grows is refused while the storage of the plan is used up', async () => {
    const { db } = app.services;
    const setUsage = (storage_usage: number) =>
      db.updateTable('teams').set({ storage_usage }).where('id', '=', owner.teamId).execute();
    const { version } = await read('themes/mine/style.css');
    await setUsage(1e15);
    await assert.rejects(
      owner.api.uploadSiteFile({ params, query: { path: 'a' }, body: bytes('x') }),
      refused(402, 'plan.storage'),
    );
    await assert.rejects(save('a.txt', 'x'), refused(402, 'plan.storage'));
    await save('themes/mine/style.css', 'a{}', version);
    await setUsage(0);
  });
});

test('every change is in the next backup, and told with who did it and without what is in the file', async () => {
  // What came before may be told late.
  await eventually(async () => {
    await backUp(app.services, site.id);
    return !(await isDue());
  });
  await save('told.txt', 'what nobody else may read');
  await eventually(isDue);
  const { results } = await owner.api.listSiteEvents({ params, query: { size: 1 } });
  assert.equal(results[0]?.activity, `Owner Tester changed the file told.txt of ${site.fqdn}`);
  assert.ok(!JSON.stringify(results).includes('nobody else may read'));

  async function isDue(): Promise<boolean> {
    const clocks = app.services.db.selectFrom('backup_clocks').selectAll().where('site_id', '=', site.id);
    return (await clocks.executeTakeFirstOrThrow()).due_at !== null;
  }
});

test('the history of a file has each content once, newest first, and reads it as it was', async () => {
  const moments: string[] = [];
  for (const text of ['one', 'two', 'two', 'one']) {
    await disk.write('history.txt', text);
    // Something else changes, too, and a backup of every minute has it.
    await disk.write('other.txt', String(moments.length));
    moments.push(await disk.keep());
  }
  await disk.remove('history.txt');
  await disk.keep();
  const { versions, next_before } = await owner.api.getSiteFileHistory({ params, query: { path: 'history.txt' } });
  assert.deepEqual(
    versions.slice(0, 4).map(({ exists, size }) => [exists, size]),
    [
      [false, null],
      [true, 3],
      [true, 3],
      [true, 3],
    ],
  );
  assert.deepEqual([versions[2]?.since, versions[2]?.at], [moments[1], moments[2]]);
  assert.equal(versions[1]?.version_id, versions[3]?.version_id);
  assert.notEqual(versions[1]?.version_id, versions[2]?.version_id);
  assert.equal(next_before, null);
  assert.equal((await read('history.txt', { at: versions[2]?.at ?? '' })).content, 'two');
  await assert.rejects(read('history.txt', { at: versions[0]?.at ?? '' }), refused(404, 'file.not_found'));
});

test('a site that some work has to itself takes no change, and the work waits for one that runs', async () => {
  const letGo = await holdSite(app, site.id);
  for (const act of [
    () => save('held.txt', 'x'),
    () => owner.api.uploadSiteFile({ params, query: { path: 'held.txt' }, body: bytes('x') }),
    () => owner.api.createSiteFolder({ params, body: { path: 'held' } }),
    () => owner.api.moveSiteFile({ params, body: { path: 'odd.txt', new_path: 'held.txt' } }),
    () => owner.api.deleteSiteFile({ params, query: { path: 'odd.txt' } }),
  ])
    await assert.rejects(act, refused(409, 'site.busy'));
  assert.equal((await read('odd.txt')).kind, 'file');
  await letGo();
  await eventually(() => save('held.txt', 'x').catch(() => undefined));

  // A change that began before the work.
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const { hosts } = app.services;
  const row = await app.services.db.selectFrom('sites').selectAll().where('id', '=', site.id).executeTakeFirstOrThrow();
  const slow = {
    sizeBytes: 1,
    async read() {
      begun.resolve();
      await mayEnd;
      return Buffer.from('x');
    },
  };
  const writing = hosts.writeFile(row, 'slow.txt', slow, null);
  await begun.promise;
  let isSuspended = false;
  const suspending = app.services.localHost?.suspend(site.id).then((resume) => {
    isSuspended = true;
    return resume;
  });
  const late = assert.rejects(hosts.makeFolder(row, 'late'), { reason: 'stopped' });
  await pause(20);
  assert.equal(isSuspended, false);
  end();
  await late;
  await writing;
  (await suspending)?.();
  assert.equal(await disk.read('slow.txt'), 'x');
});

test('the stage has files of its own', async () => {
  await assert.rejects(read('', { stage: true }), refused(404));
  const stage = await insertStage(app, site.id, owner.userId);
  await makeTinySite(app.services, stage.id, `https://${stage.fqdn}`);
  const onStage = { stage: true };
  assert.match((await read('index.php', onStage)).content ?? '', /Silence/);
  await owner.api.saveSiteFile({ params, query: onStage, body: { path: 'stage.txt', content: 'of the stage' } });
  assert.equal((await read('stage.txt', onStage)).content, 'of the stage');
  await assert.rejects(read('stage.txt'), refused(404, 'file.not_found'));
  const history = await owner.api.getSiteFileHistory({ params, query: { path: 'index.php', ...onStage } });
  assert.equal(history.versions.length, 1);
});

test('a viewer of the team reads no file', async () => {
  const viewer = await registerPerson(app, 'Viewer');
  await letIn(owner, viewer, 'viewer');
  await assert.rejects(viewer.api.getSiteFile({ params }), refused(403));
  await assert.rejects(viewer.api.downloadSiteFile({ params }), refused(403));
  await assert.rejects(viewer.api.searchSiteFiles({ params, query: { name: 'a' } }), refused(403));
});
