import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { GitAccount } from '#sdk';
import { api } from '../../api/client.ts';
import { ConfirmedOnly } from '../../layout/confirmed-only.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyLine } from '../../ui/copy-line.tsx';
import { CancelButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { PlusIcon } from '../../ui/icons.ts';
import { Input, PasswordInput } from '../../ui/input.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast.tsx';
import { gitAccountsQuery } from './developer-queries.ts';
import { type GitProvider, providerLabels } from './git-providers.ts';

export function LinkGitAccountButton() {
  const [open, setOpen] = useState(false);
  const [made, setMade] = useState<GitAccount>();
  function show() {
    setMade(undefined);
    setOpen(true);
  }
  function done(account: GitAccount) {
    if (account.public_key) return setMade(account);
    setOpen(false);
    toast.success(`Linked as ${account.login}.`);
  }
  return (
    <>
      <ConfirmedOnly>
        <Button onClick={show}>
          <PlusIcon /> Link account
        </Button>
      </ConfirmedOnly>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title={made ? 'Add this key at the host' : 'Link a Git account'}
        description={made ? `${new URL(made.base_url).host} lets us in once it knows this public key.` : undefined}
      >
        {made?.public_key ? <PublicKey publicKey={made.public_key} /> : <LinkForm onLinked={done} />}
      </Dialog>
    </>
  );
}

const options = Object.entries(providerLabels).map(([value, label]) => ({ value, label }));
/** A host alone is enough. */
const addressIn = (text: string, scheme: string) => (text.includes('://') ? text : `${scheme}://${text.trim()}`);

const hints: Record<GitProvider, string> = {
  github: 'Leave it empty for github.com.',
  gitlab: 'Leave it empty for gitlab.com.',
  gitea: 'Such as codeberg.org',
  ssh: 'Such as git.example.com',
};

function LinkForm({ onLinked }: { onLinked: (account: GitAccount) => void }) {
  const queryClient = useQueryClient();
  const [provider, setProvider] = useState<GitProvider>('github');
  const isKey = provider === 'ssh';
  const hasUsualHost = provider === 'github' || provider === 'gitlab';

  async function submit(values: Record<string, string>) {
    const account = await api.createGitAccount({
      body: {
        provider,
        ...(values.base_url && { base_url: addressIn(values.base_url, isKey ? 'ssh' : 'https') }),
        ...(!isKey && { token: values.token ?? '' }),
      },
    });
    await queryClient.invalidateQueries({ queryKey: gitAccountsQuery.queryKey });
    onLinked(account);
  }

  return (
    <Form submit={submit} fieldOfCode={{ 'git_account.exists': 'base_url' }}>
      <Field name="provider" label="Kind">
        <Select
          options={options}
          value={provider}
          onValueChange={(next) => setProvider(next as GitProvider)}
          required
        />
      </Field>
      <Field name="base_url" label="Host" optional={hasUsualHost} hint={hints[provider]}>
        <Input autoComplete="off" autoCapitalize="none" spellcheck={false} required={!hasUsualHost} />
      </Field>
      {!isKey && (
        <Field name="token" label="Token" hint="It is tried now and kept encrypted. Reading repositories is enough.">
          <PasswordInput autoComplete="off" required />
        </Field>
      )}
      <DialogActions>
        <CancelButton />
        <SubmitButton>{isKey ? 'Make a key' : 'Link account'}</SubmitButton>
      </DialogActions>
    </Form>
  );
}

function PublicKey({ publicKey }: { publicKey: string }) {
  return (
    <div className="grid gap-5">
      <CopyLine text={publicKey} label="Copy the public key" autoFocus />
      <DialogActions>
        <CancelButton>Done</CancelButton>
      </DialogActions>
    </div>
  );
}
