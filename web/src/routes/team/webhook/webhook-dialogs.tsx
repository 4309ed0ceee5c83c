import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Webhook } from '#sdk';
import { api } from '../../../api/client.ts';
import { SecretOnce } from '../../../layout/secret-once.tsx';
import { CheckboxGroup } from '../../../ui/checkbox.tsx';
import { CancelButton, Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/field.tsx';
import { Form, SubmitButton } from '../../../ui/form.tsx';
import { Input } from '../../../ui/input.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { toast } from '../../../ui/toast.tsx';
import { type EventName, families, hostOf, paramsOf } from './webhooks.ts';

type DialogState = { open: boolean; onOpenChange: (open: boolean) => void };

const shownOnce = 'Copy it now. You cannot see it again.';
const secretWarning = 'Your server checks with it that a call really comes from here. Keep it like a password.';
const WebhookSecret = ({ secret }: { secret: string }) => (
  <SecretOnce secret={secret} copyLabel="Copy the secret" warning={secretWarning} />
);

type Values = { url?: string; description?: string; event_types?: string[] };
const toBody = ({ url = '', description = '', event_types = [] }: Values) => ({
  url,
  description,
  event_types: event_types as EventName[],
});

export function NewWebhookDialog({ teamId, open, onOpenChange }: DialogState & { teamId: string }) {
  const [secret, setSecret] = useState<string>();
  const queryClient = useQueryClient();
  function show(next: boolean) {
    setSecret(undefined);
    onOpenChange(next);
  }

  async function submit(values: Values) {
    const made = await api.createWebhook({ params: { team_id: teamId }, body: toBody(values) });
    await queryClient.invalidateQueries({ queryKey: ['webhooks'] });
    setSecret(made.secret);
  }

  return (
    <Dialog
      open={open}
      onOpenChange={show}
      title={secret ? 'The secret of your webhook' : 'Add a webhook'}
      description={
        secret ? shownOnce : 'Each call is signed, as Standard Webhooks says, and repeated until your server takes it.'
      }
      isSecret={secret !== undefined}
      wide
    >
      {secret ? <WebhookSecret secret={secret} /> : <WebhookForm submit={submit} action="Add webhook" />}
    </Dialog>
  );
}

export function EditWebhookDialog({ webhook, open, onOpenChange }: DialogState & { webhook: Webhook }) {
  const queryClient = useQueryClient();
  async function submit(values: Values) {
    await api.updateWebhook({ params: paramsOf(webhook), body: toBody(values) });
    await queryClient.invalidateQueries({ queryKey: ['webhooks'] });
    onOpenChange(false);
    toast.success('Saved.');
  }
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Edit the webhook" wide>
      <WebhookForm webhook={webhook} submit={submit} action="Save webhook" />
    </Dialog>
  );
}

type FormProps = { webhook?: Webhook; submit: (values: Values) => Promise<void>; action: string };

function WebhookForm({ webhook, submit, action }: FormProps) {
  const chosen: string[] = webhook?.event_types ?? [];
  // Single kinds of events can be named through the API; they stay unless one takes them out here.
  const single = chosen.filter((name) => !name.endsWith('.*')).map((value) => ({ value, label: value }));
  return (
    <Form submit={submit}>
      <Field name="url" label="Address">
        <Input
          defaultValue={webhook?.url}
          required
          autoComplete="off"
          autoCapitalize="none"
          spellcheck={false}
          inputMode="url"
          placeholder="https://example.com/hooks/siteyard"
        />
      </Field>
      <Field name="description" label="What it is for" optional>
        <Input defaultValue={webhook?.description} autoComplete="off" maxLength={200} />
      </Field>
      <CheckboxGroup
        name="event_types"
        legend="Call it when something happens to"
        hint="Choose nothing to have it called for everything."
        defaultValue={chosen}
        options={[...families, ...single]}
        className="sm:grid-cols-2"
      />
      <DialogActions>
        <CancelButton />
        <SubmitButton>{action}</SubmitButton>
      </DialogActions>
    </Form>
  );
}

export function RotateSecretDialog({ webhook, open, onOpenChange }: DialogState & { webhook: Webhook }) {
  const [secret, setSecret] = useState<string>();
  function show(next: boolean) {
    setSecret(undefined);
    onOpenChange(next);
  }
  async function submit({ revoke_previous }: { revoke_previous?: boolean }) {
    const body = { revoke_previous: revoke_previous ?? false };
    setSecret((await api.rotateWebhookSecret({ params: paramsOf(webhook), body })).secret);
  }
  return (
    <Dialog
      open={open}
      onOpenChange={show}
      title={secret ? 'The new secret' : `A new secret for ${hostOf(webhook)}?`}
      isSecret={secret !== undefined}
      description={
        secret
          ? shownOnce
          : 'For 24 hours calls are signed with the old secret too, so that your server has time to change.'
      }
    >
      {secret ? (
        <WebhookSecret secret={secret} />
      ) : (
        <Form submit={submit}>
          <Switch name="revoke_previous" label="End the old secret now" hint="If somebody else may know it." />
          <DialogActions>
            <CancelButton />
            <SubmitButton>Make a new secret</SubmitButton>
          </DialogActions>
        </Form>
      )}
    </Dialog>
  );
}
