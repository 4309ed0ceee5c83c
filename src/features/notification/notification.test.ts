import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import type { Message } from '#core/mail.ts';
import { tellTroubles } from '#features/attention/trouble.jobs.ts';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { newSite } from '#testkit/app/sites.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { everyLetter, HOSTILE } from '#testkit/data/mail-texts.ts';
import { refused } from '#testkit/expect.ts';
import { MAIL_KIND_NAMES } from './notification.schema.ts';

let app: TestApp;
let person: Person;
let letters: Map<string, Message>;
before(async () => {
  app = await sharedApp();
  person = await registerPerson(app, 'Ada');
  await app.services.db.updateTable('users').set({ first_name: HOSTILE }).where('id', '=', person.userId).execute();
  letters = await everyLetter(app, person);
});

const kindOf = ({ headers }: Message) => /[?&]kind=(\w+)/.exec(headers?.['List-Unsubscribe'] ?? '')?.[1];

test('every letter has both parts, which say the same, and what strangers wrote is text in both', () => {
  assert.ok(letters.size >= 20, String(letters.size));
  for (const [name, { subject, text, html }] of letters) {
    assert.ok(subject && text && html, name);
    assert.match(text, /^Hello/, name);
    assert.ok(!/<(p|table|a|br)\b/.test(text), `${name}: markup in the text`);
    for (const mark of ['<b ', '<img', 'onclick="x']) assert.ok(!html.includes(mark), `${name} lets ${mark} through`);
    // Nothing is loaded, from us or from elsewhere.
    assert.ok(!/<[^>]*\s(src|background)=|url\(|@import|<script/i.test(html), `${name} loads something`);
    for (const address of text.match(/https?:\/\/[^\s,]+/g) ?? [])
      assert.ok(html.includes(address.replaceAll('&', '&#38;').replace(/\.$/, '')), `${name} lacks ${address}`);
    assert.match(html, /prefers-color-scheme: dark/, name);
  }
  assert.match(letters.get('ticket.mail_reply')?.html ?? '', /&#60;b onclick=&#34;x\(\)&#34;&#62;/);
  assert.match(letters.get('ticket.mail_reply')?.html ?? '', /<br>Second line\./);
});

test('what somebody may do without says how to get it no more, and every kind is one that is sent', () => {
  const kinds = new Set([...letters.values()].map(kindOf).filter((kind) => kind !== undefined));
  assert.deepEqual([...kinds].sort(), [...MAIL_KIND_NAMES].sort());
  for (const [name, letter] of letters) {
    const isMust = /^(account|credential|invite|team)\.|name_lost|billing.mail expired/.test(name);
    assert.equal(kindOf(letter) === undefined, isMust, name);
    if (!isMust) assert.equal(letter.headers?.['List-Unsubscribe-Post'], 'List-Unsubscribe=One-Click', name);
  }
});

test('one click in the mail program ends mails of that kind and no other, and the account brings them back', async () => {
  const letter = letters.get('usage.mail_limit visits') as Message;
  const url = /<(.*)>/.exec(letter.headers?.['List-Unsubscribe'] ?? '')?.[1] as string;
  // Opened by a program that looks at every link, it changes nothing and leads to the page that asks.
  const looked = await fetch(url, { redirect: 'manual' });
  assert.deepEqual([looked.status, new URL(looked.headers.get('location') ?? '').pathname], [302, '/unsubscribe']);
  assert.equal((await person.api.getNotifications()).usage, true);
  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
  for (let again = 0; again < 2; again++) assert.equal((await fetch(url, { method: 'POST', body })).status, 200);
  assert.deepEqual(
    Object.entries(await person.api.getNotifications()).filter(([, isOn]) => !isOn),
    [['usage', false]],
  );
  const grace = await registerPerson(app, 'Grace');
  await grace.api.updateNotifications({ body: { usage: false } });
  const without = await everyLetter(app, grace);
  assert.ok(!without.has('usage.mail_limit visits') && without.has('ticket.mail_reply'));
  const token = new URL(url).searchParams.get('token') as string;
  await assert.rejects(
    person.api.unsubscribe({ query: { kind: 'billing', token }, body: {} }),
    refused(409, 'notification.link_invalid'),
  );
  const { usage, billing } = await person.api.updateNotifications({ body: { usage: true, billing: false } });
  assert.deepEqual([usage, billing], [true, false]);
});

test('what goes wrong with a site for long is shown to its team and mailed to the owner, each trouble once', async () => {
  const { services } = app;
  const { db } = services;
  const lin = await registerPerson(app, 'Lin');
  const site = await newSite(lin);
  const look = () =>
    tellTroubles.run({}, { id: 'a test', services, signal: new AbortController().signal, commit: async () => {} });
  const told = async () => {
    await look();
    const { rows } = await sql<{ kind: string }>`
      select payload.data->'payload'->>'kind' as kind from jobs.job payload
      where payload.data->>'kind' = 'attention.mail_trouble' and payload.data->'payload'->>'fqdn' = ${site.fqdn} order by 1`.execute(
      db,
    );
    return rows.map(({ kind }) => kind);
  };
  const fail = (minutes: number) =>
    sql`update sites set failing_since = now() - make_interval(mins => ${minutes}), failed_answers = 4 where id = ${site.id}`.execute(
      db,
    );
  const kinds = async () =>
    (await lin.api.getTeamAttention({ params: { team_id: lin.teamId } })).items.map(({ kind }) => kind);
  await fail(1);
  assert.deepEqual(await told(), [], 'it may be over in a moment');
  assert.deepEqual(await kinds(), ['errors']);
  await fail(20);
  assert.deepEqual(await told(), ['errors']);
  await sql`update backup_clocks set failing_since = now() - interval '7 hours', failure = 'No room' where site_id = ${site.id}`.execute(
    db,
  );
  await sql`insert into certificates (name, failures, reason) values (${site.fqdn}, 5, 'DNS says no') on conflict (name) do update set failures = 5`.execute(
    db,
  );
  await sql`update site_names set verified_at = now() where site_id = ${site.id}`.execute(db);
  const all = ['backup', 'certificate', 'errors'];
  assert.deepEqual(await told(), all);
  assert.deepEqual(await told(), all);
  // It recovered and fails again: that is told of on another day.
  await fail(15);
  assert.deepEqual(await told(), all);
  await sql`update site_troubles set told_at = now() - interval '2 days' where site_id = ${site.id}`.execute(db);
  assert.deepEqual(await told(), [...all, 'errors']);
  assert.deepEqual((await kinds()).sort(), all);
  // A domain and its www twin are one thing to look at.
  await sql`insert into site_names (fqdn, site_id, looked_at) select name, ${site.id}, now() from unnest(${['lin.example', 'www.lin.example', 'www.other.example']}::text[]) name`.execute(
    db,
  );
  const { items } = await lin.api.getTeamAttention({ params: { team_id: lin.teamId } });
  const dns = items.filter(({ kind }) => kind === 'dns').map(({ name, twin }) => [name, twin]);
  assert.deepEqual(dns.sort(), [
    ['lin.example', 'www.lin.example'],
    ['www.other.example', null],
  ]);
  const { results } = await lin.api.listSiteEvents({ params: { fqdn: site.fqdn } });
  const events = results.map(({ event_type }) => event_type).filter((type) => /failing$/.test(type));
  assert.deepEqual(events.sort(), ['domain.certificate_failing', 'site.failing', 'site.failing']);
  assert.match(await app.mailTo(lin.email, 'No room'), /have failed since/);
});
