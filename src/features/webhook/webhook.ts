import { randomBytes, randomUUID } from 'node:crypto';
import type { Caller } from '#core/auth/caller.ts';
import { recheckRights } from '#core/auth/revocation.ts';
import type { Db } from '#core/db/database.ts';
import type { EventType } from '#core/events/event-types.ts';
import { recordEvent } from '#core/events/events.ts';
import type { Services } from '#core/services.ts';
import { getTeam, lockTeam } from '#features/team/team.ts';
import { callWebhook, renderPayload } from './webhook.message.ts';
import {
  deliveryNotFound,
  type NewWebhook,
  type Replay,
  teamSuspended,
  tooManySecrets,
  tooManyWebhooks,
  type Webhook,
  type WebhookChange,
  type WebhookDeliveryDetail,
  type WebhookWithSecret,
  webhookNotFound,
  webhookOff,
} from './webhook.schema.ts';
import {
  countGoodSecrets,
  countWebhooks,
  deleteExpiredSecrets,
  expireSecrets,
  findWebhooks,
  insertSecret,
  insertWebhook,
  listGoodSecrets,
  deleteWebhook as remove,
  type WebhookRow,
  updateWebhook as write,
} from './webhook.sql.ts';
import {
  type DeliveryRow,
  deleteOldDeliveries,
  insertTestDelivery,
  type KeptEvent,
  type Outcome,
  replayDeliveries,
  replayDelivery,
} from './webhook-delivery.sql.ts';

const MAX_WEBHOOKS = 20;
const MAX_SECRETS = 5;
const SECRET_BYTES = 32;
const OVERLAP_HOURS = 24;

export async function createWebhook(
  db: Db,
  services: Services,
  caller: Caller,
  teamId: string,
  input: NewWebhook,
): Promise<WebhookWithSecret> {
  await lockTeam(db, teamId);
  await recheckRights(db, caller, teamId);
  if ((await countWebhooks(db, teamId)) >= MAX_WEBHOOKS) throw tooManyWebhooks();
  const webhook = await insertWebhook(db, { ...tidy(input), url: input.url, team_id: teamId, user_id: caller.userId });
  const secret = await giveSecret(db, services, webhook.id);
  await recordWebhookEvent(db, caller, webhook, 'webhook.created', `added a webhook to ${hostOf(webhook)}`);
  return { ...webhook, secret };
}

export async function updateWebhook(
  db: Db,
  caller: Caller,
  { id, team_id, url }: WebhookRow,
  change: WebhookChange,
): Promise<Webhook> {
  await lockTeam(db, team_id);
  const starts = change.is_active || (change.url !== undefined && change.url !== url);
  const webhook = await write(db, id, tidy(change), starts ? caller.userId : null);
  if (!webhook) throw webhookNotFound();
  const did = change.is_active === undefined ? 'changed' : change.is_active ? 'switched on' : 'switched off';
  await recordWebhookEvent(db, caller, webhook, 'webhook.updated', `${did} the webhook to ${hostOf(webhook)}`);
  return webhook;
}

/** The team's lock comes first: two deletions at once would otherwise each wait to tell the other's endpoint. */
export async function deleteWebhook(db: Db, caller: Caller, webhook: WebhookRow): Promise<void> {
  await lockTeam(db, webhook.team_id);
  if (!(await removeAndTell(db, caller, webhook))) throw webhookNotFound();
}

/** All of a team's. */
export async function deleteWebhooks(db: Db, caller: Caller, teamId: string): Promise<void> {
  await lockTeam(db, teamId);
  for (const webhook of await findWebhooks(db, teamId)) await removeAndTell(db, caller, webhook);
}

/** False when somebody else just did. */
async function removeAndTell(db: Db, caller: Caller, webhook: WebhookRow): Promise<boolean> {
  if (!(await remove(db, webhook.id))) return false;
  await recordWebhookEvent(db, caller, webhook, 'webhook.deleted', `deleted the webhook to ${hostOf(webhook)}`);
  return true;
}

