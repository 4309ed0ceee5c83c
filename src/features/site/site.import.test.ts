import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { after, before, suite, test } from 'node:test';
import { hashForWordPress } from '#runtimes/wordpress/password.ts';
import type { ApiError, Site } from '#sdk';
import { withoutRetryWaits } from '#testkit/app/job-retries.ts';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { insertSite, newFqdn, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { dumpOf } from '#testkit/archives/dump.ts';
import { hostileArchives } from '#testkit/archives/hostile-archives.ts';
import { tarGz, zip } from '#testkit/archives/pack.ts';
import { visit } from '#testkit/clients/visit.ts';
import { openSession } from '#testkit/clients/wordpress-session.ts';
import { eventually, refused } from '#testkit/expect.ts';

const PASSWORD = 'as it was there';
const MAX_BYTES = 1_000_000;

let app: TestApp;
let owner: Person;
let files: { name: string; data: string }[];

before(async () => {
  app = await startTestApp({ env: { IMPORT_MAX_MB: '1' } });
  owner = await registerPerson(app, 'Owner');
  await putOnPlan(app, owner.teamId, 'business');
  const dump = dumpOf({ prefix: 'abc_', title: 'From elsewhere' });
  files = [
    { name: 'public_html/wp-content/uploads/photo.txt', data: 'a photo' },
    { name: 'backup.sql', data: dump.replace('$P$BmallorysHash', await hashForWordPress(PASSWORD)) },
  ];
});
after(() => app?.close());

const imported = (archive: Buffer, fqdn = newFqdn(), person = owner): Promise<Site> =>
  person.api.importSite({ wait: 60, query: { fqdn, team_id: person.teamId }, body: new Blob([archive]) });

/** A request whose body is up to the test. */
function begin(fqdn: string, headers: Record<string, string | number>, person = owner): ClientRequest {
  const asked = request(`${app.api}/site/import?fqdn=${fqdn}&team_id=${person.teamId}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.token}`, ...headers },
  });
  asked.on('error', () => {});
  asked.flushHeaders();
  return asked;
}

async function answerTo(asked: ClientRequest): Promise<{ status: number | undefined; code: string }> {
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const { code } = (await json(response)) as { code: string };
  asked.destroy();
  return { status: response.statusCode, code };
}

/** Whether this process has a file open for what is being sent. */
async function isArriving(): Promise<boolean> {
  const open = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''));
  return (await Promise.all(open)).some((path) => path.startsWith(join(app.services.config.dataDir, 'uploads/')));
}

const left = async () => ({
  uploads: await readdir(join(app.services.config.dataDir, 'uploads')).catch(() => []),
  unpacked: await readdir(join(app.services.config.dataDir, 'imports')).catch(() => []),
  sites: (await app.services.hosts.list(app.services.config.newSites)).sort(),
  rows: (await app.services.db.selectFrom('sites').select('id').execute()).map(({ id }) => id).sort(),
  names: (await app.services.db.selectFrom('site_names').select('fqdn').execute()).map(({ fqdn }) => fqdn).sort(),
});

