import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { createClient, type Ticket, type TicketReply } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { newSite } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { eventually } from '#testkit/expect.ts';
import { type ModelServer, startModelServer } from '#testkit/servers/model-server.ts';
import { answerMessage } from '../ticket/answer.jobs.ts';
import { insertAnswer } from '../ticket/answer.sql.ts';
import { lookTogether } from '../ticket/answer.stream.ts';
import { nameIn } from './built-in.ts';
import { cleanAnswer, finishedPart } from './clean-answer.ts';

async function openTicket(person: Person, subject = 'My site', more: { site_live_id?: string } = {}): Promise<Ticket> {
  return person.api.createTicket({ body: { team_id: person.teamId, subject, description: 'A question', ...more } });
}

/** Asks and waits until there is an answer. */
async function ask(
  person: Person,
  ticket: Ticket,
  description: string,
): Promise<{ answer: TicketReply; ticket: Ticket }> {
  const params = { ticket_id: ticket.id };
  const question = await person.api.createReply({ params, body: { description, is_assistant_chat_message: true } });
  const answer = await eventually(async () => {
    const { ticket_replies } = await person.api.getTicket({ params });
    return ticket_replies.find((reply) => reply.assistant_message_id === question.id);
  });
  // Read anew: the ticket and its replies are two queries, and the answer may have come between them.
  return { answer, ticket: await person.api.getTicket({ params }) };
}

