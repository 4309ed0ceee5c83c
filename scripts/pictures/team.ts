import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Browser } from 'playwright-core';
import { type Client, createClient } from '#sdk';
import { findMail } from '#testkit/app/test-app.ts';
import { writeJournal } from './journal.ts';

/** A fresh platform, with the operator of its first start. */
export interface Yard {
  url: string;
  databaseUrl: string;
  mailDir: string;
  operator: { email: string; password: string };
}

const PASSWORD = 'tide tables and rye';
export const ADA = { first_name: 'Ada', last_name: 'Marsh', email: 'ada@example.com', password: PASSWORD };
const INES = { first_name: 'Ines', last_name: 'Duarte', email: 'ines@example.com', password: PASSWORD };
const TOMAS = { first_name: 'Tomas', last_name: 'Lind', email: 'tomas@example.com', password: PASSWORD };
export const JOURNAL = 'harbour-notes.localhost';
const BAKERY = 'rye-and-salt.localhost';
const SITES = [
  { fqdn: 'north-quay.localhost', title: 'North Quay Studio', template: 'portfolio', visits: 34, label: 'client' },
  { fqdn: BAKERY, title: 'Rye & Salt', template: 'business', visits: 61, label: 'client' },
  { fqdn: JOURNAL, title: 'Harbour Notes', template: 'blog', visits: 128, label: 'our own' },
];

type Query = (sql: string, ...values: unknown[]) => Promise<void>;

/**
 * A team that looks as if it had been at it for two weeks: sites with readers, moments to go back to, a staging site, people and a question to
 * support. It takes ten minutes, since what is to be a moment of its own needs a minute of its own.
 */
export async function makeTeam(yard: Yard, browser: Browser): Promise<{ teamId: string; ticketId: string }> {
  const client = new pg.Client({ connectionString: yard.databaseUrl });
  await client.connect();
  const query: Query = async (sql, ...values) => void (await client.query(sql, values));
  try {
    const api = await register(yard, ADA);
    const team_id = (await api.listTeams()).results[0]?.id as string;
    await api.updateTeam({ params: { team_id }, body: { name: 'Marsh & Co' } });
    await subscribe(api, team_id);
    await letIn(yard, api, team_id);
    await eventually(async () => (await api.listTemplates()).results.filter(({ ready }) => ready).length === 3);
    for (const site of SITES) await makeSite(api, team_id, site, query);
    await api.createSiteDomain({ params: { fqdn: BAKERY }, body: { domain: 'ryeandsalt.example', with_www: true } });
    const ticketId = await ask(yard, api, team_id);
    await writeJournal(api, browser, { fqdn: JOURNAL, port: new URL(yard.url).port, user: 'ada', password: PASSWORD });
    for (const { fqdn } of SITES) await eventually(() => hasPicture(yard, fqdn));
    return { teamId: team_id, ticketId };
  } finally {
    await client.end();
  }
}

async function register({ url, mailDir }: Yard, person: typeof ADA): Promise<Client> {
  const anonymous = createClient({ baseUrl: url });
  await anonymous.register({ body: person });
  const [, token = ''] = /token=([\w.-]+)/.exec(await findMail(mailDir, person.email)) ?? [];
  await anonymous.verifyEmail({ body: { token } });
  return signIn(url, person);
}

async function signIn(baseUrl: string, { email, password }: Yard['operator']): Promise<Client> {
  const grant = await createClient({ baseUrl }).signIn({ body: { username: email, password } });
  return createClient({ baseUrl, token: grant.access_token });
}

/** At the built-in checkout, which takes no money. */
async function subscribe(api: Client, for_team_id: string): Promise<void> {
  const { url } = await api.createCheckoutSession({ body: { for_team_id, plan_name: 'business' } });
  const session_id = url.split('/').at(-1) as string;
  await api.endTestCheckout({ params: { session_id }, body: { outcome: 'paid' } });
  await api.syncBilling();
}

