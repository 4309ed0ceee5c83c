import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { type Db, inTransaction } from '#core/db/database.ts';
import { findClock, touchSites } from '#features/backup/backup.ts';
import { backUp } from '#features/backup-clock/cut.ts';
import { purgeSite } from '#features/deleted-site/purge.jobs.ts';
import { specOf } from '#features/instance/instance.ts';
import { findMoments } from '#features/moment/moment.ts';
import { requestSite } from '#runtimes/request.ts';
import type { Site } from '#sdk';
import { LocalCluster } from '#testkit/app/local-cluster.ts';
import { type Person, registerPerson, signInAs } from '#testkit/app/people.ts';
import { SitePods } from '#testkit/app/site-pods.ts';
import { newSite, putOnPlan } from '#testkit/app/sites.ts';
import { OPERATOR, startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { openTerminal } from '#testkit/clients/terminal-client.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually, refused } from '#testkit/expect.ts';
import { freePort } from '#testkit/free-port.ts';
import { pause } from '#testkit/pause.ts';
import { listIdleHosts } from './cluster.sql.ts';

const cluster = new LocalCluster();
const other = new LocalCluster();
let store: string;
let app: TestApp;
let pods: SitePods;
let otherPods: SitePods;
let owner: Person;
let site: Site;
before(async () => {
  store = await mkdtemp(join(tmpdir(), 'cluster-store-'));
  const door = `127.0.0.1:${await freePort()}`;
  app = await startTestApp({
    clusters: new Map([
      ['here', cluster],
      ['there', other],
    ]),
    env: {
      ROLE: 'api,worker,edge',
      CLUSTERS: 'here=/nowhere,there=/nowhere',
      SITE_HOST: 'here',
      KUBE_SITE_IMAGE: 'none',
      KUBE_PLATFORM_DOOR: door,
      POD_DOOR_ADDRESS: door,
      KUBE_IDLE_MINUTES: '600',
      KUBE_WAKE_SECONDS: '20',
      BACKUP_STORE: store,
      BACKUP_PER_HOST: 'on',
    },
  });
  pods = await SitePods.open(app, 'here');
  cluster.pods = pods;
  await pods.keeper();
  otherPods = await SitePods.open(app, 'there');
  other.pods = otherPods;
  await otherPods.keeper();
  owner = await registerPerson(app, 'Owner');
  await putOnPlan(app, owner.teamId, 'starter');
  site = await newSite(owner);
});
after(async () => {
  await pods?.close();
  await otherPods?.close();
  await app?.close();
  await rm(store, { recursive: true, force: true });
});

const params = () => ({ fqdn: site.fqdn });
const home = () => visit(app, site.fqdn, `/?${Math.random()}`);
const rowOf = ({ id }: { id: string }) =>
  app.services.db.selectFrom('sites').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const run = (cmd: string) => owner.api.runSiteCommand({ params: params(), body: { cmd } });
const write = (path: string, content: string) => owner.api.saveSiteFile({ params: params(), body: { path, content } });
const read = async (path: string) => (await owner.api.getSiteFile({ params: params(), query: { path } })).content;

async function keep({ id }: { id: string }): Promise<void> {
  while (!(await backUp(app.services, id))) await pause(20);
}

const untold = async () =>
  (
    await app.services.db
      .selectFrom('backups')
      .select('commit_hash')
      .where('site_id', '=', site.id)
      .where('is_told', '=', false)
      .execute()
  ).map(({ commit_hash }) => commit_hash);

/** Carries what was found out of a transaction that is undone. */
class Found extends Error {
  readonly isFound: boolean;
  constructor(isFound: boolean) {
    super('undone');
    this.isFound = isFound;
  }
}

async function letSleep({ id } = site): Promise<void> {
  await cluster.scale(id, 0);
  await cluster.settled(id);
  assert.ok(!pods.isRunning(id));
}

suite('a site on a cluster', () => {
  test('has a host and a volume of its own, by its plan', async () => {
    assert.equal((await rowOf(site)).host, `here.${site.id}`);
    assert.equal(cluster.homes.get(site.id)?.home.plan, 'starter');
    assert.ok(existsSync(pods.volume(site.id)));
    assert.equal((await home()).status, 200);
  });

  test('is woken by whoever asks: a visitor, a command, a terminal, somebody who looks at its files', async () => {
    const asks = {
      visitor: async () => assert.equal((await home()).status, 200),
      command: async () => assert.equal((await run('wp option get blogname')).exit_code, 0),
      terminal: async () => {
        const terminal = await openTerminal(app, owner, site.fqdn);
        await terminal.expect('here', 'echo he""re\r');
        terminal.socket.close();
      },
      files: async () => void (await owner.api.getSiteFile({ params: params(), query: { path: '' } })),
    };
    for (const [who, ask] of Object.entries(asks)) {
      await letSleep();
      await ask();
      assert.ok(pods.isRunning(site.id), who);
    }
  });

  test('sleeps on through what is only about it, and answers its log', async () => {
    // A backup that is due would wake it.
    await keep(site);
    await letSleep();
    const { hosts } = app.services;
    const row = await rowOf(site);
    assert.deepEqual(await hosts.terminals(row, { owner: 'x', team: 'y' }), { own: [], isFull: false });
    assert.ok((await hosts.coreVersions(row)).length > 0);
    await hosts.appendLog(row, 'access', `${JSON.stringify({ time: Date.now() })}\n`);
    await hosts.endOrphans(row);
    assert.equal(await hosts.diskUsageBytes(row), row.storage_bytes);
    await assert.rejects(hosts.check(row), /sleeps/);
    assert.ok(!pods.isRunning(site.id));
  });

  test('is woken by its backup once, and not again because it woke', async () => {
    await touchSites(app.services.db, [site.id]);
    await letSleep();
    await keep(site);
    assert.ok(pods.isRunning(site.id));
    assert.equal((await findClock(app.services.db, site.id))?.due_at, null);
  });

  test('is put to sleep with its last minute kept and told, so that nobody wakes it for that', async () => {
    const { services } = app;
    assert.equal((await home()).status, 200);
    await write('uploads/last.txt', 'the last minute');
    assert.ok((await findClock(services.db, site.id))?.due_at);
    await owner.api.sleepSite({ params: params(), wait: 60 });
    await eventually(async () => !pods.isRunning(site.id));
    const clock = await findClock(services.db, site.id);
    assert.equal(clock?.due_at, null, 'a backup is due');
    assert.ok(clock.cut_at && clock.cut_at >= clock.touched_at);
    assert.deepEqual(await untold(), []);
    await owner.api.wakeSite({ params: params() });
  });

  test('is put to sleep with what its scheduled work does meanwhile, so that nobody wakes it for that either', async () => {
    const { services } = app;
    assert.equal((await home()).status, 200);
    await write('uploads/slept.txt', 'more');
    const { sendKept } = services.hosts;
    let kept = 0;
    // When its last minute is kept already. What runs again within seconds is written down some seconds later.
    services.hosts.sendKept = async (row) => {
      await sendKept(row);
      if (kept++ > 0) return;
      const cron = { method: 'GET', path: '/wp-cron.php?doing_wp_cron', headers: {}, timeoutMs: 20_000 } as const;
      await requestSite(services.hosts, specOf(services, await rowOf(site)), cron);
    };
    try {
      await owner.api.sleepSite({ params: params(), wait: 60 });
      await eventually(async () => !pods.isRunning(site.id));
    } finally {
      services.hosts.sendKept = sendKept;
    }
    assert.ok(kept > 1, 'what it did was not kept');
    assert.equal((await findClock(services.db, site.id))?.due_at, null, 'a backup is due');
    assert.deepEqual(await untold(), []);
    await owner.api.wakeSite({ params: params() });
  });

  test('is not woken to tell what is new in a backup: that waits until it is awake', async () => {
    const { services } = app;
    await write('uploads/told.txt', 'more');
    await keep(site);
    await letSleep();
    await services.db.updateTable('backups').set({ is_told: false }).where('site_id', '=', site.id).execute();
    const waiting = await untold();
    await findMoments(services, Number.MAX_SAFE_INTEGER);
    // One whose pod was killed looks as if it were there.
    const killed = { id: randomUUID(), machine: 'gone', pid: 1, host: `here.${site.id}`, address: '127.0.0.1:1' };
    await services.db.insertInto('platform_processes').values(killed).execute();
    await findMoments(services, Number.MAX_SAFE_INTEGER);
    assert.ok(!pods.isRunning(site.id));
    assert.deepEqual(await untold(), waiting);
    assert.equal((await home()).status, 200);
    await findMoments(services, Number.MAX_SAFE_INTEGER);
    assert.deepEqual(await untold(), []);
  });

  test('is kept awake in its sleep for what would wake it again', async () => {
    const { db } = app.services;
    assert.equal((await home()).status, 200);
    await keep(site);
    await findMoments(app.services, Number.MAX_SAFE_INTEGER);
    /** Whether its pod may end, where nobody has asked anything of it for twenty seconds. */
    const mayEnd = (change: (tx: Db) => Promise<unknown>) =>
      inTransaction(db, async (tx) => {
        await sql`update sites set is_sleeping = true where id = ${site.id}`.execute(tx);
        await sql`update platform_processes set idle_since = now() - interval '20 seconds' where host = ${`here.${site.id}`}`.execute(
          tx,
        );
        await sql`update backup_clocks set due_at = null, failures = 0 where site_id = ${site.id}`.execute(tx);
        await change(tx);
        const idle = await listIdleHosts(tx, 'here', 600_000);
        throw new Found(idle.includes(`here.${site.id}`));
      }).catch((error) => {
        if (error instanceof Found) return error.isFound;
        throw error;
      });
    const dueIn =
      (seconds: number, failures = 0) =>
      (tx: Db) =>
        sql`update backup_clocks set due_at = now() + make_interval(secs => ${seconds}), failures = ${failures} where site_id = ${site.id}`.execute(
          tx,
        );
    assert.equal(await mayEnd(async () => {}), true);
    assert.equal(await mayEnd(dueIn(40)), false, 'its backup is due within the minute');
    assert.equal(await mayEnd(dueIn(3_600)), true, 'its next backup is far away');
    assert.equal(await mayEnd(dueIn(30, 1)), true, 'its backups fail');
    assert.equal(
      await mayEnd((tx) => sql`update backups set is_told = false where site_id = ${site.id}`.execute(tx)),
      false,
    );
  });

  test('sleeps when its owner says so, and when nobody has asked for it for a while', async () => {
    assert.equal((await home()).status, 200);
    await owner.api.sleepSite({ params: params(), wait: 60 });
    await eventually(async () => !pods.isRunning(site.id));
    assert.equal((await home()).status, 200);
    const { sitePods } = app.services.config;
    const before = sitePods.idleMs;
    sitePods.idleMs = 0;
    try {
      await eventually(async () => !pods.isRunning(site.id), 30_000);
    } finally {
      sitePods.idleMs = before;
    }
  });

  test('serves on while the cluster does not answer, and is away only where it has to be woken', async () => {
    assert.equal((await home()).status, 200);
    cluster.isAway = true;
    try {
      assert.equal((await home()).status, 200);
      await pods.stop(site.id);
      assert.equal((await home()).status, 503);
    } finally {
      cluster.isAway = false;
    }
    assert.equal((await home()).status, 200);
  });

  test('that can not start says why', async () => {
    await letSleep();
    cluster.obstacle = 'ErrImagePull no such image';
    try {
      await assert.rejects(app.services.hosts.numbers(await rowOf(site)), /does not start: ErrImagePull no such image/);
    } finally {
      cluster.obstacle = undefined;
    }
  });

  test('has its stage beside it, and gets what that changed', async () => {
    const stage = await owner.api.createStage({ params: params(), wait: 60, body: { subdomain: 'stage-of-cluster' } });
    assert.equal((await rowOf(stage)).host, `here.${site.id}`);
    await owner.api.saveSiteFile({
      params: params(),
      query: { stage: true },
      body: { path: 'uploads/new.txt', content: 'from the stage' },
    });
    await owner.api.commitStage({ params: params(), wait: 60, body: {} });
    assert.equal(await read('uploads/new.txt'), 'from the stage');
  });

  test('whose volume is lost is as its last backup had it, before anybody sees it', async () => {
    await write('uploads/note.txt', 'kept');
    await run("wp option update blogname 'Kept'");
    await keep(site);
    await letSleep();
    await pods.loseVolume(site.id);
    const first = await home();
    assert.equal(first.status, 200);
    assert.match(first.text, /Kept/);
    assert.equal(await read('uploads/note.txt'), 'kept');
    const { results } = await owner.api.listSiteEvents({ params: params() });
    assert.ok(results.some(({ activity }) => activity.includes('lost its volume and is restored')));
  });

  test('moves to the cluster of another region with all of its past', async () => {
    const operator = await signInAs(app, OPERATOR.email, OPERATOR.password);
    const region = {
      name: 'there',
      city: 'There',
      country: 'Land',
      country_code: 'ZZ',
      cname: 'there.example',
      ip: '192.0.2.7',
    };
    await assert.rejects(operator.api.createRegion({ body: { ...region, cluster: 'nowhere' } }), refused(422));
    await operator.api.createRegion({ body: { ...region, cluster: 'there' } });
    const moving = await newSite(owner, { region_name: 'there' });
    assert.equal((await rowOf(moving)).host, `there.${moving.id}`);
    const at = { fqdn: moving.fqdn };
    await owner.api.saveSiteFile({ params: at, body: { path: 'uploads/a.txt', content: 'one' } });
    await keep(moving);
    const past = await app.services.db
      .selectFrom('backups')
      .select('created_at')
      .where('site_id', '=', moving.id)
      .orderBy('created_at')
      .execute();
    await owner.api.saveSiteFile({ params: at, body: { path: 'uploads/b.txt', content: 'two' } });
    await owner.api.moveSite({ params: at, wait: 60, body: { region_name: 'local' } });
    const row = await rowOf(moving);
    assert.equal(row.host, `here.${moving.id}`);
    await eventually(async () => !other.homes.has(moving.id));
    const file = async (path: string) => (await owner.api.getSiteFile({ params: at, query: { path } })).content;
    assert.deepEqual([await file('uploads/a.txt'), await file('uploads/b.txt')], ['one', 'two']);
    const point = (past.at(-1) as { created_at: Date }).created_at.toISOString();
    const body = { restore_point: point, delete_extra_files: true };
    await owner.api.createPitRestore({ params: at, wait: 60, body });
    assert.equal(await file('uploads/a.txt'), 'one');
    await assert.rejects(file('uploads/b.txt'), refused(404));
  });

  test('is gone with its volume and all that is kept of it when it is purged', async () => {
    const gone = await newSite(owner);
    await keep(gone);
    assert.ok(existsSync(join(store, gone.id)));
    await owner.api.deleteSite({ params: { fqdn: gone.fqdn }, wait: 60 });
    await eventually(async () => (await app.services.db.selectFrom('deleted_sites').select('id').execute()).length > 0);
    // As the hourly look takes one that is past its seven days.
    await app.services.db.updateTable('deleted_sites').set({ is_purging: true }).execute();
    await app.services.jobs.enqueue(app.services.db, purgeSite, { siteId: gone.id }, gone.id);
    await eventually(async () => !(await app.services.db.selectFrom('deleted_sites').select('id').execute()).length);
    assert.ok(!cluster.homes.has(gone.id) && !existsSync(pods.volume(gone.id)));
    const kept = await readdir(join(store, gone.id), { recursive: true, withFileTypes: true });
    assert.deepEqual(
      kept.filter((each) => each.isFile() && each.parentPath.includes('snapshots')).map(({ name }) => name),
      [],
    );
  });
});