suite('without a model', () => {
  let app: TestApp;
  let ada: Person;
  before(async () => {
    app = await sharedApp();
    ada = await registerPerson(app, 'Ada');
  });

  test('the built-in helper says what it is, looks at the site and into the docs, and takes one message', async () => {
    const site = await newSite(ada);
    const opened = await openTicket(ada, 'How do I restore a backup?');
    const { answer, ticket } = await ask(ada, opened, `Is ${site.fqdn} fine?`);
    assert.match(answer.description ?? '', /built-in helper/);
    // On a busy machine it may be slow.
    assert.match(answer.description ?? '', /nothing looks wrong|The front page took/);
    assert.match(answer.description ?? '', /\]\(\/docs\//);
    assert.deepEqual(
      answer.assistant_steps.map(({ operation }) => operation),
      ['listSites', 'diagnoseSite', 'searchDocs'],
    );
    assert.equal(ticket.messages_remaining, opened.messages_remaining - 1);
    assert.equal(ticket.is_assistant_thread, true);
  });

  test('its reply is part of the chat and has the assistant as its author, in the ticket and in the list', async () => {
    const opened = await openTicket(ada);
    const { answer, ticket } = await ask(ada, opened, 'How do I add a domain?');
    const { results } = await ada.api.listReplies({ params: { ticket_id: opened.id } });
    for (const replies of [ticket.ticket_replies, results.toReversed()])
      assert.deepEqual(
        replies.map(({ user, is_assistant_chat_message }) => [user.full_name, is_assistant_chat_message]),
        [
          ['Ada Tester', true],
          ['Assistant', true],
        ],
      );
    assert.notEqual(answer.user.id, ada.userId);
    assert.equal(answer.user.email, `assistant@${new URL(app.services.config.baseUrl).hostname}`);
  });

  test('an answer is streamed while it is written, to whoever may read the ticket', async () => {
    const ticket = await openTicket(ada);
    const stream = await fetch(`${app.api}/support/ticket/${ticket.id}/answer/stream`, {
      headers: { authorization: `Bearer ${ada.token}` },
    });
    await ask(ada, ticket, 'How do I add a domain?');
    const text = await stream.text();
    assert.match(text, /event: answer\ndata: .*"state":"answered"/);
    assert.match(text, /event: end\n/);
    const { db } = app.services;
    const now = performance.now();
    const looks = await Promise.all([1, 2, 3].map(() => lookTogether(db, ticket.id, now)));
    assert.ok(looks[0] === looks[1] && looks[1] === looks[2], 'all who read look once');
    assert.notEqual(
      await lookTogether(db, ticket.id, performance.now()),
      looks[0],
      'nobody sees what was before they came',
    );
  });
});

suite('with a model', () => {
  let app: TestApp;
  let ada: Person;
  let model: ModelServer;
  before(async () => {
    model = await startModelServer();
    app = await startTestApp({
      env: { ...model.env, ASSISTANT_TIMEOUT_SECONDS: '5', ASSISTANT_DAILY_TOKENS: '300000' },
    });
    ada = await registerPerson(app, 'Ada');
  });
  after(async () => {
    await app.close();
    await model.close();
  });

  test('it uses tools as the asker, and what would change something becomes a proposal that only the asker confirms', async () => {
    const site = await newSite(ada);
    model.think = ({ messages }) => {
      const last = messages.at(-1);
      if (last?.role !== 'tool')
        return { text: 'Let me look.', calls: [{ name: 'getSite', input: { fqdn: site.fqdn } }] };
      if (!messages.some(({ content }) => content.includes('waits below')))
        return { calls: [{ name: 'updateSite', input: { fqdn: site.fqdn, debug_enabled: true } }] };
      return { text: 'I propose to turn **debugging** on. ![x](https://evil.example/?q=1)' };
    };
    const opened = await openTicket(ada, 'My site', { site_live_id: site.id });
    await ada.api.updateTicket({
      params: { ticket_id: opened.id },
      body: { assistant_custom_instructions: 'Be brief' },
    });
    const { answer, ticket } = await ask(ada, opened, 'Turn debugging on');
    assert.match(answer.description ?? '', /^Let me look\.\n\nI propose to turn \*\*debugging\*\* on\. x$/);
    const [proposal] = answer.proposals;
    assert.match(proposal?.description ?? '', /debug_enabled: true \(now: false\)/);
    assert.equal((await ada.api.getSite({ params: { fqdn: site.fqdn } })).debug_enabled, false);
    assert.equal(ticket.messages_remaining, opened.messages_remaining - 1);
    const system = model.requests[0]?.messages[0]?.content ?? '';
    assert.ok(system.includes('Be brief') && system.includes(site.fqdn));
    const seen = JSON.stringify(model.requests);
    assert.ok(seen.includes('"http_auth_password\\":\\"\\"'), 'the model reads as a token that may only plan');

    const params = { proposal_id: proposal?.id as string };
    assert.equal((await ada.api.confirmProposal({ params, wait: 30 })).result?.status, 200);
    assert.equal((await ada.api.getSite({ params: { fqdn: site.fqdn } })).debug_enabled, true);
    const after = await ada.api.getTicket({ params: { ticket_id: opened.id } });
    assert.equal(after.ticket_replies.at(-1)?.proposals[0]?.state, 'confirmed');
  });

  test('a question is answered however much was said since', async () => {
    model.think = () => ({ text: 'Here you are.' });
    const { db, jobs, credentials } = app.services;
    const { id: ticketId } = await openTicket(ada);
    const { id: credentialId } = (await credentials.resolve(ada.token))?.credential ?? {};
    const { rows } = await sql<{ id: string }>`
      insert into ticket_replies (ticket_id, user_id, description, is_assistant_chat_message, created_at)
      select ${ticketId}, ${ada.userId}, 'Hello?', n = 0, now() - interval '1 hour' + n * interval '1 second'
      from generate_series(0, 50) n returning id`.execute(db);
    const questionId = rows[0]?.id as string;
    await insertAnswer(db, {
      question_id: questionId,
      ticket_id: ticketId,
      credential_id: String(credentialId),
      ip: '::1',
    });
    await jobs.enqueue(db, answerMessage, { questionId });
    const { ticket_replies } = await eventually(async () => {
      const now = await ada.api.getTicket({ params: { ticket_id: ticketId } });
      return now.ticket_replies.length > 51 && now;
    });
    assert.match(ticket_replies.at(-1)?.description ?? '', /Here you are/);
  });

  for (const failing of ['hang', 'refuse', 'break off'] as const)
    test(`a model that does ${failing} leaves the ticket to people, says so and takes no message`, async () => {
      model.think = () => failing;
      const opened = await openTicket(ada);
      const { answer, ticket } = await ask(ada, opened, 'Hello?');
      assert.match(answer.description ?? '', /could not answer.*not counted.*support team/);
      assert.equal(ticket.messages_remaining, opened.messages_remaining);
    });

  test('whoever has lost their rights gets no answer from them, and a team no more than its tokens of a day', async () => {
    model.think = () => ({ text: 'Here you are.' });
    const opened = await openTicket(ada);
    const { db, credentials, jobs } = app.services;
    const { rows } = await sql<{ tokens: number; text: string; ip: string }>`
      select min(tokens) as tokens, max(text) as text, max(ip) as ip from ticket_answers where state = 'failed'`.execute(
      db,
    );
    assert.ok((rows[0]?.tokens ?? 0) > 3000, 'what a model that does not count was sent counts with its tools');
    assert.deepEqual([rows[0]?.text, rows[0]?.ip], ['', ''], 'what has ended is the reply alone');
    await sql`update ticket_answers set tokens = 300000`.execute(db);
    await assert.rejects(ask(ada, opened, 'Hello?'), { code: 'ticket.assistant_spent' });
    // One that came in just before that.
    const reply = { user_id: ada.userId, ticket_id: opened.id, is_assistant_chat_message: true, description: 'Hello?' };
    const question = await db.insertInto('ticket_replies').values(reply).returning('id').executeTakeFirstOrThrow();
    const { id: credential_id = '' } = (await credentials.resolve(ada.token))?.credential ?? {};
    await insertAnswer(db, { question_id: question.id, ticket_id: opened.id, credential_id, ip: '127.0.0.1' });
    await jobs.enqueue(db, answerMessage, { questionId: question.id }, opened.id, ada.teamId);
    const params = { ticket_id: opened.id };
    const told = await eventually(async () =>
      (await ada.api.getTicket({ params })).ticket_replies.find((each) => each.assistant_message_id === question.id),
    );
    assert.match(told.description ?? '', /as much for you as it may in a day/);
    await sql`update ticket_answers set tokens = 0`.execute(db);
    assert.match((await ask(ada, opened, 'Now?')).answer.description ?? '', /Here you are/);
    const { access_token: token } = await createClient({ baseUrl: app.url }).signIn({
      body: { username: ada.email, password: 'a long enough password' },
    });
    const second = { ...ada, api: createClient({ baseUrl: app.url, token }) };
    const before = model.requests.length;
    await sql`create function slow_answers() returns trigger language plpgsql as
      'begin delete from credentials where id = new.credential_id; return new; end'`.execute(app.services.db);
    await sql`create trigger slow_answers after insert on ticket_answers for each row execute function slow_answers()`.execute(
      app.services.db,
    );
    await second.api.createReply({
      params: { ticket_id: opened.id },
      body: { description: 'And now?', is_assistant_chat_message: true },
    });
    const last = await eventually(async () => {
      const { ticket_replies } = await ada.api.getTicket({ params: { ticket_id: opened.id } });
      return ticket_replies.length === 6 && ticket_replies.at(-1);
    });
    assert.match(last.description ?? '', /could not answer/);
    assert.equal(model.requests.length, before);
  });
});

test('a site is known by its whole name, the longest that stands there', () => {
  const names = ['blog.example.com', 'my.blog.example.com', 'log.example.com'];
  assert.equal(nameIn('Is my.blog.example.com fine?', names), 'my.blog.example.com');
  assert.equal(nameIn('See https://Blog.example.com/x. Or log.example.com.', names), 'blog.example.com');
  assert.equal(nameIn('It is log.example.com.', names), 'log.example.com');
  assert.equal(nameIn('On blog.example.com.au and catalog.example.com', names), undefined);
});

test('an answer has links to our own pages alone, no pictures, no markup and nothing that looks like a secret', () => {
  const clean = (text: string) => cleanAnswer(text, 'https://panel.example.com');
  assert.equal(clean('See [the guide](/docs/domains#dns).'), 'See [the guide](/docs/domains#dns).');
  for (const hostile of [
    '![a](https://evil.example/x.png)',
    '[a](https://evil.example)',
    '[a](//evil.example)',
    '[a](/\\evil.example)',
    '[a](javascript:alert(1))',
    '<img src=https://evil.example>',
    'https://evil.example/?q=secret',
    '[a](https://panel.example.com.evil.example)',
    '[a](/docs?leak=1)',
    '[a](/device<#>?leak=1)',
    '[a](/device?leak=1)',
    'https://panel.example.com/device?leak=1',
    'sy_abcdefghij<b>klmnopqrstuvwxyz0123456789',
    'sy_abcdefghijklmnopqrstuvwxyz0123456789',
  ])
    assert.doesNotMatch(clean(hostile), /evil|leak|secret|script|abcdef/i, hostile);
  // No link to whoever shows it.
  assert.equal(clean('[a](/device(leak)'), '[a] (/device(leak)');
  assert.equal(clean('[[a](/docs)](/device?leak=1)'), '[[a](/docs)] (/device?leak=1)');
  assert.equal(finishedPart('See [the gui'), 'See ');
  assert.equal(finishedPart('The token is sy_abc'), 'The token is ');
});
