import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import type { Caller } from '#core/auth/caller.ts';
import type { Ticket, TicketReply, TicketReplyPage } from '#sdk';
import { letIn, type Person, registerPerson, signInAs } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { newSite } from '#testkit/app/sites.ts';
import { OPERATOR, type TestApp } from '#testkit/app/test-app.ts';
import { eventually, refused } from '#testkit/expect.ts';
import { contextOf } from './ticket.context.ts';
import { findTicket, type TicketRow } from './ticket.sql.ts';

let app: TestApp;
before(async () => {
  app = await sharedApp();
});

const open = (person: Person, more: object = {}) =>
  person.api.createTicket({
    body: { team_id: person.teamId, subject: 'It is slow', description: 'Since noon.', ...more },
  });

test('a ticket is opened, read, replied to, resolved and reopened', async () => {
  const person = await registerPerson(app, 'Ada');
  const ticket = await open(person, { category: 'performance' });
  assert.equal(ticket.resolved, false);
  assert.equal(ticket.is_assistant_thread, false);
  assert.deepEqual(ticket.ticket_replies, []);
  const params = { ticket_id: ticket.id };
  await person.api.createReply({ params, body: { description: 'Any news?' } });
  const reply = await person.api.createReply({ params, body: { resolve: true } });
  assert.equal(reply.user.email, person.email);
  const resolved = await person.api.getTicket({ params });
  assert.equal(resolved.resolved, true);
  assert.ok(resolved.resolved_at);
  assert.deepEqual(
    resolved.ticket_replies.map(({ description }) => description),
    ['Any news?', null],
  );
  await person.api.createReply({ params, body: { resolve: false } });
  const reopened = await person.api.getTicket({ params });
  assert.deepEqual([reopened.resolved, reopened.resolved_at], [false, null]);
  const replies = await person.api.listReplies({ params, query: { size: 2 } });
  assert.equal(replies.count, 3);
  assert.equal(replies.results[0]?.resolve, false);
  const types = (await person.api.listTeamEvents({ params: { team_id: person.teamId } })).results.map(
    ({ event_type }) => event_type,
  );
  assert.deepEqual(types, ['ticket.reopened', 'ticket.resolved', 'ticket.replied', 'ticket.opened']);
});

test('without query the list answers the newest ticket, an empty object when there is none, and a page when asked', async () => {
  const person = await registerPerson(app);
  assert.deepEqual(await person.api.listTickets(), {});
  await open(person, { subject: 'First' });
  await open(person, { subject: 'Second' });
  assert.equal((await person.api.listTickets()).subject, 'Second');
  const page = await person.api.listTickets({ query: { page: 1 } });
  assert.equal(page.count, 2);
  assert.equal(page.limit, 50);
  assert.equal(page.results?.[1]?.subject, 'First');
});

test('a message to the assistant makes the ticket a thread, is counted when it is answered, and there are no more than the plan has', async () => {
  const person = await registerPerson(app);
  const { id, messages_remaining } = await open(person);
  assert.equal(messages_remaining, 10);
  const params = { ticket_id: id };
  const ask = () => person.api.createReply({ params, body: { description: 'Help', is_assistant_chat_message: true } });
  await Promise.all([ask(), ask(), ask()]);
  await eventually(async () => (await person.api.getTicket({ params })).ticket_replies.length === 6);
  const asked = await person.api.getTicket({ params });
  assert.deepEqual([asked.messages_remaining, asked.is_assistant_thread], [7, true]);
  const answered = asked.ticket_replies.map(({ assistant_message_id }) => assistant_message_id).filter(Boolean);
  assert.equal(new Set(answered).size, 3);

  await sql`update tickets set messages_remaining = 0 where id = ${id}`.execute(app.services.db);
  await assert.rejects(ask(), refused(402, 'ticket.no_messages_left'));
  assert.equal((await person.api.getTicket({ params })).ticket_replies.length, 6);
  assert.equal((await open(person, { category: 'assistant' })).is_assistant_thread, true);
});

