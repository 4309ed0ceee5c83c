import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Webhook, WebhookDelivery } from '#sdk';
import { Listing } from '../../../layout/listing.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Section } from '../../../ui/card.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { SendIcon } from '../../../ui/icons.ts';
import { Segmented } from '../../../ui/segmented.tsx';
import { Table, Td, Th } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { DeliveryDialog } from './delivery-dialog.tsx';
import { deliveriesQuery, deliveryStates, paramsOf } from './webhooks.ts';

const choices = [
  { value: 'all', label: 'All' },
  ...Object.entries(deliveryStates).map(([value, { label }]) => ({ value, label })),
];

export function WebhookDeliveries({ webhook }: { webhook: Webhook }) {
  const [page, setPage] = useState(1);
  const [choice, setChoice] = useState('all');
  const state = choice === 'all' ? undefined : (choice as WebhookDelivery['state']);
  const query = useQuery(deliveriesQuery(paramsOf(webhook), state, page));
  return (
    <Section title="Deliveries" description="What was sent within 30 days, and what waits to be." flush>
      <div className="border-line border-b px-5 py-3">
        <Segmented
          label="State"
          value={choice}
          options={choices}
          onChange={(next) => {
            setChoice(next);
            setPage(1);
          }}
        />
      </div>
      <Listing
        query={query}
        onPage={setPage}
        empty={
          <Empty icon={<SendIcon />} title={state ? 'None of these' : 'Nothing was sent yet'}>
            {state ? 'No delivery is in this state.' : 'Send a test to see how your server takes it.'}
          </Empty>
        }
      >
        {(deliveries) => (
          <Table
            label="Deliveries"
            head={
              <>
                <Th>Event</Th>
                <Th className="max-sm:hidden">Answer</Th>
                <Th className="max-md:hidden">When</Th>
                <Th className="text-right">State</Th>
              </>
            }
          >
            {deliveries.map((delivery) => (
              <DeliveryRow key={delivery.id} webhook={webhook} delivery={delivery} />
            ))}
          </Table>
        )}
      </Listing>
    </Section>
  );
}

function DeliveryRow({ webhook, delivery }: { webhook: Webhook; delivery: WebhookDelivery }) {
  const [open, setOpen] = useState(false);
  const { label, tone } = deliveryStates[delivery.state];
  return (
    <tr>
      <Td className="w-full max-w-0">
        <button
          type="button"
          onClick={() => setOpen(true)}
          className="block max-w-full truncate rounded font-medium underline-offset-4 hover:underline"
        >
          {delivery.event_type}
        </button>
        <p className="truncate text-muted text-xs">
          {delivery.error ?? <Time iso={delivery.created_at} className="md:hidden" />}
        </p>
        <DeliveryDialog webhook={webhook} delivery={delivery} open={open} onOpenChange={setOpen} />
      </Td>
      <Td className="text-muted max-sm:hidden">{delivery.response_status ?? 'None'}</Td>
      <Td className="whitespace-nowrap text-muted max-md:hidden">
        <Time iso={delivery.created_at} />
      </Td>
      <Td className="text-right">
        <Badge tone={tone}>{label}</Badge>
      </Td>
    </tr>
  );
}
