import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { type Db, inTransaction } from '#core/db/database.ts';
import { finishEvent, recordEvent } from '#core/events/events.ts';
import type { Event } from '#sdk';
import { withoutRetryWaits } from '#testkit/app/job-retries.ts';
import { letIn, type Person, registerPerson } from '#testkit/app/people.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { openStream } from '#testkit/clients/event-stream.ts';
import { eventually, refused } from '#testkit/expect.ts';
import { freePort } from '#testkit/free-port.ts';
import { forgetOldEvents } from './event.sql.ts';

let app: TestApp;
let second: TestApp;
before(async () => {
  app = await startTestApp();
  second = await startTestApp({ databaseUrl: app.databaseUrl });
});
after(async () => {
  await second.close();
  await app.close();
});

const write = (person: Person, activity: string, more: object = {}, db: Db = app.services.db) =>
  recordEvent(db, {
    scope: 'team',
    event_type: 'team.updated',
    activity,
    by: person,
    team_id: person.teamId,
    ...more,
  });

/** The same, in a millisecond of its own: within one, the order of a list is that of the ids. */
const writeApart = async (person: Person, activity: string, more: object = {}) => {
  await new Promise((resolve) => setTimeout(resolve, 3));
  return write(person, activity, more);
};

const LONG = { scope: 'team', event_type: 'team.updated', activity: 'Something long', by: null } as const;
const activities = (events: Event[]) => events.map(({ activity }) => activity);

test('events are listed newest first, per user, per team, by site and after a moment', async () => {
  const ada = await registerPerson(app, 'Ada');
  const bob = await registerPerson(app, 'Bob');
  await letIn(ada, bob, 'viewer');
  await writeApart(ada, 'one', { fqdn: 'a.example.com' });
  await writeApart(bob, 'two');
  const mine = (await bob.api.listEvents()).results;
  assert.deepEqual(activities(mine).slice(0, 3), ['two', 'one', 'Bob Tester joined the team']);
  assert.equal(mine[1]?.user?.email, ada.email);
  assert.ok(mine.some(({ event_type, scope }) => event_type === 'account.registered' && scope === 'account'));
  assert.deepEqual(activities((await bob.api.listEvents({ query: { fqdn: 'A.example.com' } })).results), ['one']);
  const paged = await bob.api.listEvents({ query: { page: 2, size: 1 } });
  assert.deepEqual([activities(paged.results), paged.count], [['one'], mine.length]);
  const params = { team_id: ada.teamId };
  const moment = mine[1]?.created_at as string;
  assert.deepEqual(
    activities((await ada.api.listTeamEvents({ params, query: { after_datetime: moment } })).results),
    [],
  );
  assert.deepEqual(activities((await ada.api.listTeamEvents({ params, query: { size: 1 } })).results), ['one']);
});

test('a list says how many events a team has without counting them, also while some are added, forgotten and summed up', async () => {
  const { db } = app.services;
  const ada = await registerPerson(app, 'Ada');
  const counts = async () => {
    const [all, ofTeam] = [
      await ada.api.listEvents({ query: { size: 100 } }),
      await ada.api.listTeamEvents({ params: { team_id: ada.teamId }, query: { size: 100 } }),
    ];
    assert.deepEqual([all.count, ofTeam.count], [all.results.length, ofTeam.results.length]);
    return ofTeam.count;
  };
  const before = await counts();
  await sql`insert into events (team_id, scope, event_type, activity, user_id, created_at, finished_at)
    select ${ada.teamId}, 'team', 'team.updated', 'old', ${ada.userId}, now() - interval '500 days', now() from generate_series(1, 20)`.execute(
    db,
  );
  await Promise.all([
    write(ada, 'one'),
    write(ada, 'two'),
    forgetOldEvents(db),
    forgetOldEvents(db),
    write(ada, 'three'),
  ]);
  await inTransaction(db, async (tx) => {
    await write(ada, 'never', {}, tx);
    throw new Error('rolled back');
  }).catch(() => {});
  assert.equal(await counts(), before + 3);
  await forgetOldEvents(db);
  const { rows } = await sql`select events from event_tallies where team_id = ${ada.teamId}`.execute(db);
  assert.deepEqual(rows, [{ events: before + 3 }]);
  await sql`delete from events where team_id = ${ada.teamId}`.execute(db);
  assert.equal(await counts(), 0);
});

