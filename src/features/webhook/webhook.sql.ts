import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import { type Listing, listNewest, type Paging } from '#core/pages.ts';
import type { DisabledReason, NewWebhook, Webhook, WebhookChange } from './webhook.schema.ts';

export type WebhookRow = Webhook;

const COLUMNS = sql`id, team_id, user_id, url, description, event_types, is_active, disabled_reason, failing_since, created_at`;

export async function insertWebhook(
  db: Db,
  { team_id, user_id, url, description = '', event_types = [] }: NewWebhook & { team_id: string; user_id: string },
): Promise<WebhookRow> {
  const { rows } = await sql<WebhookRow>`
    insert into webhooks (team_id, user_id, url, description, event_types)
    values (${team_id}, ${user_id}, ${url}, ${description}, ${event_types}) returning ${COLUMNS}`.execute(db);
  return rows[0] as WebhookRow;
}

export async function countWebhooks(db: Db, teamId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from webhooks where team_id = ${teamId}`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function listWebhooks(db: Db, teamId: string, paging: Paging): Promise<Listing<WebhookRow>> {
  return listNewest<WebhookRow>(db, { table: 'webhooks', where: sql`team_id = ${teamId}`, columns: COLUMNS }, paging);
}

export async function findWebhooks(db: Db, teamId: string): Promise<WebhookRow[]> {
  const { rows } = await sql<WebhookRow>`
    select ${COLUMNS} from webhooks where team_id = ${teamId} order by id`.execute(db);
  return rows;
}

export async function findWebhook(db: Db, teamId: string, id: string): Promise<WebhookRow | undefined> {
  const { rows } = await sql<WebhookRow>`
    select ${COLUMNS} from webhooks where id = ${id} and team_id = ${teamId}`.execute(db);
  return rows[0];
}

/** Whoever gives it another address or switches it on answers for it from then on, and it starts with a clean sheet. */
export async function updateWebhook(
  db: Db,
  id: string,
  { url, description, event_types, is_active }: WebhookChange,
  responsible: string | null,
): Promise<WebhookRow | undefined> {
  const starts = responsible !== null;
  const { rows } = await sql<WebhookRow>`
    update webhooks set url = coalesce(${url ?? null}, url), description = coalesce(${description ?? null}, description),
      event_types = coalesce(${event_types ?? null}::text[], event_types), is_active = coalesce(${is_active ?? null}, is_active),
      user_id = coalesce(${responsible}, user_id),
      disabled_reason = case when ${is_active ?? false} then null else disabled_reason end,
      notice_due = notice_due and not ${is_active ?? false},
      failing_since = case when ${starts} then null else failing_since end
    where id = ${id} returning ${COLUMNS}`.execute(db);
  if (starts) await announceDeliveries(db);
  return rows[0];
}

/** Wakes whoever sends, in every process: there may be something to do. */
export async function announceDeliveries(db: Db): Promise<void> {
  await sql`select pg_notify('webhook', '')`.execute(db);
}

/** False when somebody else just did. */
export async function deleteWebhook(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql`delete from webhooks where id = ${id} returning id`.execute(db);
  return rows.length > 0;
}

export async function insertSecret(db: Db, webhookId: string, sealed: Buffer): Promise<void> {
  await sql`insert into webhook_secrets (webhook_id, secret_sealed) values (${webhookId}, ${sealed})`.execute(db);
}

export async function countGoodSecrets(db: Db, webhookId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from webhook_secrets
    where webhook_id = ${webhookId} and (expires_at is null or expires_at > now())`.execute(db);
  return rows[0]?.count ?? 0;
}

/** What was good until now stays so for as long as this; none that ends sooner is prolonged. */
export async function expireSecrets(db: Db, webhookId: string, afterHours: number): Promise<void> {
  await sql`update webhook_secrets set expires_at = least(expires_at, now() + ${afterHours} * interval '1 hour')
    where webhook_id = ${webhookId}`.execute(db);
}

export async function listGoodSecrets(db: Db, webhookId: string): Promise<Buffer[]> {
  const { rows } = await sql<{ secret_sealed: Buffer }>`
    select secret_sealed from webhook_secrets where webhook_id = ${webhookId} and (expires_at is null or expires_at > now())
    order by created_at desc, id`.execute(db);
  return rows.map(({ secret_sealed }) => secret_sealed);
}

export async function deleteExpiredSecrets(db: Db): Promise<void> {
  await sql`delete from webhook_secrets where expires_at <= now()`.execute(db);
}

export interface SwitchedOff {
  id: string;
  team_id: string;
  url: string;
  reason: DisabledReason;
}

/** A look that needs no transaction, for it is nearly always in vain. */
export async function hasNotices(db: Db): Promise<boolean> {
  return (await sql`select from webhooks where notice_due limit 1`.execute(db)).rows.length > 0;
}

/** What the platform switched off and nobody was told of yet. Whoever takes it tells in the same transaction. */
export async function takeNotices(db: Db): Promise<SwitchedOff[]> {
  const { rows } = await sql<SwitchedOff>`
    update webhooks set notice_due = false
    where id in (select id from webhooks where notice_due limit 20 for update skip locked)
    returning id, team_id, url, disabled_reason as reason`.execute(db);
  return rows;
}

export async function findNotice(
  db: Db,
  webhookId: string,
): Promise<(SwitchedOff & { team_name: string; owner_id: string }) | undefined> {
  const { rows } = await sql<SwitchedOff & { team_name: string; owner_id: string }>`
    select w.id, w.team_id, w.url, w.disabled_reason as reason, t.name as team_name, t.user_id as owner_id
    from webhooks w join teams t on t.id = w.team_id where w.id = ${webhookId} and w.disabled_reason is not null`.execute(
    db,
  );
  return rows[0];
}
