import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { sql } from 'kysely';
import { figures } from '#core/figures.ts';
import type { JobKind } from '#core/jobs/jobs.ts';
import { EVERY_ROLE, type Part } from '#core/part.ts';
import { createTestDatabase, startTestApp } from '#testkit/app/test-app.ts';
import { eventually } from '#testkit/expect.ts';
import { housekeepingOf } from './job/job.jobs.ts';

/** Parts that tell when they start and stop. */
function tellingParts(told: string[]) {
  return (name: string, stage: Part['stage'], roles: Part['roles'] = EVERY_ROLE): Part => ({
    name,
    stage,
    roles,
    async start() {
      told.push(`start ${name}`);
      return async () => told.push(`stop ${name}`);
    },
  });
}

suite('parts', () => {
  test('start in the order of the stages, and stop in the opposite one', async () => {
    const told: string[] = [];
    const part = tellingParts(told);
    const parts = [part('d', 'serve'), part('c', 'work'), part('a', 'fences'), part('b', 'sites'), part('b2', 'sites')];
    const app = await startTestApp({ parts });
    assert.deepEqual(told.splice(0), ['start a', 'start b', 'start b2', 'start c', 'start d']);
    await app.close();
    assert.deepEqual(told, ['stop d', 'stop c', 'stop b2', 'stop b', 'stop a']);
  });

  test('run in processes of their roles alone', async () => {
    const told: string[] = [];
    const part = tellingParts(told);
    const database = await createTestDatabase();
    const parts = [part('edge', 'work', ['edge']), part('either', 'work', ['worker', 'api']), part('every', 'work')];
    const app = await startTestApp({ databaseUrl: database.url, env: { ROLE: 'api,edge' }, parts });
    await app.close();
    const other = await startTestApp({ databaseUrl: database.url, env: { ROLE: 'worker' }, parts });
    await other.close();
    await database.drop();
    assert.deepEqual(
      told.filter((line) => line.startsWith('start')),
      ['start edge', 'start either', 'start every', 'start either', 'start every'],
    );
  });

  test('that ran are stopped when a later one fails to start', async () => {
    const told: string[] = [];
    const part = tellingParts(told);
    const failing: Part = { ...part('failing', 'serve'), start: () => Promise.reject(new Error('no port')) };
    await assert.rejects(startTestApp({ parts: [part('a', 'fences'), part('b', 'work'), failing] }), /no port/);
    assert.deepEqual(told, ['start a', 'start b', 'stop b', 'stop a']);
  });
});

test('what a feature names is all there: its data, its figures, its job by the clock, its housekeeping', async () => {
  const ran: string[] = [];
  const job: JobKind = {
    name: 'test.by_the_clock',
    lane: 'background',
    schedule: '* * * * *',
    async run() {
      ran.push('job');
    },
  };
  const app = await startTestApp({
    jobs: [job],
    prepare: async (tx, { config }) => {
      const { numUpdatedRows } = await tx.updateTable('regions').set({ city: config.host }).executeTakeFirst();
      ran.push(`prepare ${numUpdatedRows}`);
    },
    housekeeping: async () => void ran.push('housekeeping'),
    figures: [
      figures({
        metrics: {
          test_things: { help: 'Things, by kind', type: 'gauge', label: 'kind' },
          test_turns_total: { help: 'Turns', type: 'counter' },
        },
        read: () => ({ test_things: ran.includes('job') ? { new: 2 } : { old: 1 }, test_turns_total: 7 }),
      }),
    ],
  });
  try {
    assert.deepEqual(ran, ['prepare 1']);
    const { db, jobs, secrets } = app.services;
    const scrape = async () => {
      const authorization = `Bearer ${secrets.derive('metrics token')}`;
      return (await fetch(`${app.url}/metrics`, { headers: { authorization } })).text();
    };
    const before = await scrape();
    assert.match(before, /^# TYPE siteyard_test_things gauge\nsiteyard_test_things\{kind="old"\} 1$/m);
    assert.match(before, /^# TYPE siteyard_test_turns_total counter\nsiteyard_test_turns_total 7$/m);
    const { rows } = await sql<{ cron: string }>`
      select cron from jobs.schedule where data->>'kind' = ${job.name}`.execute(db);
    assert.deepEqual(rows, [{ cron: '* * * * *' }]);
    await jobs.enqueue(db, job, {});
    await jobs.enqueue(db, housekeepingOf([]), {});
    await eventually(async () => ran.includes('job') && ran.includes('housekeeping'));
    const after = await scrape();
    // What is there no more is not told of, and what is counted is not counted twice.
    assert.match(after, /^siteyard_test_things\{kind="new"\} 2$/m);
    assert.ok(!after.includes('kind="old"'));
    assert.match(after, /^siteyard_test_turns_total 7$/m);
  } finally {
    await app.close();
  }
});