test('an event is seen by its team and its account alone', async () => {
  const ada = await registerPerson(app);
  const stranger = await registerPerson(app);
  const event_id = await write(ada, 'private');
  assert.equal((await ada.api.getEvent({ params: { event_id } })).activity, 'private');
  await assert.rejects(stranger.api.getEvent({ params: { event_id } }), refused(404, 'event.not_found'));
  await assert.rejects(stranger.api.readEvents({ body: { event_id } }), refused(404));
});

test('reading clears unread up to an event, for the reader alone, and never backwards', async () => {
  const [ada, bob, eve] = [await registerPerson(app), await registerPerson(app), await registerPerson(app)];
  await letIn(ada, bob, 'viewer');
  await letIn(ada, eve, 'viewer');
  const first = await writeApart(ada, 'first');
  const middle = await writeApart(ada, 'middle');
  await writeApart(ada, 'last');
  const unread = async (person: Person) => {
    const { results } = await person.api.listTeamEvents({ params: { team_id: ada.teamId }, query: { size: 3 } });
    return results.map((event) => event.unread);
  };
  // What one did oneself is never news.
  assert.deepEqual(await unread(ada), [false, false, false]);
  assert.deepEqual(await unread(bob), [true, true, true]);
  await bob.api.readEvents({ body: { event_id: middle } });
  assert.deepEqual(await unread(bob), [true, false, false]);
  await bob.api.readEvents({ body: { event_id: first } });
  assert.deepEqual(await unread(bob), [true, false, false]);
  assert.deepEqual(await unread(eve), [true, true, true]);
});

test('the stream brings events live on every instance, and continues after Last-Event-ID without gap or double', async () => {
  const ada = await registerPerson(app);
  const here = await openStream(app, ada.token);
  const there = await openStream(second, ada.token);
  await write(ada, 'a');
  await write(ada, 'b');
  for (const stream of [here, there]) {
    const received = [await stream.next(), await stream.next()];
    assert.deepEqual(
      received.map(({ event }) => event.activity),
      ['a', 'b'],
    );
  }
  here.close();
  const lastId = there.lastId;
  there.close();
  for (let i = 0; i < 700; i++) await write(ada, `missed ${i}`);
  const resumed = await openStream(app, ada.token, lastId);
  for (let i = 0; i < 700; i++) assert.equal((await resumed.next()).event.activity, `missed ${i}`);
  await write(ada, 'live again');
  assert.equal((await resumed.next()).event.activity, 'live again');
  resumed.close();
});

test('a transaction that commits late is not stepped over', async () => {
  const ada = await registerPerson(app);
  const stream = await openStream(app, ada.token);
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow = inTransaction(app.services.db, async (tx) => {
    await recordEvent(tx, {
      scope: 'team',
      event_type: 'team.updated',
      activity: 'slow',
      by: ada,
      team_id: ada.teamId,
    });
    await held;
  });
  await eventually(
    async () =>
      (
        await sql`select from pg_stat_activity where state = 'idle in transaction' and datname = current_database()`.execute(
          app.services.db,
        )
      ).rows.length > 0,
  );
  await write(ada, 'quick');
  await new Promise((resolve) => setTimeout(resolve, 200));
  release();
  await slow;
  const received = [(await stream.next()).event.activity, (await stream.next()).event.activity];
  assert.deepEqual(received.sort(), ['quick', 'slow']);
  stream.close();
});

test('progress of an operation is streamed as a newer state of the same event', async () => {
  const ada = await registerPerson(app);
  const stream = await openStream(app, ada.token);
  const { db } = app.services;
  const id = await recordEvent(db, {
    scope: 'team',
    event_type: 'team.updated',
    activity: 'Something long',
    by: null,
    team_id: ada.teamId,
    detail: { step: 'first' },
    unfinished: true,
  });
  const { event: begun } = await stream.next();
  assert.deepEqual([begun.id, begun.finished_at, begun.detail], [id, null, { step: 'first' }]);
  await finishEvent(db, id, { result: 'done' });
  const { event: ended } = await stream.next();
  assert.equal(ended.id, id);
  assert.notEqual(ended.finished_at, null);
  assert.deepEqual(ended.detail, { step: 'first', result: 'done' });
  for (const state of [begun, ended]) assert.ok(!('seq' in state) && !('xid' in state));
  stream.close();
});

