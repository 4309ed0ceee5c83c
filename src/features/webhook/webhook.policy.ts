import type { Db } from '#core/db/database.ts';
import type { Failure } from '#core/errors.ts';
import { type Access, inTeam } from '#core/policy.ts';
import { deliveryNotFound, webhookNotFound } from './webhook.schema.ts';
import { findWebhook, type WebhookRow } from './webhook.sql.ts';
import { type DeliveryRow, findDelivery } from './webhook-delivery.sql.ts';

type Input = Record<string, unknown>;

/** Who manages webhooks sees them too: addresses often hold a secret of the receiver's. */
export const onWebhooks = inTeam('admin');

export const onWebhook = within(
  onWebhooks,
  (db, teamId, input) => findWebhook(db, teamId, String(input.webhook_id)),
  webhookNotFound,
);

export const onDelivery = within(
  onWebhook,
  async (db, webhook, input): Promise<{ webhook: WebhookRow; delivery: DeliveryRow } | undefined> => {
    const delivery = await findDelivery(db, webhook.id, String(input.delivery_id));
    return delivery && { webhook, delivery };
  },
  deliveryNotFound,
);

/** The same people, on a part of what the path names. */
function within<Whole, Part>(
  { find: findWhole, ...access }: Access<Whole>,
  find: (db: Db, whole: Whole, input: Input) => Promise<Part | undefined>,
  missing: Failure,
): Access<Part> {
  return {
    ...access,
    errors: [...(access.errors ?? []), missing],
    find: async (db, caller, input, config) => {
      const part = await find(db, (await findWhole?.(db, caller, input, config)) as Whole, input);
      if (part === undefined) throw missing();
      return part;
    },
  };
}
