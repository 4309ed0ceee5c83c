import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Webhook, WebhookDelivery, WebhookDeliveryDetail } from '#sdk';
import { api } from '../../../api/client.ts';
import { ConfirmedOnly } from '../../../layout/confirmed-only.tsx';
import { Loaded } from '../../../layout/loaded.tsx';
import { Alert } from '../../../ui/alert.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Definitions } from '../../../ui/definitions.tsx';
import { CancelButton, Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { messageOf } from '../../../ui/form.tsx';
import { formatCount } from '../../../ui/format.ts';
import { ReopenIcon } from '../../../ui/icons.ts';
import { Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import { deliveryQuery, deliveryStates, paramsOf } from './webhooks.ts';

type DeliveryDialogProps = {
  webhook: Webhook;
  delivery: WebhookDelivery;
  open: boolean;
  onOpenChange: (open: boolean) => void;
};

/** What was sent, and what came back. */
export function DeliveryDialog({ webhook, delivery, open, onOpenChange }: DeliveryDialogProps) {
  const query = useQuery({ ...deliveryQuery(paramsOf(webhook), delivery.id), enabled: open });
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={delivery.event_type} wide>
      <Loaded query={query}>{(detail) => <DeliveryDetail webhook={webhook} delivery={detail} />}</Loaded>
    </Dialog>
  );
}

function DeliveryDetail({ webhook, delivery }: { webhook: Webhook; delivery: WebhookDeliveryDetail }) {
  const { label, tone } = deliveryStates[delivery.state];
  const rows: [string, React.ReactNode][] = [
    [
      'State',
      <Badge key="state" tone={tone}>
        {label}
      </Badge>,
    ],
    ['Attempts', formatCount(delivery.attempts)],
    ...when('Last attempt', delivery.attempted_at),
    ...when('Next attempt', delivery.next_attempt_at),
    ...(delivery.response_status === null ? [] : [['Answer', String(delivery.response_status)] as [string, string]]),
    ...(delivery.duration_ms === null ? [] : [['Took', `${formatCount(delivery.duration_ms)} ms`] as [string, string]]),
  ];
  return (
    <div className="grid gap-5">
      {delivery.error && <Alert tone="warn">{delivery.error}</Alert>}
      <Definitions rows={rows} />
      {delivery.response_body && <Content title="What came back" text={delivery.response_body} />}
      <Content title="What was sent" text={JSON.stringify(delivery.payload, null, 2)} />
      <DialogActions>
        <CancelButton>Close</CancelButton>
        <ConfirmedOnly>
          <ReplayButton webhook={webhook} delivery={delivery} />
        </ConfirmedOnly>
      </DialogActions>
    </div>
  );
}

const when = (name: string, iso: string | null): [string, React.ReactNode][] =>
  iso === null ? [] : [[name, <Time key={name} iso={iso} />]];

function Content({ title, text }: { title: string; text: string }) {
  return (
    <section aria-label={title}>
      <h3 className="mb-1.5 font-medium text-sm">{title}</h3>
      {/* Reachable by the keyboard, which is how one scrolls in it without a mouse. */}
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable
        tabIndex={0}
        className="max-h-72 overflow-auto whitespace-pre-wrap break-all rounded-lg bg-raised px-3 py-2 font-mono text-xs"
      >
        {text}
      </pre>
    </section>
  );
}

function ReplayButton({ webhook, delivery }: { webhook: Webhook; delivery: WebhookDelivery }) {
  const queryClient = useQueryClient();
  const params = { ...paramsOf(webhook), delivery_id: delivery.id };
  const replay = useMutation({
    mutationFn: () => api.replayWebhookDelivery({ params }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['webhook-deliveries'] });
      toast.success('It is sent again.');
    },
    onError: (error) => toast.error(messageOf(error)),
  });
  return (
    <Button disabled={!webhook.is_active} pending={replay.isPending} onClick={() => replay.mutate()}>
      <ReopenIcon /> Send again
    </Button>
  );
}
