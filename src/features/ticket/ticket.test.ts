import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { OPERATOR, startTestApp, type TestApp } from '../../../test/app.ts';
import { refused } from '../../../test/expect.ts';
import { letIn, type Person, registerPerson, signInAs } from '../../../test/people.ts';
import { newSite } from '../../../test/sites.ts';

let app: TestApp;
before(async () => {
  app = await startTestApp();
});
after(() => app.close());

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

test('assistant messages count down from the plan, make the ticket a thread, and end with 402', async () => {
  const person = await registerPerson(app);
  const ticket = await open(person);
  assert.equal(ticket.messages_remaining, 10);
  const params = { ticket_id: ticket.id };
  const ask = () => person.api.createReply({ params, body: { description: 'Help', is_assistant_chat_message: true } });
  // Two at once count as two.
  await Promise.all(Array.from({ length: 10 }, ask));
  const spent = await person.api.getTicket({ params });
  assert.deepEqual([spent.messages_remaining, spent.is_assistant_thread, spent.ticket_replies.length], [0, true, 10]);
  await assert.rejects(ask(), refused(402, 'ticket.no_messages_left'));
  assert.equal((await person.api.getTicket({ params })).ticket_replies.length, 10);
  assert.equal((await open(person, { category: 'assistant' })).is_assistant_thread, true);
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