test('an event says in its description how it ended badly, and nothing where its line says it all', async () => {
  const unreachable = await startTestApp({ env: { SMTP_URL: `smtp://127.0.0.1:${await freePort()}` } });
  try {
    const ada = await registerPerson(unreachable);
    const { db } = unreachable.services;
    const invite = (target_email: string) =>
      ada.api.createInvite({ params: { team_id: ada.teamId }, body: { target_email, first_name: 'Bob' } });
    await invite('bob@example.com');
    const invited = async () => {
      const { results } = await ada.api.listTeamEvents({ params: { team_id: ada.teamId } });
      return results.find(({ event_type }) => event_type === 'member.invited');
    };
    assert.equal((await invited())?.description, null);
    await withoutRetryWaits(db, () => eventually(async () => (await invited())?.finished_at, 100_000));
    const event = await invited();
    assert.match(event?.description ?? '', /^The mail could not be delivered/);
    assert.deepEqual(event?.detail, { role: 'member', mailed: false });

    const begin = () => recordEvent(db, { ...LONG, team_id: ada.teamId, unfinished: true });
    const [well, badly] = [await begin(), await begin()];
    await finishEvent(db, well, { result: 'done' });
    await finishEvent(db, badly, { failure: 'The disk is full.' });
    const described = async (event_id: string) => (await ada.api.getEvent({ params: { event_id } })).description;
    assert.deepEqual([await described(well), await described(badly)], [null, 'The disk is full.']);
  } finally {
    await unreachable.close();
  }
});

test('the stream of a removed member ends at once, here and on another instance', async () => {
  const ada = await registerPerson(app);
  const bob = await registerPerson(app);
  await letIn(ada, bob, 'member');
  const [here, there] = [await openStream(app, bob.token), await openStream(second, bob.token)];
  await ada.api.removeMember({ params: { team_id: ada.teamId, team_member_user_id: bob.userId } });
  await Promise.all([here.ended, there.ended]);
  here.close();
  there.close();
  const again = await openStream(second, bob.token);
  await write(ada, 'secret');
  await write(bob, 'own');
  assert.equal((await again.next()).event.activity, 'own');
  again.close();
});

test('a reader who does not read is let go, and one person has only so many streams', async () => {
  const ada = await registerPerson(app);
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
  socket.write(`GET /f/api/v1/event/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ada.token}\r\n\r\n`);
  await once(socket, 'data');
  socket.pause();
  await eventually(async () => app.services.events.streamsOf(ada.userId) === 1);
  const text = 'x'.repeat(100_000);
  for (let i = 0; i < 60; i++) await write(ada, text);
  app.services.events.endStreamsOf(ada.userId);
  socket.resume();
  await once(socket, 'close');
  const streams = await Promise.all(Array.from({ length: 30 }, () => openStream(app, ada.token)));
  const oneMore = await fetch(`${app.api}/event/stream`, { headers: { authorization: `Bearer ${ada.token}` } });
  assert.equal(oneMore.status, 429);
  assert.match(oneMore.headers.get('retry-after') ?? '', /^\d+$/);
  for (const stream of streams) stream.close();
});

test('Prefer: wait answers when the work has ended', async () => {
  const ada = await registerPerson(app);
  const invite = (prefer: Record<string, string>) =>
    fetch(`${app.api}/team/${ada.teamId}/invite`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json', ...prefer },
      body: JSON.stringify({ target_email: `${crypto.randomUUID()}@example.com`, first_name: 'W' }),
    });
  const response = await invite({ prefer: 'respond-async, wait=30' });
  assert.equal(response.headers.get('preference-applied'), 'wait=30');
  const event_id = response.headers.get('operation-id') as string;
  assert.ok((await ada.api.getEvent({ params: { event_id } })).finished_at);
  assert.equal((await invite({})).headers.get('preference-applied'), null);
});
