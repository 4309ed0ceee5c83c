import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { SecretOnce } from '../../layout/secret-once.tsx';
import { reachOf, TokenReach } from '../../layout/token-reach.tsx';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { PlusIcon } from '../../ui/icons.ts';
import { Input } from '../../ui/input.tsx';
import { apiTokensQuery } from './developer-queries.ts';

export function NewTokenButton() {
  const [open, setOpen] = useState(false);
  const [secret, setSecret] = useState<string>();
  function show() {
    setSecret(undefined);
    setOpen(true);
  }
  return (
    <>
      <Button onClick={show}>
        <PlusIcon /> New token
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title={secret ? 'Your new token' : 'New API token'}
        isSecret={secret !== undefined}
        description={secret ? 'Copy it now. You cannot see it again.' : undefined}
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

  async function submit(values: Record<string, unknown>) {
    const { token } = await api.createApiToken({ body: { name: String(values.name ?? ''), ...reachOf(values) } });
    await queryClient.invalidateQueries({ queryKey: apiTokensQuery.queryKey });
    onMade(token);
  }

  return (
    <Form submit={submit}>
      <Field name="name" label="Name" hint="What will use it?">
        <Input autoComplete="off" required />
      </Field>
      <TokenReach scopes={['read']} team="all" />
      <DialogActions>
        <CancelButton />
        <SubmitButton>Create token</SubmitButton>
      </DialogActions>
    </Form>
  );
}
