import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Webhook, WebhookDeliveryDetail } from '#sdk';
import { api } from '../../../api/client.ts';
import { useMe } from '../../../api/session.ts';
import { ConfirmedOnly } from '../../../layout/confirmed-only.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmAction } from '../../../ui/confirm-action.tsx';
import { messageOf } from '../../../ui/form.tsx';
import { CloseIcon, KeyIcon, MoreIcon, PencilIcon, SendIcon, TrashIcon } from '../../../ui/icons.ts';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { toast } from '../../../ui/toast.tsx';
import { DeliveryDialog } from './delivery-dialog.tsx';
import { EditWebhookDialog, RotateSecretDialog } from './webhook-dialogs.tsx';
import { hostOf, paramsOf } from './webhooks.ts';

type Asking = 'edit' | 'rotate' | 'delete';

export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const [asking, setAsking] = useState<Asking>();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const params = paramsOf(webhook);
  const isUnconfirmed = !useMe().is_verified;
  const dialog = (which: Asking) => ({
    open: asking === which,
    onOpenChange: (open: boolean) => setAsking(open ? which : undefined),
  });

  const switchOff = useMutation({
    mutationFn: () => api.updateWebhook({ params, body: { is_active: false } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['webhooks'] }),
    onError: (error) => toast.error(messageOf(error)),
  });

  async function remove() {
    await api.deleteWebhook({ params });
    await navigate({ to: '/teams/$teamId/$page', params: { teamId: webhook.team_id, page: 'webhooks' } });
    await queryClient.invalidateQueries({ queryKey: ['webhooks'] });
    toast.success('The webhook is deleted.');
  }

  return (
    <div className="flex gap-2">
      <ConfirmedOnly>
        <TestButton webhook={webhook} />
      </ConfirmedOnly>
      <Menu
        trigger={
          <Button variant="secondary" aria-label="More actions">
            <MoreIcon />
          </Button>
        }
      >
        <MenuItem icon={<PencilIcon />} disabled={isUnconfirmed} onClick={() => setAsking('edit')}>
          Edit
        </MenuItem>
        <MenuItem icon={<KeyIcon />} disabled={isUnconfirmed} onClick={() => setAsking('rotate')}>
          New secret
        </MenuItem>
        {webhook.is_active && (
          <MenuItem icon={<CloseIcon />} disabled={isUnconfirmed} onClick={() => switchOff.mutate()}>
            Switch off
          </MenuItem>
        )}
        <MenuSeparator />
        <MenuItem danger icon={<TrashIcon />} onClick={() => setAsking('delete')}>
          Delete
        </MenuItem>
      </Menu>
      <EditWebhookDialog webhook={webhook} {...dialog('edit')} />
      <RotateSecretDialog webhook={webhook} {...dialog('rotate')} />
      <ConfirmAction
        {...dialog('delete')}
        title={`Delete the webhook to ${hostOf(webhook)}?`}
        action="Delete"
        onConfirm={remove}
      >
        It is no longer called, and the list of what was sent is deleted too.
      </ConfirmAction>
    </div>
  );
}

/** Calls the address now and shows what came back. */
function TestButton({ webhook }: { webhook: Webhook }) {
  const queryClient = useQueryClient();
  const [made, setMade] = useState<WebhookDeliveryDetail>();
  const [open, setOpen] = useState(false);
  const call = useMutation({
    mutationFn: () => api.testWebhook({ params: paramsOf(webhook) }),
    onSuccess: (delivery) => {
      setMade(delivery);
      setOpen(true);
      void queryClient.invalidateQueries({ queryKey: ['webhook-deliveries'] });
    },
    onError: (error) => toast.error(messageOf(error)),
  });
  return (
    <>
      <Button pending={call.isPending} onClick={() => call.mutate()}>
        <SendIcon /> Send a test
      </Button>
      {made && <DeliveryDialog webhook={webhook} delivery={made} open={open} onOpenChange={setOpen} />}
    </>
  );
}
