import type { Message } from '#core/mail.ts';
import { features } from '#features/index.ts';
import type { Person } from '../app/people.ts';
import { signInAs } from '../app/people.ts';
import { OPERATOR, type TestApp } from '../app/test-app.ts';

/** Markup in every text that a stranger writes. */
export const HOSTILE = '<b onclick="x()">A</b> & "co" <img src=x>';

/** Mails of hosted sites are theirs; all others are ours. */
const letterJobs = () =>
  features.flatMap(({ jobs = [] }) => jobs).filter(({ name }) => /\.mail(_|$)/.test(name) && name !== 'site.mail');

/** Every letter that the platform writes, by the name of its job and what it is about. Fails where one is not in the list. */
export async function everyLetter(app: TestApp, person: Person): Promise<Map<string, Message>> {
  const payloads = await payloadsFor(app, person);
  const letters = new Map<string, Message>();
  for (const job of letterJobs()) {
    const cases = payloads[job.name];
    if (!cases)
      throw new Error(`${job.name} writes a letter that nobody looks at; add it to testkit/data/mail-texts.ts`);
    for (const [about, payload] of Object.entries(cases)) {
      const mailer = {
        ...app.services.mailer,
        async send(message: Message) {
          letters.set(about === '' ? job.name : `${job.name} ${about}`, message);
        },
      };
      const services = { ...app.services, mailer };
      await job.run(payload, {
        id: `letter-${letters.size}`,
        services,
        signal: new AbortController().signal,
        commit: async () => {},
      });
    }
  }
  return letters;
}

type Cases = Record<string, Record<string, object>>;

async function payloadsFor(app: TestApp, person: Person): Promise<Cases> {
  const { db } = app.services;
  const { userId, teamId, api } = person;
  const link = async (purpose: string) =>
    (
      await db
        .insertInto('mailed_links')
        .values({ user_id: userId, purpose, expires_at: new Date(Date.now() + 3_600_000) })
        .returning('id')
        .executeTakeFirstOrThrow()
    ).id;
  const change = await db
    .insertInto('email_changes')
    .values({ user_id: userId, old_email: person.email, new_email: 'new@example.com', expires_at: new Date() })
    .returning('id')
    .executeTakeFirstOrThrow();
  const ticket = await api.createTicket({ body: { team_id: teamId, subject: HOSTILE, description: 'It broke.' } });
  const operator = await signInAs(app, OPERATOR.email, OPERATOR.password);
  const params = { ticket_id: ticket.id };
  const reply = await operator.api.answerTicket({ params, body: { description: `${HOSTILE}\nSecond line.` } });
  const webhook = await api.createWebhook({
    params: { team_id: teamId },
    body: { url: 'https://hooks.example.com/x', event_types: ['site.*'] },
  });
  await db.updateTable('webhooks').set({ disabled_reason: 'gone' }).where('id', '=', webhook.id).execute();
  const invite = await api.createInvite({
    params: { team_id: teamId },
    body: { target_email: 'guest@example.com', first_name: HOSTILE, message: HOSTILE, role: 'member' },
  });
  const team = { userId, teamId, teamName: HOSTILE };
  const at = '2026-01-02T03:04:05.000Z';
  const billing = (about: string) => ({ about, ...team, expiresAt: at });
  const factor = (kind: string) => ({ userId, change: kind, at, from: '203.0.113.9' });
  const { id: after } = await operator.api.getMe();
  const transfer = { teamName: HOSTILE, before: userId, after };
  return {
    'account.mail_link': {
      verify: { linkId: await link('verify_email'), resetLinkId: await link('password_reset') },
      reset: { linkId: await link('password_reset') },
    },
    'account.mail_new_address': { '': { changeId: change.id } },
    'account.mail_old_address': { '': { changeId: change.id } },
    'account.mail_factor_change': Object.fromEntries(
      ['totp_added', 'totp_removed', 'passkey_added', 'passkey_removed', 'codes_renewed', 'reset'].map((kind) => [
        kind,
        factor(kind),
      ]),
    ),
    'credential.mail_guesses': { '': { userId } },
    'attention.mail_trouble': Object.fromEntries(
      ['errors', 'backup', 'certificate'].map((kind) => [
        kind,
        { userId, kind, fqdn: 'blog.example.com', name: 'www.example.com', reason: HOSTILE, since: at },
      ]),
    ),
    'git.mail_taken_back': {
      '': { teamId, fqdn: 'blog.example.com', commit: 'abc123def4567', subject: HOSTILE, failure: HOSTILE },
    },
    'backup.mail_damage': { '': { userId, siteId: teamId, fqdn: 'blog.example.com', description: HOSTILE } },
    'billing.mail': {
      payment_failed: billing('payment_failed'),
      ended: billing('ended'),
      expired: billing('expired'),
    },
    'invite.mail': { '': { inviteId: invite.id, eventId: teamId } },
    'software.mail_taken_back': {
      '': { siteId: teamId, fqdn: 'blog.example.com', teamId, failure: HOSTILE },
      refused: { siteId: teamId, fqdn: 'blog.example.com', teamId, failure: HOSTILE, isRefused: true },
    },
    'team.mail_transfer': {
      before: { ...transfer, isPaid: true, to: userId },
      after: { ...transfer, isPaid: true, to: transfer.after },
    },
    'site.mail_name_lost': { '': { teamId, lost: 'lost.example.com', fqdn: 'kept.example.com' } },
    'ticket.mail_reply': { '': { replyId: reply.id } },
    'usage.mail_limit': {
      visits: { ...team, resource: 'visits', percent: 80, plan: 'free', cycleEnd: at },
      storage: { ...team, resource: 'storage', percent: 100, plan: 'free', cycleEnd: at },
    },
    'webhook.mail_switched_off': { '': { webhookId: webhook.id } },
  };
}
