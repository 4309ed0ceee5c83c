import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { teamsQuery } from '../../api/teams.ts';
import { SecretOnce } from '../../layout/secret-once.tsx';
import { Button } from '../../ui/button.tsx';
import { CheckboxGroup } from '../../ui/checkbox.tsx';
import { CancelButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { PlusIcon } from '../../ui/icons.ts';
import { Input } from '../../ui/input.tsx';
import { Select } from '../../ui/select.tsx';
import { apiTokensQuery } from './account-queries.ts';

type Scope = 'read' | 'write' | 'plan';

const scopes = [
  { value: 'read', label: 'Read', hint: 'See everything you see, except secrets' },
  { value: 'write', label: 'Write', hint: 'Do everything you may do' },
  { value: 'plan', label: 'Plan', hint: 'Preview and propose changes, apply none' },
];
const lifetimes = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: 'never', label: 'Never' },
];

export function NewTokenButton() {
  const [open, setOpen] = useState(false);
  const [secret, setSecret] = useState<string>();
  function show() {
    setSecret(undefined);
    setOpen(true);
  }
  return (
    <>
      <Button variant="secondary" onClick={show}>
        <PlusIcon /> New token
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title={secret ? 'Your new token' : 'New API token'}
        description={secret ? 'Copy it now: it is shown this once and never again.' : undefined}
      >
        {secret ? (
          <SecretOnce
            secret={secret}
            copyLabel="Copy the token"
            warning="Whoever has it can act in your name. Keep it like a password."
          />
        ) : (
          <TokenForm onMade={setSecret} />
        )}
      </Dialog>
    </>
  );
}

function TokenForm({ onMade }: { onMade: (secret: string) => void }) {
  const queryClient = useQueryClient();
  const teams = useQuery(teamsQuery(1, 100)).data?.results ?? [];

  async function submit(values: Record<string, unknown>) {
    const days = Number(values.expires_at);
    const { token } = await api.createApiToken({
      body: {
        name: String(values.name ?? ''),
        scopes: values.scopes as Scope[],
        ...(values.team_id !== 'all' && { team_id: String(values.team_id) }),
        ...(days > 0 && { expires_at: new Date(Date.now() + days * 86_400_000).toISOString() }),
      },
    });
    await queryClient.invalidateQueries({ queryKey: apiTokensQuery.queryKey });
    onMade(token);
  }

  return (
    <Form submit={submit}>
      <Field name="name" label="Name" hint="What will use it?">
        <Input autoComplete="off" required />
      </Field>
      <CheckboxGroup name="scopes" legend="It may" defaultValue={['read']} options={scopes} />
      <div className="grid gap-5 sm:grid-cols-2 sm:gap-3">
        <Field name="team_id" label="Team">
          <Select
            options={[
              { value: 'all', label: 'All your teams' },
              ...teams.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            defaultValue="all"
          />
        </Field>
        <Field name="expires_at" label="Expires after">
          <Select options={lifetimes} defaultValue="90" />
        </Field>
      </div>
      <DialogActions>
        <CancelButton />
        <SubmitButton>Create token</SubmitButton>
      </DialogActions>
    </Form>
  );
}