/** A thread as long as one likes: so many replies, each with so much text, one a second. */
async function openThread(person: Person, replies: number, characters: number): Promise<string> {
  const { id } = await open(person);
  await sql`insert into ticket_replies (ticket_id, user_id, description, created_at)
    select ${id}, ${person.userId}, rpad(n::text || ' ', ${characters}, 'ä"'), now() - interval '2 days' + make_interval(secs => n)
    from generate_series(1, ${replies}::int) n`.execute(app.services.db);
  return id;
}

/** What an address says, and how long it is in saying so. */
async function read(person: Pick<Person, 'token'>, url: string) {
  const response = await fetch(url, { headers: { authorization: `Bearer ${person.token}` } });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return { answer: JSON.parse(text) as TicketReplyPage & Ticket, bytes: Buffer.byteLength(text) };
}

const numbersOf = (replies: TicketReply[]) => replies.map(({ description }) => Number.parseInt(description ?? '', 10));
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** Follows the marks from a ticket to its first reply. Returns all of them, oldest first. */
async function readThread(person: Pick<Person, 'token'>, ticket: Ticket): Promise<number[]> {
  const numbers = numbersOf(ticket.ticket_replies);
  for (let url = ticket.ticket_replies_next; url !== null; ) {
    const { answer } = await read(person, url);
    numbers.unshift(...numbersOf(answer.results).toReversed());
    url = answer.next;
  }
  return numbers;
}

test('a ticket comes with all its replies, oldest first', async () => {
  const person = await registerPerson(app);
  const ticket_id = await openThread(person, 700, 30);
  for (const ticket of [await person.api.getTicket({ params: { ticket_id } }), await person.api.listTickets()]) {
    assert.deepEqual(numbersOf(ticket.ticket_replies ?? []), upTo(700));
    assert.deepEqual([ticket.ticket_replies_count, ticket.ticket_replies_next], [700, null]);
  }
});

test('a thread too long for one answer says so, and its mark leads through the rest without gap or double', async () => {
  const person = await registerPerson(app);
  const operator = await signInAs(app, OPERATOR.email, OPERATOR.password);
  for (const [replies, characters] of [
    [130, 20_000],
    [1300, 100],
    [1005, 6],
  ] as const) {
    const id = await openThread(person, replies, characters);
    for (const [reader, path] of [
      [person, `/support/ticket/${id}`],
      [operator, `/operator/ticket/${id}`],
    ] as const) {
      const { answer, bytes } = await read(reader, `${app.api}${path}`);
      assert.equal(answer.ticket_replies_count, replies);
      assert.ok(answer.ticket_replies.length < replies && answer.ticket_replies.length > 10);
      assert.ok(bytes < 3_000_000, `${bytes} bytes`);
      assert.deepEqual(await readThread(reader, answer), upTo(replies));
    }
  }
});

test('lists show the newest five replies of each ticket, with the same mark', async () => {
  const person = await registerPerson(app);
  const operator = await signInAs(app, OPERATOR.email, OPERATOR.password);
  const short = await openThread(person, 5, 10);
  const long = await openThread(person, 12, 10);
  const team = await person.api.listTeamTickets({ params: { team_id: person.teamId } });
  const own = (await person.api.listTickets({ query: { page: 1 } })).results ?? [];
  const all = (await operator.api.listAllTickets({ query: { size: 2 } })).results;
  for (const [reader, tickets] of [
    [person, team.results],
    [person, own],
    [operator, all],
  ] as const) {
    const [newest, older] = tickets as [Ticket, Ticket];
    assert.deepEqual([newest.id, older.id], [long, short]);
    assert.deepEqual([older.ticket_replies_count, older.ticket_replies_next], [5, null]);
    assert.deepEqual([newest.ticket_replies_count, newest.ticket_replies.length], [12, 5]);
    assert.deepEqual(await readThread(reader, newest), upTo(12));
  }
});

