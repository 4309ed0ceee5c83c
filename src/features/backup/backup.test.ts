import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { inTransaction, type Tx } from '#core/db/database.ts';
import { purgeSite } from '#features/deleted-site/purge.jobs.ts';
import type { Backup, Site } from '#sdk';
import { letIn, type Person, registerPerson } from '#testkit/app/people.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { newFqdn, newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { refused } from '#testkit/expect.ts';
import { prune } from './backup.jobs.ts';

let app: TestApp;
let owner: Person;
let site: Site;
let disk: ReturnType<typeof siteOnDisk>;
let points: string[];
/** Big enough to be stored in chunks. */
const big = randomBytes(3_000_000).toString('base64');

before(async () => {
  app = await startTestApp();
  owner = await registerPerson(app, 'Owner');
  await putOnPlan(app, owner.teamId, 'business');
  site = await newSite(owner);
  disk = siteOnDisk(app, site.id);
  await disk.keep();
  points = [];
  for (const text of ['one', 'two', 'three']) {
    await disk.write('uploads/count.txt', text);
    if (text === 'two') await disk.write('uploads/big.bin', big);
    points.push(await disk.keep());
  }
});
after(() => app?.close());

suite('backups and the files in them', () => {
  test('the closest at or before a point, one or many, closest first', async () => {
    const params = { fqdn: site.fqdn };
    const one = (await owner.api.getBackups({ params, query: { restore_point: points[1] as string } })) as Backup;
    assert.equal(one.created_at, points[1]);
    const justBefore = new Date(Date.parse(points[1] as string) - 1).toISOString();
    const before = (await owner.api.getBackups({ params, query: { restore_point: justBefore } })) as Backup;
    assert.equal(before.created_at, points[0]);
    const many = (await owner.api.getBackups({ params, query: { number_to_fetch: 2 } })) as Backup[];
    assert.deepEqual(
      many.map(({ created_at }) => created_at),
      [points[2], points[1]],
    );
    const tooEarly = { restore_point: '2020-01-01T00:00:00Z' };
    await assert.rejects(owner.api.getBackups({ params, query: tooEarly }), refused(404, 'backup.not_found'));
    assert.deepEqual(await owner.api.getBackups({ params, query: { ...tooEarly, number_to_fetch: 5 } }), []);
    for (const number_to_fetch of [0, 1001]) {
      await assert.rejects(owner.api.getBackups({ params, query: { number_to_fetch } }), refused(422));
    }
  });

  test('lists the files of a point, all or below a prefix', async () => {
    const params = { fqdn: site.fqdn };
    const early = await owner.api.listPitFiles({
      params,
      query: { restore_point: points[0] as string, prefix: 'uploads/' },
    });
    assert.equal(early.backup_point, points[0]);
    assert.deepEqual(
      early.files.map(({ key, size }) => [key, size]),
      [['uploads/count.txt', 3]],
    );
    const all = await owner.api.listPitFiles({ params });
    assert.ok(all.files.some(({ key }) => key === 'index.php'));
    assert.ok(all.files.some(({ key, size }) => key === 'uploads/big.bin' && size === big.length));
  });

  test('links open a file of a date or of a version, whole or in ranges, as an attachment', async () => {
    const params = { fqdn: site.fqdn };
    const open = async (url: string, headers: Record<string, string> = {}) => fetch(url, { headers });
    const first = await owner.api.createBlobUrls({
      params,
      query: { at_date: points[0] as string },
      body: { keys: ['uploads/count.txt'] },
    });
    const [link] = first.urls;
    const whole = await open(link?.url as string);
    assert.equal(await whole.text(), 'one');
    assert.match(whole.headers.get('content-disposition') ?? '', /^attachment; filename\*=UTF-8''count\.txt$/);
    assert.equal(whole.headers.get('x-content-type-options'), 'nosniff');
    assert.match(whole.headers.get('content-security-policy') ?? '', /^sandbox/);

    const now = await owner.api.createBlobUrls({
      params,
      body: { keys: ['uploads/count.txt', 'uploads/big.bin'], version_ids: [link?.version_id as string, null] },
    });
    assert.equal(await (await open(now.urls[0]?.url as string)).text(), 'one', 'a version is what it was');
    const bigUrl = now.urls[1]?.url as string;
    assert.equal(await (await open(bigUrl)).text(), big);
    for (const [range, start, end] of [
      ['bytes=0-0', 0, 1],
      ['bytes=2000000-2000009', 2_000_000, 2_000_010],
      ['bytes=-5', big.length - 5, big.length],
      [`bytes=${big.length - 3}-`, big.length - 3, big.length],
    ] as const) {
      const answer = await open(bigUrl, { range });
      assert.equal(answer.status, 206, range);
      assert.equal(answer.headers.get('content-range'), `bytes ${start}-${end - 1}/${big.length}`);
      assert.equal(await answer.text(), big.slice(start, end), range);
    }
    assert.equal((await open(bigUrl, { range: `bytes=${big.length}-` })).status, 416);
    assert.equal((await open(bigUrl, { range: 'bytes=5-2' })).status, 200);

    const long = `${Array.from({ length: 12 }, () => 'a'.repeat(200)).join('/')}/ü.txt`;
    await disk.write(long, 'long way');
    await disk.keep();
    const far = await owner.api.createBlobUrls({ params, body: { keys: [long] } });
    assert.equal(await (await open(far.urls[0]?.url as string)).text(), 'long way');
  });

  test('a link that was altered, or is of another platform, opens nothing; what is missing is named', async () => {
    const params = { fqdn: site.fqdn };
    const { urls } = await owner.api.createBlobUrls({ params, body: { keys: ['index.php'] } });
    const url = urls[0]?.url as string;
    const [payload = '', signature = ''] = new URL(url).searchParams.get('token')?.split('.') ?? [];
    const parts = JSON.parse(Buffer.from(payload, 'base64url').toString());
    parts[1] = 'wp-config.php';
    const forged = `${Buffer.from(JSON.stringify(parts)).toString('base64url')}.${signature}`;
    for (const [token, status] of [
      [forged, 403],
      [`${payload}.${signature.slice(0, -1)}${signature.endsWith('A') ? 'E' : 'A'}`, 403],
      [`${payload}.`, 422],
      ['nonsense', 422],
    ] as const) {
      const answer = await fetch(url.replace(`${payload}.${signature}`, token));
      assert.equal(answer.status, status, token);
    }
    const keys = ['index.php', 'no/such.txt', '../database/.ht.sqlite', 'uploads'];
    await assert.rejects(owner.api.createBlobUrls({ params, body: { keys } }), refused(404, 'blob.not_found'));
    const bad = { keys: ['index.php'], version_ids: ['../../etc/passwd'] };
    await assert.rejects(owner.api.createBlobUrls({ params, body: bad }), refused(422));
  });

  test('another team’s files stay its own, whatever version is asked for', async () => {
    const stranger = await registerPerson(app, 'Stranger');
    const theirs = await newSite(stranger);
    const params = { fqdn: theirs.fqdn };
    await siteOnDisk(app, theirs.id).keep();
    const secret = await owner.api.createBlobUrls({
      params: { fqdn: site.fqdn },
      body: { keys: ['uploads/count.txt'] },
    });
    const stolen = { keys: ['x'], version_ids: [secret.urls[0]?.version_id as string] };
    await assert.rejects(stranger.api.createBlobUrls({ params, body: stolen }), refused(422));

    // A site that moves brings its own past along, and opens nothing else of the team it comes from.
    const moving = await newSite(owner);
    await siteOnDisk(app, moving.id).keep();
    await putOnPlan(app, stranger.teamId, 'business');
    await letIn(stranger, owner, 'admin');
    const moved = { fqdn: moving.fqdn };
    const own = await owner.api.createBlobUrls({ params: moved, body: { keys: ['index.php'] } });
    await owner.api.updateSite({ params: moved, body: { team_id: stranger.teamId } });
    await assert.rejects(stranger.api.createBlobUrls({ params: moved, body: stolen }), refused(422));
    const kept = { keys: ['index.php'], version_ids: [own.urls[0]?.version_id as string] };
    const { urls } = await stranger.api.createBlobUrls({ params: moved, body: kept });
    assert.equal((await fetch(urls[0]?.url as string)).status, 200);
  });
});