async function letIn(yard: Yard, api: Client, team_id: string): Promise<void> {
  const invite = (first_name: string, target_email: string, role: 'admin' | 'member' | 'viewer') =>
    api.createInvite({ params: { team_id }, body: { target_email, first_name, role } });
  for (const [person, role] of [
    [INES, 'admin'],
    [TOMAS, 'member'],
  ] as const) {
    const guest = await register(yard, person);
    const { link } = await invite(person.first_name, person.email, role);
    await guest.acceptInvite({ body: { token: new URL(link).searchParams.get('token') as string } });
  }
  await invite('Odile', 'odile@example.com', 'viewer');
}

async function makeSite(api: Client, team_id: string, site: (typeof SITES)[number], query: Query): Promise<void> {
  const { fqdn, title, template, visits, label } = site;
  const { id } = await api.createSite({
    wait: 120,
    body: {
      fqdn,
      team_id,
      template_name: template,
      cms_blog_name: title,
      cms_username: 'ada',
      cms_email: ADA.email,
      cms_first_name: ADA.first_name,
      cms_last_name: ADA.last_name,
      cms_password: ADA.password,
    },
  });
  await api.labelSites({ params: { team_id }, body: { fqdns: [fqdn], add: [label] } });
  // More readers by day and at the week's end, and pages that took some milliseconds (src/edge/durations.ts).
  await query(
    `insert into site_usage (site_id, hour, visits, requests, bytes, cached_bytes, cache_hits, cache_misses, errors, durations)
     select $1, h, v, v * 9, v * 400000, v * 320000, v * 7, v * 2, 0, array[0, 0, v * 4, v * 2, v, v, v, v / 9] from (
       select h, round($2 * (0.35 + 0.65 * sin(pi() * extract(hour from h) / 24)) * (1 + 0.4 * (extract(isodow from h) > 5)::int)
         * (0.8 + 0.4 * random()) / 8)::int as v
       from generate_series(date_trunc('hour', now()) - interval '15 days', now() - interval '1 hour', interval '1 hour') h) t
     on conflict do nothing`,
    id,
    visits,
  );
  await query(
    `insert into team_usage (team_id, hour, visits, bytes)
     select $2, hour, visits, bytes from site_usage where site_id = $1 and hour < date_trunc('hour', now())
     on conflict (team_id, hour) do update set visits = team_usage.visits + excluded.visits, bytes = team_usage.bytes + excluded.bytes`,
    id,
    team_id,
  );
}

async function ask(yard: Yard, api: Client, team_id: string): Promise<string> {
  const { id: site_live_id } = await api.getSite({ params: { fqdn: BAKERY } });
  const ticket = await api.createTicket({
    body: {
      team_id,
      site_live_id,
      subject: 'Which records does our own domain need?',
      description:
        'We bought **ryeandsalt.example** and added it to the site. Which records do we set, and does the site stay online meanwhile?',
    },
  });
  const operator = await signIn(yard.url, yard.operator);
  await operator.answerTicket({
    params: { ticket_id: ticket.id },
    body: {
      description:
        'Hello Ada, nothing goes offline: visitors keep the old address until the new one leads here.\n\n1. Open **Domains** and copy the two records.\n2. Set them where you bought the domain.\n3. The certificate follows by itself.',
    },
  });
  return ticket.id;
}

/** Until there is one a drawing stands in for it, which nobody may keep. Each look asks for the picture. */
async function hasPicture({ url }: Yard, fqdn: string): Promise<boolean> {
  const { access_token } = await createClient({ baseUrl: url }).signIn({
    body: { username: ADA.email, password: ADA.password },
  });
  const headers = { authorization: `Bearer ${access_token}` };
  const answer = await fetch(`${url}/f/api/v1/site/${fqdn}/picture`, { headers });
  return answer.ok && answer.headers.get('cache-control') !== 'no-store';
}

async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(1_000);
}
