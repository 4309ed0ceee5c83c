import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { inTransaction, openDatabase } from '#core/db/database.ts';
import { Locks } from '#core/db/locks.ts';
import { findClock, keptAs, takeDueSites, touchLatest, touchSites } from '#features/backup/backup.ts';
import { aloneOnSite } from '#features/hold/hold.ts';
import { findSiteById, type SiteRow } from '#features/instance/instance.ts';
import { PLANS } from '#features/plan/plan.ts';
import { sqliteFileOf } from '#runtimes/folders/site-folder.ts';
import type { Backup } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { holdSite, newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { TimeMachineFailure } from '#timemachine/failure.ts';
import { TimeMachine } from '#timemachine/process/time-machine.ts';
import { backUp } from './cut.ts';

let app: TestApp;
let owner: Person;
before(async () => {
  app = await startTestApp();
  owner = await registerPerson(app, 'Owner');
  await putOnPlan(app, owner.teamId, 'business');
});
after(() => app?.close());

const backupsOf = (fqdn: string) =>
  owner.api.getBackups({ params: { fqdn }, query: { number_to_fetch: 100 } }) as Promise<Backup[]>;
const clockOf = async (siteId: string) => {
  const clock = await findClock(app.services.db, siteId);
  assert.ok(clock);
  return clock;
};
const rowOf = async (siteId: string) => (await findSiteById(app.services.db, siteId)) as SiteRow;

async function eventually<T>(look: () => Promise<T | undefined | false>, what: string): Promise<T> {
  for (const end = Date.now() + 30_000; Date.now() < end; await sleep(50)) {
    const found = await look();
    if (found) return found;
  }
  assert.fail(`it did not come: ${what}`);
}

/** A new site whose first backup is there; the clock has nothing to do for it. */
async function quietSite() {
  const site = await newSite(owner);
  await eventually(async () => (await clockOf(site.id)).due_at === null, 'the first backup');
  return { ...site, disk: siteOnDisk(app, site.id) };
}

/** The clock's next turn for the site is now, as if its minute were over. */
const minuteOver = (siteId: string) =>
  sql`update backup_clocks set due_at = now() where site_id = ${siteId} and due_at is not null`.execute(
    app.services.db,
  );

/** Carries what was found out of a transaction that is undone. */
class Taken extends Error {
  readonly taken: string[];
  constructor(taken: string[]) {
    super('undone');
    this.taken = taken;
  }
}

suite('the minutely backup', () => {
  test('takes the first one at creation, with every table of the site and none of the driver', async () => {
    const site = await newSite(owner);
    const [first] = await eventually(async () => {
      const backups = await backupsOf(site.fqdn);
      return backups.length > 0 && backups;
    }, 'the first backup');
    assert.equal(first?.tables_saved.length, 12);
    assert.ok(first?.tables_saved.every((name) => name.startsWith('wp_')));
    const { min_restore_point, tracked_tables, properties } = await owner.api.getSite({ params: { fqdn: site.fqdn } });
    assert.equal(min_restore_point, first?.created_at);
    assert.deepEqual(tracked_tables, first?.tables_saved.toSorted());
    assert.equal((properties.backup as { last_at: string }).last_at, first?.created_at);
  });

  test('costs nothing for a site that ran nothing, and no record where nothing changed', async () => {
    const { id, fqdn } = await quietSite();
    await touchSites(app.services.db, [id]);
    await minuteOver(id);
    await eventually(async () => (await clockOf(id)).due_at === null, 'a look at the site');
    assert.equal((await backupsOf(fqdn)).length, 1);
  });

  test('a visit that runs PHP makes the site due, within its minute and not at once', async () => {
    const { id, fqdn } = await quietSite();
    const { cut_at } = await clockOf(id);
    await visit(app, fqdn, '/?a=visit');
    const { due_at } = await eventually(async () => {
      const clock = await clockOf(id);
      return clock.due_at ? clock : undefined;
    }, 'the site being due');
    assert.equal(due_at?.getTime(), (cut_at?.getTime() ?? 0) + 60_000);
  });

  test('records what changed, table by table and file by file', async () => {
    const { id, fqdn, disk } = await quietSite();
    await disk.write('uploads/a.txt', 'a');
    await disk.write('uploads/b.txt', 'b');
    await disk.setOption('changed', 'yes');
    await touchSites(app.services.db, [id]);
    await minuteOver(id);
    const [newest] = await eventually(async () => {
      const backups = await backupsOf(fqdn);
      return backups.length > 1 && backups;
    }, 'the second backup');
    assert.deepEqual(newest?.tables_saved, ['wp_options']);
    assert.equal(newest?.tables_skipped.length, 11);
    assert.deepEqual([newest?.files_added, newest?.files_changed, newest?.files_removed], [2, 0, 0]);
  });

  test('leaves tables of caches and sessions alone, and those that are not the site’s', async () => {
    const { fqdn, disk } = await quietSite();
    for (const name of ['wp_woocommerce_sessions', 'wp_object_cache', 'strangers']) {
      await disk.query(`create table ${name} (id integer primary key, value text)`);
      await disk.query(`insert into ${name} (value) values ('before')`);
    }
    await disk.query('create table wp_orders (id integer primary key, value text)');
    await disk.keep();
    const site = await owner.api.getSite({ params: { fqdn } });
    assert.deepEqual(site.untracked_tables, ['strangers', 'wp_object_cache', 'wp_woocommerce_sessions']);
    assert.ok(site.tracked_tables.includes('wp_orders'));
    const point = (await backupsOf(fqdn)).at(-1)?.created_at as string;
    const done = await owner.api.createPitRestore({ params: { fqdn }, wait: 60, body: { restore_point: point } });
    assert.equal(done.num_tables_deleted, 1, 'wp_orders came later');
    const [row] = await disk.query('select value from strangers');
    assert.equal(row?.value, 'before');
  });

  test('tells of a failure in an event and on the site, tries again, and tells when it works again', async () => {
    const { id, fqdn, disk } = await quietSite();
    await disk.setOption('changed', 'yes');
    const file = sqliteFileOf(app.runtime.storage(id));
    await app.timeMachine.release(id);
    const right = readFileSync(file);
    writeFileSync(file, 'this is no database');
    await backUp(app.services, id);
    const site = await owner.api.getSite({ params: { fqdn } });
    const { failing_since, failure } = site.properties.backup as { failing_since: string; failure: string };
    assert.ok(failing_since);
    assert.ok(!failure.includes('/'), failure);
    const failed = async () => {
      const { results } = await owner.api.listSiteEvents({ params: { fqdn } });
      return results.filter(({ event_type }) => event_type === 'backup.failed');
    };
    await backUp(app.services, id);
    assert.equal((await failed()).length, 1, 'one event for one trouble');
    assert.equal((await failed())[0]?.finished_at, null);
    assert.equal((await failed())[0]?.description, failure);
    const { due_at, failures } = await clockOf(id);
    assert.equal(failures, 2);
    assert.ok(due_at && due_at.getTime() > Date.now(), 'it is tried again later');
    writeFileSync(file, right);
    await backUp(app.services, id);
    assert.notEqual((await failed())[0]?.finished_at, null);
    const mended = await owner.api.getSite({ params: { fqdn } });
    assert.equal((mended.properties.backup as { failing_since: null }).failing_since, null);
  });

  test('a backup that a killed process did not write down is found by the next one', async () => {
    const { id, fqdn, disk } = await quietSite();
    await disk.setOption('step', '1');
    const lost = await disk.keep();
    await app.services.db
      .deleteFrom('backups')
      .where('site_id', '=', id)
      .where('created_at', '=', new Date(lost))
      .execute();
    // Whoever remembers having told is gone too.
    await app.timeMachine.release(id);
    await disk.setOption('step', '2');
    await disk.keep();
    assert.ok((await backupsOf(fqdn)).some(({ created_at }) => created_at === lost));
  });

  test('what ran in the last moments before a kill is looked at again', async () => {
    const { id } = await quietSite();
    await touchSites(app.services.db, [id]);
    await sql`update backup_clocks set due_at = null where site_id = ${id}`.execute(app.services.db);
    const before = (await clockOf(id)).cut_at as Date;
    await touchLatest(app.services.db, 'another host', 60);
    assert.equal((await clockOf(id)).due_at, null, 'nobody was killed here');
    await touchLatest(app.services.db, (await rowOf(id)).host, 60);
    await eventually(async () => ((await clockOf(id)).cut_at as Date) > before, 'the look');
  });

  test('what another process has kept meanwhile is built on, and not what this one remembers', async () => {
    const { id, disk } = await quietSite();
    const { config, db } = app.services;
    const other = new TimeMachine({ store: { kind: 'disk', folder: join(config.dataDir, 'backups') }, processes: 1 });
    try {
      await disk.setOption('step', 'first');
      const first = await disk.keep();
      await disk.setOption('step', 'second');
      const kept = await keptAs(app.services, await rowOf(id));
      const elsewhere = await other.snapshot({ ...app.runtime.storage(id), ...kept, site: id });
      assert.equal(elsewhere.isNew, true);
      await disk.setOption('step', 'first');
      assert.notEqual(await disk.keep(), first, 'the same as long ago is another minute');
      const { rows } =
        await sql`select from backups where site_id = ${id} and commit_hash = ${elsewhere.newest.hash}`.execute(db);
      assert.equal(rows.length, 1, 'and what the other one did not write down is written down');
    } finally {
      await other.close();
    }
  });

  test('two never work on one site, be it from two processes', async () => {
    const { id } = await quietSite();
    const other = openDatabase(app.databaseUrl, 2, () => {});
    const locks = new Locks(other.pool);
    try {
      const result = await aloneOnSite({ locks }, id, 0, () => backUp(app.services, id));
      assert.equal(result, false, 'somebody else has it');
      assert.equal(await backUp(app.services, id), true);
    } finally {
      await locks.close();
      await other.close();
    }
  });

  test('two clocks take what is due between them, and none of it twice', async () => {
    const { db } = app.services;
    const ids: string[] = Array.from({ length: 20 }, () => randomUUID());
    const [site] = await db.selectFrom('sites').selectAll().limit(1).execute();
    const rows = ids.map((id) => ({ ...(site as SiteRow), id, fqdn: `${id}.localhost` }));
    await db.insertInto('sites').values(rows).execute();
    for (const id of ids) await holdSite(app, id);
    const clocks = ids.map((site_id) => ({ site_id, space: owner.teamId, due_at: new Date(0) }));
    await db.insertInto('backup_clocks').values(clocks).execute();
    // In one transaction that the running clock of this app does not see the sites idle in.
    const taken = await inTransaction(db, async (tx) => {
      await sql`delete from site_holds where site_id = any(${ids}::uuid[])`.execute(tx);
      return [...(await takeDueSites(tx, 12)), ...(await takeDueSites(tx, 12))];
    });
    // Those of other tests may be due as well.
    const own = taken.filter((id) => ids.includes(id));
    assert.deepEqual(own.toSorted(), ids.toSorted());
    await db.deleteFrom('backup_clocks').where('site_id', 'in', ids).execute();
    await db.deleteFrom('sites').where('id', 'in', ids).execute();
  });

  test('a team that has a place does not take the next while others wait, and suspects have places of their own', async () => {
    const { db } = app.services;
    const other = await registerPerson(app, 'Other');
    const [site] = await db.selectFrom('sites').selectAll().limit(1).execute();
    const make = async (teamId: string, dueAt: number, more: { is_slow?: boolean; failures?: number } = {}) => {
      const id: string = randomUUID();
      await db
        .insertInto('sites')
        .values({ ...(site as SiteRow), id, team_id: teamId, fqdn: `${id}.localhost` })
        .execute();
      await holdSite(app, id);
      await db
        .insertInto('backup_clocks')
        .values({ site_id: id, space: teamId, due_at: new Date(dueAt), ...more })
        .execute();
      return id;
    };
    const many = [await make(owner.teamId, 1), await make(owner.teamId, 2), await make(owner.teamId, 3)];
    // A failure by itself makes no suspect: it may be the platform's own.
    const one = await make(other.teamId, 4, { failures: 1 });
    const suspects = [
      await make(owner.teamId, 5, { is_slow: true }),
      await make(owner.teamId, 6, { is_slow: true, failures: 1 }),
      await make(other.teamId, 7, { is_slow: true }),
    ];
    const all = [...many, one, ...suspects];
    const take = (turn: Parameters<typeof takeDueSites>[2], limit = 2) =>
      inTransaction(db, async (tx) => {
        await sql`delete from site_holds where site_id = any(${all}::uuid[])`.execute(tx);
        const taken = (await takeDueSites(tx, limit, turn)).filter((id) => all.includes(id));
        throw new Taken(taken);
      }).catch((error) => (error as Taken).taken?.toSorted() ?? assert.fail(error));
    assert.deepEqual(await take({ isSuspect: false }), [many[0], one].toSorted());
    assert.deepEqual(await take({ isSuspect: false, running: [many[0] as string] }, 1), [one]);
    assert.deepEqual(await take({ isSuspect: true, mostOfTeam: 1 }, 9), [suspects[0], suspects[2]].toSorted());
    await db.deleteFrom('backup_clocks').where('site_id', 'in', all).execute();
    await db.deleteFrom('sites').where('id', 'in', all).execute();
  });

  test('a site whose backup takes too long where others wait is backed up beside them', async () => {
    const { id, disk } = await quietSite();
    const { snapshot } = app.services.hosts;
    const given: (number | undefined)[] = [];
    app.services.hosts.snapshot = (site, kept, options) => {
      given.push(kept.limitMs);
      return snapshot.call(app.services.hosts, site, kept.isSuspect ? kept : { ...kept, limitMs: 0 }, options);
    };
    try {
      for (let file = 0; file < 200; file++) await disk.write(`uploads/${file}.txt`, `${file}`.repeat(5_000));
      assert.equal(await backUp(app.services, id), false);
      const { is_slow, failing_since } = await clockOf(id);
      assert.deepEqual([is_slow, failing_since], [true, null], 'nobody is told of that');
      assert.equal(await backUp(app.services, id), true);
    } finally {
      app.services.hosts.snapshot = snapshot;
    }
    assert.deepEqual(given, [10_000, 120_000]);
    assert.equal((await clockOf(id)).is_slow, false, 'it was quick this time');
  });

  test('the platform’s own trouble makes no suspects, is over within a minute, and what was stored counts all the same', async () => {
    const { db, hosts } = app.services;
    const { id } = await quietSite();
    const { snapshot } = hosts;
    const failing = (code: 'no_room' | 'ended', storedBytes = 0) => {
      hosts.snapshot = async (at, kept, options) => {
        if (at.id !== id) return snapshot.call(hosts, at, kept, options);
        throw Object.assign(new TimeMachineFailure(code, 'trouble'), { storedBytes });
      };
      return backUp(app.services, id);
    };
    const spent = async () =>
      (await sql<{ level: number }>`select level from backup_spending where team_id = ${owner.teamId}`.execute(db))
        .rows[0]?.level ?? 0;
    const before = await spent();
    try {
      for (let time = 0; time < 4; time++) await failing('no_room', 5_000_000);
      const { is_slow, due_at, failures } = await clockOf(id);
      assert.deepEqual([is_slow, failures], [false, 4]);
      assert.ok(due_at && due_at.getTime() <= Date.now() + 60_000, `${due_at}`);
      assert.ok((await spent()) > before + 19_000_000);
      await failing('ended');
      const suspect = await clockOf(id);
      assert.ok(suspect.is_slow && suspect.due_at && suspect.due_at.getTime() > Date.now() + 300_000);
    } finally {
      hosts.snapshot = snapshot;
      await sql`update backup_clocks set due_at = null where site_id = ${id}`.execute(db);
    }
  });

  test('what backups store counts: beyond five times the plan they come less often, and the team is told once', async () => {
    const { db } = app.services;
    const { id, fqdn, disk } = await quietSite();
    const allowed = 5 * PLANS.business.storage_bytes;
    await sql`insert into backup_spending (team_id, level) values (${owner.teamId}, ${allowed})
      on conflict (team_id) do update set level = excluded.level, at = now()`.execute(db);
    const keepMuch = async () => {
      await disk.write('uploads/same.bin', randomBytes(1024 * 1024).toString('latin1'));
      await sql`update backup_spending set level = level + ${10 * 1_000_000_000}`.execute(db);
      return disk.keep();
    };
    await keepMuch();
    await keepMuch();
    const { not_before } = await clockOf(id);
    assert.ok(not_before && not_before.getTime() > Date.now() + 3_600_000, `${not_before}`);
    await sql`update backup_clocks set due_at = null where site_id = ${id}`.execute(db);
    await touchSites(db, [id]);
    assert.deepEqual((await clockOf(id)).due_at, not_before);
    const { results } = await owner.api.listSiteEvents({ params: { fqdn } });
    assert.equal(results.filter(({ event_type }) => event_type === 'backup.delayed').length, 1);
    await sql`delete from backup_spending`.execute(db);
  });

  test('a busy site waits for its turn', async () => {
    const { id } = await quietSite();
    const letGo = await holdSite(app, id);
    await touchSites(app.services.db, [id]);
    await minuteOver(id);
    assert.ok(!(await takeDueSites(app.services.db, 100)).includes(id));
    await letGo();
  });
});
