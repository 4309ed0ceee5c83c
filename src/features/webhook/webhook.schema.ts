import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { EVENT_TYPES } from '#core/events/event-types.ts';
import { Moment, Nullable, OneOf, OpenObject, say, Timestamp, Uuid } from '#core/http/schema.ts';

/** What one can ask to be told of. Events of an account belong to no team, and so have no webhooks. */
const ofTeams = EVENT_TYPES.filter((name) => !name.startsWith('account.'));
const families = [...new Set(ofTeams.map((name) => `${name.split('.')[0]}.*` as const))];
const EventTypes = Type.Array(OneOf([...ofTeams, ...families]), {
  maxItems: 100,
  description: 'Names of events, or site.* for all that begin so; empty for everything',
  examples: [['site.*', 'backup.failed']],
});
const Description = Type.String({ maxLength: 200, description: 'What it is for, in your own words' });
const Url = Type.String({
  minLength: 1,
  maxLength: 2083,
  description: 'Starts with https://',
  examples: ['https://hooks.example.com/siteyard'],
});

const DISABLED_REASONS = ['gone', 'failing', 'person_left'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

const webhookFields = {
  id: Uuid,
  team_id: Uuid,
  user_id: Type.String({ format: 'uuid', description: 'Who answers for it; when they leave, it is switched off' }),
  url: Type.String(),
  description: Type.String(),
  event_types: EventTypes,
  is_active: Type.Boolean({ description: 'Whether it is told of anything' }),
  disabled_reason: Nullable(OneOf(DISABLED_REASONS)),
  failing_since: Nullable(Timestamp),
  created_at: Timestamp,
};
export const Webhook = Type.Object(webhookFields, { title: 'Webhook' });
export type Webhook = Static<typeof Webhook>;

export const WebhookWithSecret = Type.Object(
  { ...webhookFields, secret: Type.String({ description: 'What calls are signed with; it is shown this once' }) },
  { title: 'WebhookWithSecret' },
);
export type WebhookWithSecret = Static<typeof WebhookWithSecret>;

export const NewWebhook = Type.Object({
  url: Url,
  description: Type.Optional(Description),
  event_types: Type.Optional(EventTypes),
});
export type NewWebhook = Static<typeof NewWebhook>;

export const WebhookChange = Type.Object({
  url: Type.Optional(Url),
  description: Type.Optional(Description),
  event_types: Type.Optional(EventTypes),
  is_active: Type.Optional(say(Type.Boolean(), 'False stops it; what happens meanwhile waits')),
});
export type WebhookChange = Static<typeof WebhookChange>;

export const SecretRotation = Type.Object({
  revoke_previous: Type.Optional(
    Type.Boolean({ description: 'True where the old secret leaked: it ends now instead of in 24 hours' }),
  ),
});

export const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const;
const deliveryFields = {
  id: Type.String({ format: 'uuid', description: 'Sent as webhook-id, the same at every attempt' }),
  webhook_id: Uuid,
  event_id: Nullable(Uuid),
  event_type: Type.String(),
  state: OneOf(DELIVERY_STATES),
  attempts: Type.Integer(),
  next_attempt_at: Nullable(Timestamp),
  attempted_at: Nullable(Timestamp),
  delivered_at: Nullable(Timestamp),
  response_status: Nullable(Type.Integer()),
  duration_ms: Nullable(Type.Integer()),
  error: Nullable(Type.String()),
  created_at: Timestamp,
};
export const WebhookDelivery = Type.Object(deliveryFields, { title: 'WebhookDelivery' });
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const WebhookDeliveryDetail = Type.Object(
  {
    ...deliveryFields,
    payload: OpenObject,
    response_body: Nullable(Type.String({ description: 'The beginning of the last answer' })),
  },
  { title: 'WebhookDeliveryDetail' },
);
export type WebhookDeliveryDetail = Static<typeof WebhookDeliveryDetail>;

export const Replay = Type.Object({
  since: say(Moment, 'From this moment on'),
  state: Type.Optional(say(OneOf(['failed', 'delivered']), 'What failed, or what was delivered')),
});
export type Replay = Static<typeof Replay>;

export const ReplayedDeliveries = Type.Object({ count: Type.Integer() }, { title: 'ReplayedDeliveries' });

export const webhookNotFound = failure('webhook.not_found', 404, 'There is no such webhook.');
export const deliveryNotFound = failure('webhook_delivery.not_found', 404, 'There is no such delivery.');
export const tooManyWebhooks = failure(
  'webhook.too_many',
  409,
  'The team has 20 webhooks; delete one that is not needed first.',
);
export const tooManySecrets = failure(
  'webhook.too_many_secrets',
  409,
  'The secret was rotated 5 times within 24 hours; wait, or revoke the older ones.',
);
export const webhookOff = failure('webhook.off', 409, 'The webhook is switched off; switch it on first.');
export const teamSuspended = failure('team.suspended', 409, 'The team is suspended, so nothing is sent for it.');