test('a viewer reads tickets but opens none; the creator, an admin or the owner deletes', async () => {
  const owner = await registerPerson(app);
  const [viewer, member, other] = [await registerPerson(app), await registerPerson(app), await registerPerson(app)];
  await letIn(owner, viewer, 'viewer');
  await letIn(owner, member, 'member');
  await letIn(owner, other, 'member');
  const ticket = await open(member, { team_id: owner.teamId });
  const params = { ticket_id: ticket.id };
  assert.equal((await viewer.api.getTicket({ params })).id, ticket.id);
  await assert.rejects(open(viewer, { team_id: owner.teamId }), refused(403));
  await assert.rejects(viewer.api.createReply({ params, body: { description: 'x' } }), refused(403));
  await assert.rejects(other.api.deleteTicket({ params }), refused(403));
  assert.deepEqual(await member.api.deleteTicket({ params }), {});
  await assert.rejects(owner.api.getTicket({ params }), refused(404, 'ticket.not_found'));
  const second = await open(member, { team_id: owner.teamId });
  assert.deepEqual(await owner.api.deleteTicket({ params: { ticket_id: second.id } }), {});
});

test('a ticket names a site of its own team or none', async () => {
  const person = await registerPerson(app);
  const stranger = await registerPerson(app);
  const [own, foreign] = [(await newSite(person)).id, (await newSite(stranger)).id];
  await open(person, { site_live_id: own });
  await assert.rejects(open(person, { site_live_id: foreign }), refused(404, 'site.not_found'));
  await assert.rejects(open(person, { site_live_id: crypto.randomUUID() }), refused(404, 'site.not_found'));
});

test('an attachment is uploaded, named by a ticket, and seen by its team alone', async () => {
  const person = await registerPerson(app);
  const stranger = await registerPerson(app);
  const file = new Blob(['<script>alert(1)</script>'], { type: 'text/html' });
  const { s3_object } = await person.api.uploadAttachment({ query: { name: 'report ü.html' }, body: file });
  await open(person, { s3_object });
  await assert.rejects(open(person, { s3_object }), refused(404, 'attachment.not_found'));
  await assert.rejects(stranger.api.getAttachment({ params: { s3_object } }), refused(404, 'attachment.not_found'));
  const response = await fetch(`${app.api}/support/attachment/${s3_object}`, {
    headers: { authorization: `Bearer ${person.token}` },
  });
  assert.equal(await response.text(), '<script>alert(1)</script>');
  assert.match(
    response.headers.get('content-disposition') ?? '',
    /^attachment; filename\*=UTF-8''report%20%C3%BC.html$/,
  );
  assert.match(response.headers.get('content-security-policy') ?? '', /^sandbox/);
  const large = new Blob([new Uint8Array(11 * 1024 * 1024)]);
  await assert.rejects(
    person.api.uploadAttachment({ query: { name: 'large.bin' }, body: large }),
    refused(413, 'request.too_large'),
  );
});

test('an operator answers any ticket, and its author is mailed', async () => {
  const person = await registerPerson(app);
  const ticket = await open(person);
  const operator = await signInAs(app, OPERATOR.email, OPERATOR.password);
  assert.ok(
    (await operator.api.listAllTickets({ query: { resolved: false } })).results.some(({ id }) => id === ticket.id),
  );
  await operator.api.answerTicket({
    params: { ticket_id: ticket.id },
    body: { description: 'It is fixed.', resolve: true },
  });
  assert.ok((await app.mailTo(person.email, 'It is fixed.')).includes(`/tickets/${ticket.id}`));
  assert.equal((await person.api.getTicket({ params: { ticket_id: ticket.id } })).resolved, true);
});

