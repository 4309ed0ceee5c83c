import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { siteHostName } from '#core/cluster.ts';
import { specOf } from '#features/instance/instance.ts';
import { SiteFailure } from '#runtimes/runtime.ts';
import type { Site } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { holdSite, newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { eventually, refused } from '#testkit/expect.ts';
import { hold, onHeldSite } from './hold.ts';
import { heardEveryMs, isTimeToSay, SILENT_SECONDS, thisProcess } from './platform-process.ts';

let app: TestApp;
let owner: Person;
let site: Site;
before(async () => {
  app = await startTestApp();
  owner = await registerPerson(app, 'Owner');
  await putOnPlan(app, owner.teamId, 'micro');
  site = await newSite(owner);
});
after(() => app?.close());

async function mayStart({ services } = app): Promise<boolean> {
  const row = await services.db.selectFrom('sites').selectAll().where('id', '=', site.id).executeTakeFirstOrThrow();
  try {
    await services.hosts.start(specOf(services, row));
    return true;
  } catch (error) {
    assert.ok(error instanceof SiteFailure);
    assert.equal(error.reason, 'stopped');
    return false;
  }
}

/** Another process of the platform that runs sites, as far as the database knows. */
async function addProcess(more: { machine?: string; pid?: number } = {}): Promise<string> {
  const process = { ...thisProcess(app.services), id: randomUUID(), machine: 'elsewhere', ...more };
  await app.services.db.insertInto('platform_processes').values(process).execute();
  return process.id;
}

/** Begins a work; `isAlone` tells whether it has the site to itself by now. */
async function beginWork() {
  const eventId = randomUUID();
  const letGo = await holdSite(app, site.id, 'updating', eventId);
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let isAlone = false;
  const running = onHeldSite(app.services, { siteId: site.id, eventId }, () => {
    isAlone = true;
    begun.resolve();
    return ended.promise;
  });
  const end = async () => {
    ended.resolve();
    await running;
    await letGo();
  };
  return { eventId, begun: begun.promise, isAlone: () => isAlone, end };
}

suite('a held site', () => {
  test('is started by nobody until it is released, not even by a process that comes later', async () => {
    const letGo = await holdSite(app, site.id);
    await eventually(async () => !(await mayStart()));
    const later = await startTestApp({ databaseUrl: app.databaseUrl });
    try {
      assert.equal(await mayStart(later), false);
      await letGo();
      for (const each of [app, later]) await eventually(() => mayStart(each));
    } finally {
      await later.close();
    }
  });

  test('is not taken by a second work, and of two sites that a work wants it gets both or none', async () => {
    const { db } = app.services;
    const letGo = await holdSite(app, site.id);
    await assert.rejects(holdSite(app, site.id), refusedAsBusy);
    const other = randomUUID();
    const both = db.transaction().execute((tx) => hold(tx, [other, site.id], 'updating', randomUUID()));
    await assert.rejects(both, refusedAsBusy);
    const held = await db.selectFrom('site_holds').select('site_id').execute();
    assert.deepEqual(held, [{ site_id: site.id }]);
    const params = { fqdn: site.fqdn };
    await assert.rejects(owner.api.sleepSite({ params }), refused(409, 'site.busy'));
    await letGo();
    await owner.api.sleepSite({ params, wait: 60 });
  });

  test('has left everything behind when it is released', async () => {
    const work = await beginWork();
    await work.begun;
    await work.end();
    const { rows } = await sql`select from hold_answers where site_id = ${site.id}`.execute(app.services.db);
    assert.equal(rows.length, 0);
    assert.equal((await owner.api.getSite({ params: { fqdn: site.fqdn } })).busy, null);
  });
});

const refusedAsBusy = { code: 'site.busy' };

suite('a work', () => {
  test('waits for every process that could run the site, until it says that it let go', async () => {
    const { db } = app.services;
    const process_id = await addProcess();
    const work = await beginWork();
    // Our own process has answered, and the other one has not.
    await eventually(async () => (await answersOf(work.eventId)).length === 1);
    assert.equal(work.isAlone(), false);
    await db.insertInto('hold_answers').values({ event_id: work.eventId, site_id: site.id, process_id }).execute();
    await work.begun;
    await work.end();
    await db.deleteFrom('platform_processes').where('id', '=', process_id).execute();
  });

  test('does not wait for one that was not heard of for a minute', async () => {
    const { db } = app.services;
    const id = await addProcess();
    const work = await beginWork();
    await eventually(async () => (await answersOf(work.eventId)).length === 1);
    assert.equal(work.isAlone(), false);
    const seen_at = new Date(Date.now() - 90_000);
    await db.updateTable('platform_processes').set({ seen_at }).where('id', '=', id).execute();
    await work.begun;
    await work.end();
  });

  test('does not wait for one of this machine that was killed', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    const id = await addProcess({ pid, machine: thisProcess(app.services).machine });
    const work = await beginWork();
    await work.begun;
    await work.end();
    await app.services.db.deleteFrom('platform_processes').where('id', '=', id).execute();
  });
});

suite('a process of the platform', () => {
  const process = (host: string | null, idle_since: Date | null = null) => ({
    ...thisProcess(app.services),
    host,
    idle_since,
  });
  const pod = siteHostName('cluster', randomUUID());

  test('says often that it lives; the pod of a site a quarter as often, since there are as many as sites', () => {
    const saysAfter = (host: string | null, ms: number) => isTimeToSay(process(host), process(host), ms);
    assert.deepEqual([saysAfter(null, 5_000), saysAfter('local', 5_000), saysAfter(pod, 5_000)], [true, true, false]);
    assert.deepEqual([saysAfter(pod, 15_000), saysAfter(pod, 20_000)], [false, true]);
    assert.ok(3 * heardEveryMs(pod) <= SILENT_SECONDS * 1000, 'it is not taken for gone for one word that was lost');
  });

  test('says soon that it rests, or rests no more: by that a pod is put to sleep', () => {
    const [earlier, now] = [new Date(Date.now() - 1000), new Date()];
    const says = (is: Date | null, said: Date | null) => isTimeToSay(process(pod, is), process(pod, said), 5_000);
    assert.deepEqual([says(now, null), says(null, now), says(now, earlier)], [true, true, true]);
    assert.deepEqual([says(now, now), says(null, null)], [false, false]);
  });
});

async function answersOf(eventId: string): Promise<unknown[]> {
  return app.services.db.selectFrom('hold_answers').selectAll().where('event_id', '=', eventId).execute();
}
