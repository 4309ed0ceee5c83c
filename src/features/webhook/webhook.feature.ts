import { figures } from '#core/figures.ts';
import { feature } from '../feature.ts';
import { mailSwitchedOff } from './webhook.jobs.ts';
import { webhookOperations } from './webhook.routes.ts';
import { WebhookSender } from './webhook.sender.ts';
import { forgetOldDeliveries } from './webhook.ts';
import { webhookFigures } from './webhook-delivery.sql.ts';

export const webhookFeature = feature({
  name: 'webhook',
  operations: webhookOperations,
  dueTimes: ['webhook_deliveries.due_at'],
  jobs: [mailSwitchedOff],
  parts: [
    {
      name: 'the sender of webhooks',
      stage: 'work',
      roles: ['worker'],
      async start(services) {
        const sender = new WebhookSender(services);
        await sender.start();
        return () => sender.close();
      },
    },
  ],
  figures: [
    figures({
      metrics: {
        webhook_deliveries_waiting: {
          help: 'Calls of webhooks that wait for their turn or for another attempt',
          type: 'gauge',
        },
        webhook_deliveries_overdue_seconds: {
          help: 'How long the call that waits longest has been due',
          type: 'gauge',
        },
      },
      read: ({ db }) => webhookFigures(db),
    }),
  ],
  housekeeping: forgetOldDeliveries,
});