test('instructions for the assistant are kept, and cleared with null', async () => {
  const person = await registerPerson(app);
  const params = { ticket_id: (await open(person)).id };
  const body = { assistant_custom_instructions: 'Be brief.' };
  assert.equal((await person.api.updateTicket({ params, body })).assistant_custom_instructions, 'Be brief.');
  assert.equal((await person.api.updateTicket({ params, body: {} })).assistant_custom_instructions, 'Be brief.');
  assert.equal(
    (await person.api.updateTicket({ params, body: { assistant_custom_instructions: null } }))
      .assistant_custom_instructions,
    null,
  );
});

test('a ticket says whose turn it is, who has it and what stands around it, and an answer can bring a file', async () => {
  const person = await registerPerson(app);
  const viewer = await registerPerson(app);
  await letIn(person, viewer, 'viewer');
  const operator = await signInAs(app, OPERATOR.email, OPERATOR.password);
  const me = await operator.api.getMe();
  const site = await newSite(person);
  const older = await open(person, { site_live_id: site.id });
  const newer = await open(person);
  const params = { ticket_id: older.id };
  assert.deepEqual([older.waits_for, older.assignee, older.fqdn], ['support', null, site.fqdn]);

  assert.equal((await operator.api.assignTicket({ params, body: { user_id: me.id } })).assignee?.id, me.id);
  const strangers = operator.api.assignTicket({ params, body: { user_id: person.userId } });
  await assert.rejects(strangers, refused(409, 'ticket.not_operator'));
  const listed = async (query: { waits_for?: 'support' | 'asker'; assigned?: 'me' | 'nobody'; team_id?: string }) =>
    (await operator.api.listAllTickets({ query: { ...query, team_id: person.teamId } })).results.map(({ id }) => id);
  assert.deepEqual([await listed({ assigned: 'me' }), await listed({ assigned: 'nobody' })], [[older.id], [newer.id]]);

  const file = new Blob(['a log'], { type: 'text/plain' });
  const { s3_object } = await operator.api.uploadAttachment({ query: { name: 'seen.log' }, body: file });
  await operator.api.answerTicket({ params, body: { description: 'Look at **this**.', s3_object } });
  const answered = await person.api.getTicket({ params });
  assert.deepEqual([answered.waits_for, answered.ticket_replies[0]?.attachments[0]?.name], ['asker', 'seen.log']);
  await person.api.getAttachment({ params: { s3_object } });
  assert.deepEqual(
    [await listed({ waits_for: 'asker' }), await listed({ waits_for: 'support' })],
    [[older.id], [newer.id]],
  );
  // What happened last is first.
  const own = (await person.api.listTickets({ query: { page: 1 } })).results?.map(({ id }) => id);
  assert.deepEqual(own, [older.id, newer.id]);
  await person.api.createReply({ params, body: { description: 'It is gone.', resolve: true } });
  assert.equal((await person.api.getTicket({ params })).waits_for, null);
  assert.equal((await operator.api.unassignTicket({ params })).assignee, null);

  const { host, driver } = app.services.config.newSites;
  app.services.siteLog.error(
    { id: site.id, host, driver },
    {
      atMs: Date.now(),
      level: 'fatal',
      message: 'Call to undefined function bake()\n#0 {main}',
      file: 'wp-content/plugins/oven/oven.php',
      line: 7,
      request: 'GET /',
    },
  );
  const context = await eventually(async () => {
    const found = await operator.api.getAnyTicketContext({ params });
    return found.errors.length > 0 && found;
  });
  assert.deepEqual([context.site?.fqdn, context.errors[0]?.message], [site.fqdn, 'Call to undefined function bake()']);
  assert.ok(context.changes.some(({ event_type }) => event_type === 'site.created'));
  assert.equal((await person.api.getTicketContext({ params })).errors.length, 1);
  assert.deepEqual((await viewer.api.getTicketContext({ params })).errors, []);

  // Whoever is limited to the site sees its log where a member does, and of the team nothing, also once the site is gone.
  const path = { team_id: person.teamId };
  const member = (await person.api.listMembers({ params: path })).results.find(({ user }) => user.id === viewer.userId);
  const body = { sites: [{ site_id: site.id, role: 'member' as const }] };
  await person.api.updateMember({ params: { ...path, team_member_id: member?.id as string }, body });
  const limited = await viewer.api.getTicketContext({ params });
  assert.equal(limited.errors.length, 1);
  assert.ok(limited.changes.length > 0 && limited.changes.every(({ site_live_id }) => site_live_id === site.id));
  const ask = { team_id: person.teamId, subject: 'Help', description: 'Please' };
  assert.equal((await viewer.api.createTicket({ body: { ...ask, site_live_id: site.id } })).fqdn, site.fqdn);
  await assert.rejects(viewer.api.createTicket({ body: ask }), /say which one it is about/);
  const row = { ...(await findTicket(app.services.db, older.id)), site_live_id: viewer.userId } as TicketRow;
  const caller = (await app.services.credentials.resolve(viewer.token)) as Caller;
  assert.deepEqual((await contextOf(app.services.db, app.services, caller, row)).changes, []);
});

