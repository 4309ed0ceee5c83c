import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import pg from 'pg';
import type { Static } from 'typebox';
import { PageOf } from '#core/http/schema.ts';
import { Event } from '#features/event/event.schema.ts';
import { PLANS } from '#features/plan/plan.ts';
import { Team } from '#features/team/team.schema.ts';
import { NewTicket, Ticket } from '#features/ticket/ticket.schema.ts';

/**
 * What one would write by hand for the same answers: the same SQL on the same driver and the same schemas for the
 * answers, but nobody signs in, nothing is limited, measured or announced, and who asks is known beforehand.
 */
const [databaseUrl = '', callerId = ''] = process.argv.slice(2);
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
const membership = await pool.query('select team_id, role from team_members where user_id = $1', [callerId]);
const roles = new Map(membership.rows.map((row) => [row.team_id, row.role]));
const teamIds = [...roles.keys()];

const USER = `id, email, first_name, last_name, is_active, is_verified, is_superuser, is_payment_verified, analytics_user_id, created_at`;
const TEAM = `id, name, user_id, tenant_id, timezone, plan_type_name, is_default, is_active, is_expired, additional_sites,
  metrics_org_id, analytics_team_id, sub_id, interval, currency, cancel_at, cancel_at_period_end, trial_ends_on, cycle_start, cycle_end,
  current_cycle_visits, current_cycle_bandwidth, storage_usage, storage_is_used_up, created_at`;
const EVENT = `id, seq, team_id, user_id, site_live_id, fqdn, scope, event_type, activity, description, detail, item_id, created_at, finished_at,
  user_id is distinct from $4::uuid and seq > (select events_read_to from users where id = $4) as unread`;
const TICKET = `id, team_id, user_id, subject, description, category, is_assistant_thread, messages_remaining,
  assistant_custom_instructions, resolved, resolved_at, created_at`;

const listing = (table: string, columns: string, where: string) => `
  select counted.listing_count, page.* from (select count(*)::int as listing_count from ${table} where ${where}) counted
  left join (
    select ${columns} from (
      select id from ${table} where ${where} order by created_at desc, id desc limit $2 offset $3
    ) keys join ${table} using (id)
  ) page on true
  order by page.created_at desc, page.id desc`;
const TEAM_PAGE = listing('teams', TEAM, 'id = any($1::uuid[])');
const EVENT_PAGE = listing('events', EVENT, 'team_id = $1');

const app = Fastify();
const PageQuery = {
  type: 'object',
  properties: { page: { type: 'integer', default: 1 }, size: { type: 'integer', default: 50 } },
};
interface Query {
  page: number;
  size: number;
}

app.get<{ Querystring: Query }>(
  '/team',
  { schema: { querystring: PageQuery, response: { 200: PageOf(Team) } } },
  async ({ query }) => {
    const { rows } = await pool.query(TEAM_PAGE, [teamIds, query.size, (query.page - 1) * query.size]);
    const users = await usersById(rows.map((row) => row.user_id));
    const results = rows.map((row) => {
      const plan = PLANS[row.plan_type_name as keyof typeof PLANS];
      return {
        ...row,
        role: roles.get(row.id),
        user: users.get(row.user_id),
        plan_type: plan,
        should_allow_storefront_payment: row.plan_type_name !== 'free',
        visits_usage_percentage: Math.round((100 * row.current_cycle_visits) / plan.visits),
        storage_usage_percentage: Math.round((100 * row.storage_usage) / plan.storage_bytes),
      };
    });
    return toPage('/team', query, rows[0].listing_count, results);
  },
);

app.get<{ Querystring: Query; Params: { id: string } }>(
  '/team/:id/event',
  { schema: { querystring: PageQuery, response: { 200: PageOf(Event) } } },
  async ({ query, params }) => {
    const offset = (query.page - 1) * query.size;
    const { rows } = await pool.query(EVENT_PAGE, [params.id, query.size, offset, callerId]);
    const users = await usersById(rows.map((row) => row.user_id));
    const results = rows.map((row) => ({ ...row, user: users.get(row.user_id) ?? null }));
    return toPage(`/team/${params.id}/event`, query, rows[0].listing_count, results);
  },
);

app.post<{ Body: Static<typeof NewTicket> }>(
  '/support/ticket',
  { schema: { body: NewTicket, response: { 200: Ticket } } },
  async ({ body }) => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const team = await client.query(`select ${TEAM} from teams where id = $1`, [body.team_id]);
      const plan = PLANS[team.rows[0].plan_type_name as keyof typeof PLANS];
      const ticket = await client.query(
        `insert into tickets (team_id, user_id, site_live_id, subject, description, category, is_assistant_thread, messages_remaining, resolved, resolved_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning ${TICKET}`,
        [
          body.team_id,
          callerId,
          null,
          body.subject,
          body.description,
          null,
          false,
          plan.assistant_messages,
          false,
          null,
        ],
      );
      await client.query(
        `insert into events (scope, event_type, activity, user_id, team_id, site_live_id, fqdn, item_id, description, detail, finished_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now()) returning id`,
        [
          'team',
          'ticket.opened',
          `Somebody opened the ticket "${body.subject}"`,
          callerId,
          body.team_id,
          null,
          null,
          ticket.rows[0].id,
          null,
          '{}',
        ],
      );
      const user = await client.query(`select ${USER} from users where id = $1`, [callerId]);
      await client.query('commit');
      const noReplies = { ticket_replies: [], ticket_replies_count: 0, ticket_replies_next: null };
      return { ...ticket.rows[0], user: toUser(user.rows[0]), ...noReplies };
    } finally {
      client.release();
    }
  },
);

async function usersById(ids: string[]): Promise<Map<string, unknown>> {
  const { rows } = await pool.query(`select ${USER} from users where id = any($1::uuid[])`, [[...new Set(ids)]]);
  return new Map(rows.map((row) => [row.id, toUser(row)]));
}

function toUser(row: Record<string, unknown>) {
  return { ...row, full_name: `${row.first_name} ${row.last_name}` };
}

function toPage(path: string, { page, size }: Query, count: number, results: unknown[]) {
  const link = (target: number) => `http://localhost${path}?page=${target}&size=${size}`;
  const offset = (page - 1) * size;
  const next = offset + size < count ? link(page + 1) : null;
  return { count, limit: size, next, offset, previous: page > 1 ? link(page - 1) : null, results };
}

await app.listen({ port: 0, host: '127.0.0.1' });
console.log(`ready: ${(app.server.address() as AddressInfo).port}`);
