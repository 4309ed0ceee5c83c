import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { registerPerson } from '#testkit/app/people.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { features } from '../index.ts';

let app: TestApp;
before(async () => {
  app = await startTestApp();
});
after(() => app?.close());

test('records that grow for ever go when they are old, thousands at a time, and the young and unfinished ones stay', async () => {
  const { db } = app.services;
  const { teamId, userId } = await registerPerson(app);
  const site = randomUUID();
  const events = (count: number, days: number, isFinished: boolean) =>
    sql`insert into events (team_id, user_id, scope, event_type, activity, description, created_at, finished_at)
      select ${teamId}, ${userId}, 'team', 'x', 'x', 'aged', now() - make_interval(days => ${days}), case when ${isFinished} then now() end
      from generate_series(1, ${count})`.execute(db);
  await events(2_500, 401, true);
  await events(3, 399, true);
  await events(2, 500, false);
  for (const days of [1, 89, 91, 400])
    await sql`insert into failed_jobs (id, queue, kind, payload, created_at)
      values (gen_random_uuid(), 'background', 'x', '{}', now() - make_interval(days => ${days}))`.execute(db);
  for (const days of [1, 799, 801]) {
    await sql`insert into site_usage (site_id, hour) values (${site}, now() - make_interval(days => ${days}))`.execute(
      db,
    );
    await sql`insert into team_usage (team_id, hour) values (${teamId}, now() - make_interval(days => ${days}))`.execute(
      db,
    );
  }
  for (const { housekeeping } of features) await housekeeping?.(db);

  const { rows } = await sql<Record<string, number>>`select
    (select count(*)::int from events where description = 'aged') as events, (select count(*)::int from failed_jobs) as failed_jobs,
    (select count(*)::int from site_usage where site_id = ${site}) as site_usage,
    (select count(*)::int from team_usage where team_id = ${teamId}) as team_usage`.execute(db);
  assert.deepEqual(rows[0], { events: 5, failed_jobs: 2, site_usage: 2, team_usage: 2 });
});
