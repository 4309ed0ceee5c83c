import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Webhook } from '#sdk';
import { api } from '../../../api/client.ts';
import { BackLink } from '../../../layout/back-link.tsx';
import { ConfirmedOnly } from '../../../layout/confirmed-only.tsx';
import { Loaded } from '../../../layout/loaded.tsx';
import { Alert } from '../../../ui/alert.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Section } from '../../../ui/card.tsx';
import { Definitions } from '../../../ui/definitions.tsx';
import { keepPlace } from '../../../ui/focus.ts';
import { messageOf } from '../../../ui/form.tsx';
import { PageHeader } from '../../../ui/page.tsx';
import { DateOnly, Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import { WebhookActions } from './webhook-actions.tsx';
import { WebhookDeliveries } from './webhook-deliveries.tsx';
import { eventsText, hostOf, paramsOf, stateOf, switchedOffBecause, webhookQuery } from './webhooks.ts';

const route = getRouteApi('/app/teams/$teamId/webhooks/$webhookId');

export function WebhookPage() {
  const { teamId, webhookId } = route.useParams();
  const query = useQuery(webhookQuery({ team_id: teamId, webhook_id: webhookId }));
  return <Loaded query={query}>{(webhook) => <WebhookView webhook={webhook} />}</Loaded>;
}

function WebhookView({ webhook }: { webhook: Webhook }) {
  const { label, tone } = stateOf(webhook);
  const rows: [string, React.ReactNode][] = [
    [
      'Address',
      <code key="url" className="break-all font-mono text-xs">
        {webhook.url}
      </code>,
    ],
    ['Called for', eventsText(webhook)],
    ...(webhook.failing_since
      ? [['Failing since', <Time key="failing" iso={webhook.failing_since} />] as [string, React.ReactNode]]
      : []),
    ['Added', <DateOnly key="created" iso={webhook.created_at} />],
  ];
  return (
    <>
      <PageHeader
        title={webhook.description || hostOf(webhook)}
        badges={<Badge tone={tone}>{label}</Badge>}
        back={
          <BackLink to="/teams/$teamId/$page" params={{ teamId: webhook.team_id, page: 'webhooks' }}>
            Webhooks
          </BackLink>
        }
        action={<WebhookActions webhook={webhook} />}
      />
      <div className="grid gap-6">
        {!webhook.is_active && <SwitchedOff webhook={webhook} />}
        <Section title="Endpoint">
          <Definitions rows={rows} />
        </Section>
        <WebhookDeliveries webhook={webhook} />
      </div>
    </>
  );
}

function SwitchedOff({ webhook }: { webhook: Webhook }) {
  const queryClient = useQueryClient();
  const switchOn = useMutation({
    mutationFn: () => api.updateWebhook({ params: paramsOf(webhook), body: { is_active: true } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['webhooks'] });
      toast.success('It is on again; what waited goes out now.');
      keepPlace();
    },
    onError: (error) => toast.error(messageOf(error)),
  });
  const { disabled_reason: reason } = webhook;
  return (
    <Alert
      tone={reason ? 'danger' : 'info'}
      action={
        <ConfirmedOnly>
          <Button variant="secondary" size="sm" pending={switchOn.isPending} onClick={() => switchOn.mutate()}>
            Switch on
          </Button>
        </ConfirmedOnly>
      }
    >
      {reason ? `We switched it off. ${switchedOffBecause[reason]}` : 'It is off.'} No event is sent meanwhile; what
      happens while it is off is not told later.
    </Alert>
  );
}