/** The receiver has a day to learn the new secret; until then each call carries the signatures of both. */
export async function rotateSecret(
  db: Db,
  services: Services,
  caller: Caller,
  { id, team_id }: WebhookRow,
  revokesPrevious: boolean,
): Promise<WebhookWithSecret> {
  await lockTeam(db, team_id);
  const webhook = await write(db, id, {}, null);
  if (!webhook) throw webhookNotFound();
  await expireSecrets(db, id, revokesPrevious ? 0 : OVERLAP_HOURS);
  if ((await countGoodSecrets(db, id)) >= MAX_SECRETS) throw tooManySecrets();
  const secret = await giveSecret(db, services, id);
  const activity = `changed the secret of the webhook to ${hostOf(webhook)}`;
  await recordWebhookEvent(db, caller, webhook, 'webhook.updated', activity);
  return { ...webhook, secret };
}

async function giveSecret(db: Db, { secrets }: Services, webhookId: string): Promise<string> {
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  await insertSecret(db, webhookId, secrets.seal(Buffer.from(secret)));
  return secret;
}

/** A call that was made to see how the receiver takes it. */
export interface TestCall {
  id: string;
  event: KeptEvent;
  outcome: Outcome;
}

/** Calls at once, also an endpoint that is switched off: to be tried before it is switched on. */
export async function callForTest(services: Services, caller: Caller, webhook: WebhookRow): Promise<TestCall> {
  if (!(await getTeam(services.db, caller, webhook.team_id)).is_active) throw teamSuspended();
  const now = new Date().toISOString();
  const event: KeptEvent = {
    id: randomUUID(),
    scope: 'team',
    event_type: 'webhook.test',
    activity: `${caller.fullName} tried the webhook`,
    description: null,
    detail: {},
    team_id: webhook.team_id,
    user_id: caller.userId,
    site_live_id: null,
    fqdn: null,
    item_id: webhook.id,
    created_at: now,
    finished_at: now,
  };
  const call = { id: randomUUID(), url: webhook.url, event, secrets: await listGoodSecrets(services.db, webhook.id) };
  return { id: call.id, event, outcome: await callWebhook(services, call) };
}

export async function recordTest(db: Db, webhookId: string, call: TestCall): Promise<WebhookDeliveryDetail> {
  const row = await insertTestDelivery(db, { id: call.id, webhookId, event: call.event }, call.outcome);
  if (!row) throw webhookNotFound();
  return toDetail(db, row);
}

export async function toDetail(db: Db, { event, ...row }: DeliveryRow): Promise<WebhookDeliveryDetail> {
  return { ...row, payload: await renderPayload(db, event) };
}

export async function replayOne(db: Db, webhook: WebhookRow, deliveryId: string): Promise<WebhookDeliveryDetail> {
  if (!webhook.is_active) throw webhookOff();
  const row = await replayDelivery(db, deliveryId);
  if (!row) throw deliveryNotFound();
  return toDetail(db, row);
}

export async function replaySince(
  db: Db,
  webhook: WebhookRow,
  { since, state = 'failed' }: Replay,
): Promise<{ count: number }> {
  if (!webhook.is_active) throw webhookOff();
  return { count: await replayDeliveries(db, webhook.id, state, new Date(since)) };
}

/** Removes what is kept for nobody any more. */
export async function forgetOldDeliveries(db: Db): Promise<void> {
  await deleteOldDeliveries(db);
  await deleteExpiredSecrets(db);
}

function tidy<Input extends WebhookChange>(input: Input): Input {
  const { description, event_types } = input;
  return {
    ...input,
    ...(description !== undefined && { description: description.trim() }),
    ...(event_types !== undefined && { event_types: [...new Set(event_types)] }),
  };
}

/** Everybody in the team reads events, and the rest of the address may be a secret of the receiver's. */
export const hostOf = ({ url }: { url: string }): string => new URL(url).host;

async function recordWebhookEvent(
  db: Db,
  caller: Caller,
  webhook: WebhookRow,
  event_type: EventType,
  did: string,
): Promise<void> {
  await recordEvent(db, {
    scope: 'team',
    event_type,
    activity: `${caller.fullName} ${did}`,
    by: caller,
    team_id: webhook.team_id,
    item_id: webhook.id,
  });
}