test('a ticket needs an answer until a person gives one or its author resolves it, whatever the assistant says', async () => {
  const person = await registerPerson(app);
  const operator = await signInAs(app, OPERATOR.email, OPERATOR.password);
  const { id } = await open(person);
  const params = { ticket_id: id };
  const needsAnswer = async () => {
    const query = { waits_for: 'support', team_id: person.teamId } as const;
    return (await operator.api.listAllTickets({ query })).results.some((ticket) => ticket.id === id);
  };
  const askAssistant = async () => {
    const body = { description: 'Is my site healthy?', is_assistant_chat_message: true };
    const question = await person.api.createReply({ params, body });
    assert.equal(await needsAnswer(), true);
    await eventually(async () =>
      (await person.api.getTicket({ params })).ticket_replies.some(
        ({ assistant_message_id }) => assistant_message_id === question.id,
      ),
    );
  };
  await askAssistant();
  assert.equal(await needsAnswer(), true);
  await operator.api.answerTicket({ params, body: { description: 'It is.' } });
  assert.equal(await needsAnswer(), false);
  // The author goes on asking, so what the person said was not enough.
  await askAssistant();
  assert.equal(await needsAnswer(), true);
  await person.api.createReply({ params, body: { resolve: true } });
  assert.equal(await needsAnswer(), false);
});

test('what one person writes and uploads has an end, however many tickets name it and however many come at once', async () => {
  const person = await registerPerson(app);
  const { db } = app.services;
  const { id } = await open(person);
  const upload = () =>
    fetch(`${app.api}/support/attachment?name=a.log`, {
      method: 'POST',
      headers: { authorization: `Bearer ${person.token}`, 'content-type': 'text/plain' },
      body: 'x'.repeat(1_000_000),
    });
  // As after many tickets, each with a file.
  await sql`insert into attachments (user_id, ticket_id, name, content_type, size_bytes, content)
    values (${person.userId}, ${id}, 'before', 'text/plain', 248500000, '')`.execute(db);
  const statuses = (await Promise.all([upload(), upload(), upload()])).map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, 409, 409]);
  assert.match(await (await upload()).text(), /attachment\.full/);
  await person.api.deleteTicket({ params: { ticket_id: id } });
  assert.equal((await upload()).status, 200);

  const ticket_id = await openThread(person, 499, 10);
  await sql`update ticket_replies set created_at = now() where ticket_id = ${ticket_id}`.execute(db);
  await assert.rejects(open(person), refused(429, 'ticket.too_many'));
  const reply = { params: { ticket_id }, body: { description: 'More' } };
  await assert.rejects(person.api.createReply(reply), refused(429, 'ticket.too_many'));
  await sql`update ticket_replies set created_at = now() - interval '2 days' where ticket_id = ${ticket_id}`.execute(
    db,
  );
  await person.api.createReply(reply);
});
