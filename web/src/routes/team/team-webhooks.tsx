import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Team, Webhook } from '#sdk';
import { ConfirmedOnly } from '../../layout/confirmed-only.tsx';
import { Listing } from '../../layout/listing.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { cx } from '../../ui/cx.ts';
import { Empty } from '../../ui/empty.tsx';
import { PlusIcon, WebhookIcon } from '../../ui/icons.ts';
import { Table, Td, Th } from '../../ui/table.tsx';
import { NewWebhookDialog } from './webhook/webhook-dialogs.tsx';
import { eventsText, hostOf, stateOf, webhooksQuery } from './webhook/webhooks.ts';

export function TeamWebhooks({ team }: { team: Team }) {
  const [page, setPage] = useState(1);
  const [adding, setAdding] = useState(false);
  const query = useQuery(webhooksQuery(team.id, page));
  return (
    <Section
      title="Webhooks"
      description="Servers of yours that are called when something happens."
      action={
        <ConfirmedOnly>
          <Button onClick={() => setAdding(true)}>
            <PlusIcon /> Add webhook
          </Button>
        </ConfirmedOnly>
      }
      flush
    >
      <NewWebhookDialog teamId={team.id} open={adding} onOpenChange={setAdding} />
      <Listing
        query={query}
        onPage={setPage}
        empty={
          <Empty icon={<WebhookIcon />} title="No webhooks">
            Have a server of yours called when a site is made, a backup fails or a member joins {team.name}.
          </Empty>
        }
      >
        {(webhooks) => (
          <Table
            label="Webhooks"
            head={
              <>
                <Th>Calls</Th>
                <Th className="max-md:hidden">When something happens to</Th>
                <Th className="text-right">State</Th>
              </>
            }
          >
            {webhooks.map((webhook) => (
              <WebhookRow key={webhook.id} webhook={webhook} />
            ))}
          </Table>
        )}
      </Listing>
    </Section>
  );
}

function WebhookRow({ webhook }: { webhook: Webhook }) {
  const { label, tone } = stateOf(webhook);
  return (
    <tr>
      <Td className="w-1/2 max-w-0 max-md:w-full">
        <Link
          to="/teams/$teamId/webhooks/$webhookId"
          params={{ teamId: webhook.team_id, webhookId: webhook.id }}
          className="block truncate rounded font-medium underline-offset-4 hover:underline"
        >
          {webhook.description || hostOf(webhook)}
        </Link>
        {/* Where there is room, what it is called for has a column of its own. */}
        <p className={cx('truncate text-muted text-xs', !webhook.description && 'md:hidden')}>
          {webhook.description ? hostOf(webhook) : eventsText(webhook)}
        </p>
      </Td>
      <Td className="w-1/2 max-w-0 truncate text-muted max-md:hidden">{eventsText(webhook)}</Td>
      <Td className="text-right">
        <Badge tone={tone}>{label}</Badge>
      </Td>
    </tr>
  );
}
