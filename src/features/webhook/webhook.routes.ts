import { Type } from 'typebox';
import { operation } from '#core/http/operation.ts';
import { Empty, OneOf, PageOf, PageQuery, say, Uuid } from '#core/http/schema.ts';
import { verified } from '#core/policy.ts';
import { onDelivery, onWebhook, onWebhooks } from './webhook.policy.ts';
import { readWebhookUrl } from './webhook.rules.ts';
import {
  DELIVERY_STATES,
  NewWebhook,
  Replay,
  ReplayedDeliveries,
  SecretRotation,
  teamSuspended,
  tooManySecrets,
  tooManyWebhooks,
  Webhook,
  WebhookChange,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookWithSecret,
  webhookOff,
} from './webhook.schema.ts';
import { listWebhooks } from './webhook.sql.ts';
import {
  callForTest,
  createWebhook,
  deleteWebhook,
  recordTest,
  replayOne,
  replaySince,
  rotateSecret,
  toDetail,
  updateWebhook,
} from './webhook.ts';
import { listDeliveries } from './webhook-delivery.sql.ts';

const tag = 'webhooks';
const TeamPath = Type.Object({ team_id: Uuid });
const WebhookPath = Type.Object({ team_id: Uuid, webhook_id: Uuid });
const DeliveryPath = Type.Object({ team_id: Uuid, webhook_id: Uuid, delivery_id: Uuid });

export const webhookOperations = [
  operation({
    id: 'listWebhooks',
    method: 'GET',
    path: '/team/{team_id}/webhook',
    tag,
    summary: 'The addresses that are told of what happens in a team',
    access: onWebhooks,
    params: TeamPath,
    query: Type.Object(PageQuery),
    response: PageOf(Webhook),
    async handle({ db, subject: teamId, query, page }) {
      const { count, rows } = await listWebhooks(db, teamId, query);
      return page(query, count, rows);
    },
  }),
  operation({
    id: 'createWebhook',
    method: 'POST',
    path: '/team/{team_id}/webhook',
    tag,
    summary: 'Have an address told of what happens; the answer shows the secret that calls are signed with, this once',
    access: verified(onWebhooks),
    params: TeamPath,
    body: NewWebhook,
    response: WebhookWithSecret,
    errors: [tooManyWebhooks],
    prepare: ({ services, body }) => readWebhookUrl(body.url, services.outbound),
    handle: ({ db, services, caller, subject: teamId, body, prepared: url }) =>
      createWebhook(db, services, caller, teamId, { ...body, url }),
  }),
  operation({
    id: 'getWebhook',
    method: 'GET',
    path: '/team/{team_id}/webhook/{webhook_id}',
    tag,
    summary: 'One webhook',
    access: onWebhook,
    params: WebhookPath,
    response: Webhook,
    handle: async ({ subject: webhook }) => webhook,
  }),
  operation({
    id: 'updateWebhook',
    method: 'PATCH',
    path: '/team/{team_id}/webhook/{webhook_id}',
    tag,
    summary: 'Change a webhook, or switch it on or off; what waited goes out when it is switched on',
    access: verified(onWebhook),
    params: WebhookPath,
    body: WebhookChange,
    response: Webhook,
    prepare: async ({ services, body }) =>
      body.url === undefined ? {} : { url: await readWebhookUrl(body.url, services.outbound) },
    handle: ({ db, caller, subject: webhook, body, prepared }) =>
      updateWebhook(db, caller, webhook, { ...body, ...prepared }),
  }),
  operation({
    id: 'deleteWebhook',
    method: 'DELETE',
    path: '/team/{team_id}/webhook/{webhook_id}',
    tag,
    summary: 'Delete a webhook, with what waited for it',
    access: onWebhook,
    params: WebhookPath,
    response: Empty,
    async handle({ db, caller, subject: webhook }) {
      await deleteWebhook(db, caller, webhook);
      return {};
    },
  }),
  operation({
    id: 'rotateWebhookSecret',
    method: 'POST',
    path: '/team/{team_id}/webhook/{webhook_id}/rotate_secret',
    tag,
    summary: 'A new secret, shown this once; for 24 hours calls are signed with the old one too',
    access: verified(onWebhook),
    params: WebhookPath,
    body: SecretRotation,
    response: WebhookWithSecret,
    errors: [tooManySecrets],
    handle: ({ db, services, caller, subject: webhook, body }) =>
      rotateSecret(db, services, caller, webhook, body.revoke_previous ?? false),
  }),
  operation({
    id: 'testWebhook',
    method: 'POST',
    path: '/team/{team_id}/webhook/{webhook_id}/test',
    tag,
    summary: 'Call the address now with an event webhook.test, and see its answer',
    access: verified(onWebhook),
    params: WebhookPath,
    response: WebhookDeliveryDetail,
    errors: [teamSuspended],
    prepare: ({ services, caller, subject: webhook }) => callForTest(services, caller, webhook),
    handle: ({ db, subject: webhook, prepared: call }) => recordTest(db, webhook.id, call),
  }),
  operation({
    id: 'replayWebhook',
    method: 'POST',
    path: '/team/{team_id}/webhook/{webhook_id}/replay',
    tag,
    summary: 'Send again what failed since a moment, or what was delivered since then',
    access: verified(onWebhook),
    params: WebhookPath,
    body: Replay,
    response: ReplayedDeliveries,
    errors: [webhookOff],
    handle: ({ db, subject: webhook, body }) => replaySince(db, webhook, body),
  }),
  operation({
    id: 'listWebhookDeliveries',
    method: 'GET',
    path: '/team/{team_id}/webhook/{webhook_id}/delivery',
    tag,
    summary: 'What was sent to a webhook within 30 days, and what waits to be',
    access: onWebhook,
    params: WebhookPath,
    query: Type.Object({ state: Type.Optional(say(OneOf(DELIVERY_STATES), 'Only those in this state')), ...PageQuery }),
    response: PageOf(WebhookDelivery),
    async handle({ db, subject: webhook, query, page }) {
      const { count, rows } = await listDeliveries(db, webhook.id, query.state, query);
      return page(query, count, rows);
    },
  }),
  operation({
    id: 'getWebhookDelivery',
    method: 'GET',
    path: '/team/{team_id}/webhook/{webhook_id}/delivery/{delivery_id}',
    tag,
    summary: 'One delivery, with what was sent and what came back last',
    access: onDelivery,
    params: DeliveryPath,
    response: WebhookDeliveryDetail,
    handle: ({ db, subject: { delivery } }) => toDetail(db, delivery),
  }),
  operation({
    id: 'replayWebhookDelivery',
    method: 'POST',
    path: '/team/{team_id}/webhook/{webhook_id}/delivery/{delivery_id}/replay',
    tag,
    summary: 'Send a delivery again, under the same webhook-id',
    access: verified(onDelivery),
    params: DeliveryPath,
    response: WebhookDeliveryDetail,
    errors: [webhookOff],
    handle: ({ db, subject: { webhook, delivery } }) => replayOne(db, webhook, delivery.id),
  }),
];
