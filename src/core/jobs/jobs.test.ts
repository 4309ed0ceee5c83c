import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { inTransaction } from '#core/db/database.ts';
import { finishEvent, recordEvent } from '#core/events/events.ts';
import { withoutRetryWaits } from '#testkit/app/job-retries.ts';
import { type Person, registerPerson, signInAs } from '#testkit/app/people.ts';
import { OPERATOR, startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { eventually } from '#testkit/expect.ts';
import { pause } from '#testkit/pause.ts';
import { type JobKind, jobKind } from './jobs.ts';

const running = new Map<string, number>();
let most = 0;
let done: string[] = [];
let mayFail = true;

/** Work that takes until the test says so, by its name. All other takes a moment. */
const held = new Map<string, Promise<void>>();

const work = jobKind<{ site: string; name: string }>({
  name: 'test.work',
  lane: 'site',
  async run({ site, name }, { commit }) {
    running.set(site, (running.get(site) ?? 0) + 1);
    most = Math.max(most, running.get(site) ?? 0);
    await (held.get(name) ?? pause(20));
    running.set(site, (running.get(site) ?? 0) - 1);
    await commit(async () => void done.push(name));
  },
});

const remote = jobKind<{ team: string; name: string }>({
  name: 'test.remote',
  lane: 'git',
  async run({ team, name }, { commit }) {
    running.set(team, (running.get(team) ?? 0) + 1);
    await held.get(name);
    running.set(team, (running.get(team) ?? 0) - 1);
    await commit(async () => void done.push(name));
  },
});

const flaky = jobKind<{ eventId: string }>({
  name: 'test.flaky',
  lane: 'background',
  async run({ eventId }, { commit }) {
    if (mayFail) throw new Error('not this time');
    await commit((tx) => finishEvent(tx, eventId, { ok: true }));
  },
  abandon: (db, { eventId }, error) => finishEvent(db, eventId, { error }),
});

const twice = jobKind<{ teamId: string }>({
  name: 'test.twice',
  lane: 'background',
  async run({ teamId }, { commit }) {
    const effect = () =>
      commit(
        async (tx) =>
          void (await sql`update teams set current_cycle_visits = current_cycle_visits + 1 where id = ${teamId}`.execute(
            tx,
          )),
      );
    await effect();
    await assert.rejects(effect, /over/);
    done.push('twice');
  },
});

let isAway = true;
let visits = 0;
const patient = jobKind<{ eventId: string }>({
  name: 'test.patient',
  lane: 'background',
  async run({ eventId }, { commit }) {
    visits++;
    if (isAway) throw Object.assign(new Error('nobody there'), { isNotYet: true });
    await commit((tx) => finishEvent(tx, eventId, { ok: true }));
  },
  abandon: (db, { eventId }, error) => finishEvent(db, eventId, { error }),
});

let undoAttempts = 0;
const stubborn = jobKind<{ eventId: string }>({
  name: 'test.stubborn',
  lane: 'background',
  async run() {
    throw new Error('never');
  },
  async undo() {
    undoAttempts++;
    throw new Error('not this either');
  },
  abandon: (db, { eventId }, error, undone) => finishEvent(db, eventId, { error, undone }),
});

let app: TestApp;
before(async () => {
  app = await startTestApp({ jobs: [work, remote, flaky, twice, stubborn, patient] as unknown as JobKind[] });
});
after(() => app.close());

const unfinishedEvent = (by: Person) =>
  recordEvent(app.services.db, {
    scope: 'team',
    event_type: 'team.updated',
    activity: 'flaky',
    by,
    team_id: by.teamId,
    unfinished: true,
  });

test('jobs of one site run one at a time', async () => {
  const { db, jobs } = app.services;
  done = [];
  for (let i = 0; i < 6; i++)
    for (const site of ['a', 'b', 'c']) await jobs.enqueue(db, work, { site, name: `${site}${i}` }, site);
  await eventually(async () => done.length === 18);
  assert.equal(most, 1);
  assert.deepEqual(
    [...done].sort(),
    ['a', 'b', 'c'].flatMap((site) => Array.from({ length: 6 }, (_, i) => `${site}${i}`)),
  );
});

test('a site with long work and more of it waiting holds up no other site', async () => {
  const { db, jobs } = app.services;
  done = [];
  const end = Promise.withResolvers<void>();
  held.set('long 1', end.promise);
  await jobs.enqueue(db, work, { site: 'long', name: 'long 1' }, 'long');
  await eventually(async () => running.get('long') === 1);
  await jobs.enqueue(db, work, { site: 'long', name: 'long 2' }, 'long');
  for (const site of ['x', 'y', 'z']) await jobs.enqueue(db, work, { site, name: site }, site);
  await eventually(async () => done.length === 3);
  assert.deepEqual(done.toSorted(), ['x', 'y', 'z']);
  end.resolve();
  await eventually(async () => done.length === 5);
  assert.deepEqual(done.slice(3), ['long 1', 'long 2']);
});

test('work that waits for servers of others holds up no site, and that of one team no other team', async () => {
  const { db, jobs } = app.services;
  done = [];
  const end = Promise.withResolvers<void>();
  for (let i = 0; i < 8; i++) {
    held.set(`slow ${i}`, end.promise);
    await jobs.enqueue(db, remote, { team: 'slow', name: `slow ${i}` }, `slow ${i}`, 'slow');
  }
  await eventually(async () => running.get('slow') === 2);
  await jobs.enqueue(db, remote, { team: 'quick', name: 'quick' }, 'quick', 'quick');
  for (const site of ['x', 'y']) await jobs.enqueue(db, work, { site, name: site }, site);
  await eventually(async () => done.length === 3);
  assert.deepEqual([done.toSorted(), running.get('slow')], [['quick', 'x', 'y'], 2]);
  end.resolve();
  await eventually(async () => done.length === 11);
});

test('a job asked for in a transaction that fails does not exist', async () => {
  const { db, jobs } = app.services;
  done = [];
  await assert.rejects(
    inTransaction(db, async (tx) => {
      await jobs.enqueue(tx, work, { site: 'x', name: 'never' }, 'x');
      throw new Error('changed my mind');
    }),
  );
  await jobs.enqueue(db, work, { site: 'x', name: 'after' }, 'x');
  await eventually(async () => done.length > 0);
  assert.deepEqual(done, ['after']);
});

test('an effect committed with its job happens once, even when the handler tries again', async () => {
  const { db, jobs } = app.services;
  const person = await registerPerson(app);
  done = [];
  await jobs.enqueue(db, twice, { teamId: person.teamId });
  await eventually(async () => done.includes('twice'));
  assert.equal((await person.api.getTeam({ params: { team_id: person.teamId } })).current_cycle_visits, 1);
});

test('a job that keeps failing ends its event, is shown to operators, and works after a retry', async () => {
  const { db, jobs } = app.services;
  const person = await registerPerson(app);
  const begin = () => unfinishedEvent(person);
  const ended = (id: string) =>
    eventually(async () => {
      const found = await person.api.getEvent({ params: { event_id: id } });
      return found.finished_at !== null && found;
    }, 120_000);
  const eventId = await begin();
  await jobs.enqueue(db, flaky, { eventId });
  const event = await withoutRetryWaits(db, () => ended(eventId));
  assert.deepEqual(event.detail, { error: 'not this time' });

  const { api } = await signInAs(app, OPERATOR.email, OPERATOR.password);
  const failed = (await api.listFailedJobs()).results.find(({ payload }) => payload.eventId === eventId);
  assert.equal(failed?.kind, 'test.flaky');
  assert.equal(failed?.error, 'not this time');
  mayFail = false;
  await sql`update events set finished_at = null where id = ${eventId}`.execute(db);
  await api.retryJob({ params: { job_id: failed?.id as string } });
  assert.equal((await ended(eventId)).detail.ok, true);
  assert.equal((await api.listFailedJobs()).count, 0);

  // One that can not even be undone ends all the same, after some attempts.
  const stuckId = await begin();
  await jobs.enqueue(db, stubborn, { eventId: stuckId });
  assert.deepEqual((await withoutRetryWaits(db, () => ended(stuckId))).detail, { error: 'never', undone: false });
  assert.equal(undoAttempts, 5);
  assert.equal((await api.listFailedJobs()).results[0]?.kind, 'test.stubborn');
});

test('a job waits for what is away, with all its retries, and for a day at most', async () => {
  const { db, jobs } = app.services;
  const begun = async () => {
    const eventId = await unfinishedEvent(await registerPerson(app));
    await jobs.enqueue(db, patient, { eventId });
    return eventId;
  };
  const end = (id: string) =>
    eventually(async () => {
      const event = await db
        .selectFrom('events')
        .select(['finished_at', 'detail'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      return event.finished_at !== null && event.detail;
    }, 120_000);
  await withoutRetryWaits(db, async () => {
    const eventId = await begun();
    await eventually(async () => visits > 10, 120_000);
    isAway = false;
    assert.deepEqual(await end(eventId), { ok: true });

    isAway = true;
    const forgottenId = await begun();
    await sql`update jobs.job set created_on = now() - interval '25 hours' where data->>'kind' = 'test.patient'`.execute(
      db,
    );
    assert.deepEqual(await end(forgottenId), { error: 'nobody there' });
  });
});

test('work that takes all there is waits once for each site, and again once it has begun', async () => {
  const { db, jobs } = app.services;
  done = [];
  const end = Promise.withResolvers<void>();
  held.set('first', end.promise);
  await jobs.enqueue(db, work, { site: 'once', name: 'first' }, 'once');
  await eventually(async () => running.get('once') === 1);
  for (const name of ['second', 'third', 'fourth']) await jobs.enqueueOnce(db, work, { site: 'once', name }, 'once');
  await jobs.enqueueOnce(db, work, { site: 'other', name: 'other' }, 'other');
  await eventually(async () => done.length === 1);
  end.resolve();
  await eventually(async () => done.length === 3);
  await pause(300);
  assert.deepEqual(done, ['other', 'first', 'second']);
});

test('work for later is begun at its moment and not before, and holds up nothing of its site', async () => {
  const { db, jobs } = app.services;
  done = [];
  const [soon, tomorrow] = [new Date(Date.now() + 2_000), new Date(Date.now() + 86_400_000)];
  await jobs.enqueueOnce(db, work, { site: 'a', name: 'tomorrow' }, 'a', tomorrow);
  await jobs.enqueue(db, work, { site: 'a', name: 'now' }, 'a');
  await jobs.enqueueOnce(db, work, { site: 'b', name: 'soon' }, 'b', soon);
  await eventually(async () => done.includes('soon'));
  const lateMs = Date.now() - soon.getTime();
  // Nobody announces that its moment has come. Long before workers look by themselves, every half minute.
  assert.ok(lateMs >= 0 && lateMs < 15_000, `${lateMs} ms late`);
  await eventually(async () => done.includes('now'));
  assert.ok(!done.includes('tomorrow'));
});

test('what a killed worker left active is taken up by the next one at once', async () => {
  const api = await startTestApp({ env: { ROLE: 'api' } });
  const { db, jobs } = api.services;
  await jobs.enqueue(db, work, { site: 'k', name: 'survivor' }, 'k');
  // What a kill leaves: a job marked active that nobody works on.
  await sql`update jobs.job set state = 'active', started_on = now(), heartbeat_on = now() where state = 'created'`.execute(
    db,
  );
  // And what pg-boss may have counted meanwhile: it would pass over the key for a minute.
  await sql`update jobs.queue set singletons_active = '{k}' where name = 'site'`.execute(db);
  const worker = await startTestApp({
    databaseUrl: api.databaseUrl,
    jobs: [work] as unknown as JobKind[],
    env: { ROLE: 'worker' },
  });
  await eventually(async () => done.includes('survivor'));
  await worker.close();
  await api.close();
});

test('a job that took its worker down again and again is given up', async () => {
  const api = await startTestApp({ env: { ROLE: 'api' } });
  const { db, jobs } = api.services;
  await jobs.enqueue(db, work, { site: 'k', name: 'deadly' }, 'k');
  await sql`update jobs.job set state = 'active', started_on = now(), retry_count = 15, retry_limit = 15`.execute(db);
  const worker = await startTestApp({
    databaseUrl: api.databaseUrl,
    jobs: [work] as unknown as JobKind[],
    env: { ROLE: 'worker' },
  });
  await eventually(async () => (await sql`select from failed_jobs`.execute(db)).rows.length === 1);
  assert.ok(!done.includes('deadly'));
  await worker.close();
  await api.close();
});
