import { sql } from 'kysely';
import type { EventType } from '#core/events/event-types.ts';
import { recordEvent } from '#core/events/events.ts';
import type { WebhookDelivery, WebhookWithSecret } from '#sdk';
import { eventually } from '../expect.ts';
import { startReceiver, type WebhookReceiver } from '../servers/webhook-receiver.ts';
import { type Person, registerPerson } from './people.ts';
import type { TestApp } from './test-app.ts';

/** What a test of webhooks needs: endpoints with their receivers, events, and pauses that are over when a test says so. */
export type Webhooks = ReturnType<typeof createWebhooks>;

type EventTypes = WebhookWithSecret['event_types'];

export interface Hook {
  owner: Person;
  id: string;
  secret: string;
  params: { team_id: string; webhook_id: string };
}

export const hookOf = (owner: Person, { id, secret, team_id }: WebhookWithSecret): Hook => ({
  owner,
  id,
  secret,
  params: { team_id, webhook_id: id },
});

export const typesOf = (receiver: WebhookReceiver): string[] => receiver.calls.map(({ body }) => JSON.parse(body).type);

export function createWebhooks(app: TestApp) {
  const { db } = app.services;
  const receivers: WebhookReceiver[] = [];

  const webhooks = {
    async receive(port?: number): Promise<WebhookReceiver> {
      const receiver = await startReceiver(port);
      receivers.push(receiver);
      return receiver;
    },

    async hookFor(owner: Person, url: string, event_types?: EventTypes): Promise<Hook> {
      const body = { url, ...(event_types && { event_types }) };
      return hookOf(owner, await owner.api.createWebhook({ params: { team_id: owner.teamId }, body }));
    },

    /** A team with one webhook to a receiver of its own. */
    async listening(event_types?: EventTypes): Promise<{ owner: Person; receiver: WebhookReceiver; hook: Hook }> {
      const owner = await registerPerson(app, 'Owner');
      const receiver = await webhooks.receive();
      return { owner, receiver, hook: await webhooks.hookFor(owner, receiver.url, event_types) };
    },

    /** Something happens in a person's team. */
    happens({ teamId, userId }: Person, event_type: EventType = 'site.updated'): Promise<string> {
      const event = { scope: 'team', event_type, activity: 'Something happened' } as const;
      return recordEvent(db, { ...event, by: { userId }, team_id: teamId });
    },

    async deliveriesOf({ owner, params }: Hook): Promise<WebhookDelivery[]> {
      return (await owner.api.listWebhookDeliveries({ params, query: { size: 100 } })).results;
    },

    detailOf: ({ owner, params }: Hook, delivery_id: string) =>
      owner.api.getWebhookDelivery({ params: { ...params, delivery_id } }),

    /** The newest delivery, once so many attempts of it were made and noted. */
    attempted: (hook: Hook, attempts: number): Promise<WebhookDelivery> =>
      eventually(async () => {
        const { rows } = await sql<{ attempts: number; lease: string | null }>`
          select attempts, lease from webhook_deliveries where webhook_id = ${hook.id}
          order by created_at desc, id desc limit 1`.execute(db);
        const isNoted = rows[0]?.attempts === attempts && rows[0].lease === null;
        return isNoted && (await webhooks.deliveriesOf(hook))[0];
      }),

    /** Waits until nothing is due and nothing under way. */
    settled: (hook: Hook): Promise<boolean> =>
      eventually(async () => {
        const { rows } = await sql`
          select from webhook_deliveries where webhook_id = ${hook.id} and (lease is not null or due_at <= now())`.execute(
          db,
        );
        return rows.length === 0;
      }),

    /** What waits for another attempt is due now, as if its pause were over. */
    async pauseOver({ id }: Hook): Promise<void> {
      await sql`update webhook_deliveries set due_at = now() where webhook_id = ${id} and state = 'waiting' and lease is null`.execute(
        db,
      );
      await sql`select pg_notify('webhook', '')`.execute(db);
    },

    close: () => Promise.all(receivers.map((receiver) => receiver.close())),
  };
  return webhooks;
}