suite('the end of a site', () => {
  test('its backups stay for as long as it can be brought back, and go with it', async () => {
    const doomed = await newSite(owner);
    await siteOnDisk(app, doomed.id).keep();
    const kept = () => app.timeMachine.kept.snapshots(owner.teamId, doomed.id);
    const rows = () => app.services.db.selectFrom('backups').where('site_id', '=', doomed.id).select('id').execute();
    await owner.api.deleteSite({ params: { fqdn: doomed.fqdn }, wait: 60 });
    assert.equal((await kept()).length, 1);
    assert.equal((await rows()).length, 1);
    await sql`update deleted_sites set is_purging = true where id = ${doomed.id}`.execute(app.services.db);
    const commit = (effect: (tx: Tx) => Promise<void>) => inTransaction(app.services.db, effect);
    const job = { services: app.services, id: '', signal: AbortSignal.timeout(60_000), commit };
    await purgeSite.run({ siteId: doomed.id }, job);
    assert.equal((await kept()).length, 0);
    assert.equal((await rows()).length, 0);
  });
});

suite('retention', () => {
  const DAY_MS = 24 * 3_600_000;
  const backups = async () =>
    (await owner.api.getBackups({ params: { fqdn: site.fqdn }, query: { number_to_fetch: 100 } })) as Backup[];

  test('keeps all within the plan’s window, then one a day, with the records, and what is left restores', async () => {
    const params = { fqdn: site.fqdn };
    const all = await backups();
    assert.ok(all.length >= 4);
    await prune(app.services, Date.now() + 89 * DAY_MS);
    assert.equal((await backups()).length, all.length, 'business keeps every minute for 90 days');
    await putOnPlan(app, owner.teamId, 'free');
    await prune(app.services, Date.now() + 2 * DAY_MS);
    const left = await backups();
    // The newest of the day; of two days where midnight came between.
    const dayOf = (backup: Backup | undefined) => backup?.created_at.slice(0, 10);
    const newest = all.filter((backup, index) => dayOf(backup) !== dayOf(all[index - 1]));
    assert.deepEqual(
      left.map(({ commit_hash }) => commit_hash),
      newest.map(({ commit_hash }) => commit_hash),
    );
    const { min_restore_point } = await owner.api.getSite({ params });
    assert.equal(min_restore_point, newest.at(-1)?.created_at);
    await disk.write('uploads/count.txt', 'four');
    const body = { restore_point: all[0]?.created_at as string };
    const done = await owner.api.createPitRestore({ params, wait: 60, body });
    assert.equal(done.num_files_restored, 1);
    const gone = { restore_point: all.at(-1)?.created_at as string };
    if (gone.restore_point < min_restore_point)
      await assert.rejects(owner.api.createPitRestore({ params, body: gone }), refused(422));
  });

  test('a backup is downloaded as an archive that makes the same site elsewhere, for whoever may see all of it', async () => {
    await putOnPlan(app, owner.teamId, 'business');
    await disk.setOption('blogname', 'Ada\'s \\ "Bakery"\n\u0000end');
    // A name that is longer than what importing takes.
    await disk.remove('a'.repeat(200)).catch(() => {});
    await disk.write(`uploads/${'deep/'.repeat(30)}note.txt`, 'far down');
    await disk.write('uploads/empty.txt', '');
    const at = await disk.keep();
    await disk.setOption('blogname', 'later');
    const url = `${app.api}/site/${site.fqdn}/backup/download?restore_point=${at}`;
    const download = (token: string) => fetch(url, { headers: { authorization: `Bearer ${token}` } });
    const viewer = await registerPerson(app, 'Viewer');
    await letIn(owner, viewer, 'viewer');
    assert.equal((await download(viewer.token)).status, 403);
    const reader = await owner.api.createApiToken({ body: { name: 'reads', scopes: ['read'] } });
    assert.equal((await download(reader.token)).status, 403);

    const answer = await download(owner.token);
    assert.equal(answer.headers.get('content-type'), 'application/gzip');
    assert.match(answer.headers.get('content-disposition') ?? '', /^attachment; filename="[\w.-]+\.tar\.gz"$/);
    // One at a time for a team; whoever goes away gives it back.
    assert.equal((await download(owner.token)).status, 429);
    const archive = await answer.blob();
    const gone = await download(owner.token);
    assert.equal(gone.status, 200);
    await gone.body?.cancel();

    const fqdn = newFqdn();
    const copy = await owner.api.importSite({ wait: 60, query: { fqdn, team_id: owner.teamId }, body: archive });
    const there = siteOnDisk(app, copy.id);
    assert.equal(await there.option('blogname'), 'Ada\'s \\ "Bakery"\n\u0000end');
    assert.equal(await there.read(`uploads/${'deep/'.repeat(30)}note.txt`), 'far down');
    assert.equal(await there.read('uploads/big.bin'), big);
    assert.equal(await there.read('uploads/empty.txt'), '');
    const rows = 'select post_title, post_content, post_status from wp_posts order by ID';
    assert.deepEqual(await there.query(rows), await disk.query(rows));
  });
});