suite('an archive of a site from elsewhere', () => {
  test('becomes a site under its new name, with its title, its files and its people', async () => {
    const site = await imported(tarGz(files));
    assert.deepEqual([site.busy, site.team_id, site.user_id], [null, owner.teamId, owner.userId]);
    assert.ok(site.current_storage > 0);
    const page = await visit(app, site.fqdn, '/');
    assert.equal(page.status, 200);
    assert.match(page.text, /From elsewhere/);
    assert.match(page.text, /A post; of seven/);
    assert.match((await visit(app, site.fqdn, '/seven/')).text, new RegExp(`href="http://${site.fqdn}:\\d+/seven/"`));
    assert.equal((await visit(app, site.fqdn, '/wp-content/uploads/photo.txt')).text, 'a photo');

    const session = openSession(app, site.fqdn);
    await session.ask('/wp-login.php');
    const wrong = await session.send('/wp-login.php', { log: 'mallory', pwd: 'another one' });
    assert.equal(wrong.status, 200);
    assert.equal((await session.send('/wp-login.php', { log: 'mallory', pwd: PASSWORD })).status, 302);
    const { url } = await owner.api.createSiteLogin({ params: { fqdn: site.fqdn } });
    assert.equal((await visit(app, site.fqdn, url.slice(url.indexOf('/wp-login')))).status, 302);

    const [event] = (await owner.api.listSiteEvents({ params: { fqdn: site.fqdn } })).results.slice(-1);
    assert.equal(event?.event_type, 'site.created');
    assert.match(event?.activity ?? '', /imported/);
    const { uploads, unpacked } = await left();
    assert.deepEqual([uploads, unpacked], [[], []]);
  });

  test('that no site can be made of is refused with the reason, and nothing is left', async () => {
    const hostile = (name: string) => hostileArchives().find((each) => each.name === name)?.bytes as Buffer;
    const fqdn = newFqdn();
    const before = await left();
    const cases: [Buffer, RegExp][] = [
      [hostile('a path that leads up in a zip'), /leads out of its folder/],
      [zip([{ name: 'content/x' }, { name: 'database.sql', data: 'CREATE TRIGGER x;' }]), /CREATE TRIGGER/],
    ];
    for (const [bytes, says] of cases)
      await assert.rejects(imported(bytes, fqdn), (error: ApiError) => {
        refused(422, 'site.import_refused')(error);
        assert.deepEqual(error.faults[0]?.loc, ['body']);
        assert.match(error.faults[0]?.msg ?? '', says);
        return true;
      });
    assert.deepEqual(await left(), before);
  });

  test('that is too large is refused, whether it says so or not', async () => {
    const before = await left();
    const said = begin(newFqdn(), { 'content-length': MAX_BYTES + 1 });
    assert.deepEqual(await answerTo(said), { status: 413, code: 'request.too_large' });
    const unsaid = begin(newFqdn(), { 'transfer-encoding': 'chunked' });
    unsaid.write(Buffer.alloc(MAX_BYTES));
    unsaid.write(Buffer.alloc(1));
    assert.deepEqual(await answerTo(unsaid), { status: 413, code: 'request.too_large' });
    assert.deepEqual(await left(), before);
  });

  test('that has no place is refused before any of it is read', async () => {
    const poor = await registerPerson(app);
    await insertSite(app, poor);
    const slots = begin(newFqdn(), { 'content-length': 1000 }, poor);
    assert.deepEqual(await answerTo(slots), { status: 402, code: 'plan.sites' });
    const rich = await registerPerson(app);
    await app.services.db.updateTable('teams').set({ storage_usage: 1e15 }).where('id', '=', rich.teamId).execute();
    const storage = begin(newFqdn(), { 'content-length': 1000 }, rich);
    assert.deepEqual(await answerTo(storage), { status: 402, code: 'plan.storage' });
    const fqdn = newFqdn();
    await app.services.db
      .insertInto('site_names')
      .values({ fqdn, site_id: await insertSite(app, owner) })
      .execute();
    assert.deepEqual(await answerTo(begin(fqdn, { 'content-length': 1000 })), { status: 409, code: 'site.name_taken' });
  });

  test('that is broken off on its way leaves nothing, and meanwhile the team imports no other', async () => {
    const before = await left();
    const first = begin(newFqdn(), { 'content-length': 1000 });
    first.write('PK');
    await eventually(isArriving);
    assert.deepEqual((await left()).uploads, [], 'what has arrived has no name');
    const next = () => answerTo(begin(newFqdn(), { 'content-length': 2 }).end('PK'));
    assert.deepEqual(await next(), { status: 409, code: 'site.import_running' });
    first.destroy();
    // The turn is given on a moment after the file is gone.
    await eventually(async () => (await next()).status === 422);
    assert.deepEqual(await left(), before);
  });

  test('whose name is taken or whose site can not be opened in the end leaves nothing either', async () => {
    const { hosts, db } = app.services;
    const fqdn = newFqdn();
    const real = { make: hosts.make, diskUsageBytes: hosts.diskUsageBytes };
    const before = await left();
    try {
      let measured = 0;
      hosts.diskUsageBytes = async (site) => {
        if (++measured > 1) throw new Error('a full disk');
        return real.diskUsageBytes(site);
      };
      await withoutRetryWaits(db, () => assert.rejects(imported(zip(files), fqdn), refused(502, 'site.create_failed')));
      assert.deepEqual(await left(), before);
      hosts.diskUsageBytes = real.diskUsageBytes;
      let taken = '';
      hosts.make = async (...args) => {
        await real.make(...args);
        taken = await insertSite(app, owner, { fqdn });
      };
      await assert.rejects(imported(zip(files), fqdn), refused(409, 'site.name_taken'));
      const after = await left();
      assert.deepEqual([after.sites, after.rows], [before.sites, [...before.rows, taken].sort()]);
    } finally {
      Object.assign(hosts, real);
    }
  });
});
