import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import type { ApplicationPassword, Team } from '#sdk';
import { api } from '../../api/client.ts';
import { CancelButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { hostIn } from '../../ui/host-in.ts';
import { Input } from '../../ui/input.tsx';
import { toast } from '../../ui/toast.tsx';

type PasswordDialogProps = {
  team: Team;
  /** The one to replace; a new one without it. */
  password?: ApplicationPassword;
  open: boolean;
  onOpenChange: (open: boolean) => void;
};

const code = { autoComplete: 'off', autoCapitalize: 'none', spellcheck: false } as const;

export function PasswordDialog({ team, password: old, open, onOpenChange }: PasswordDialogProps) {
  const queryClient = useQueryClient();
  const passwordField = useRef<HTMLInputElement>(null);

  async function submit({ fqdn = '', username = '', password = '' }: Record<string, string>) {
    const body = { fqdn: hostIn(fqdn), username: username.trim(), password };
    const saved = old
      ? await api.updateApplicationPassword({ params: { fqdn: old.fqdn }, query: { team_id: team.id }, body })
      : await api.createApplicationPassword({ body: { ...body, team_id: team.id } });
    await queryClient.invalidateQueries({ queryKey: ['application-passwords'] });
    onOpenChange(false);
    toast.success(old ? `The password for ${saved.fqdn} is replaced.` : `The password for ${saved.fqdn} is saved.`);
  }

  return (
    <Dialog
      open={open}
      initialFocus={old && passwordField}
      onOpenChange={onOpenChange}
      title={old ? `Replace the password for ${old.fqdn}` : 'Add an application password'}
      description="In WordPress you make one under Users, Profile, Application Passwords. For a storefront it is the access token of its admin API."
    >
      <Form submit={submit} fieldOfCode={fieldOfCode}>
        <Field name="fqdn" label="Host" hint="A site that is hosted elsewhere.">
          <Input defaultValue={old?.fqdn} required {...code} placeholder="blog.example.com" />
        </Field>
        <Field name="username" label="User name">
          <Input defaultValue={old?.username} required {...code} />
        </Field>
        <Field name="password" label={old ? 'New password' : 'Password'}>
          <Input ref={passwordField} type="password" required {...code} autoComplete="new-password" />
        </Field>
        <DialogActions>
          <CancelButton />
          <SubmitButton>{old ? 'Replace password' : 'Add password'}</SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

const fieldOfCode = { 'application_password.exists': 'fqdn', 'application_password.hosted_here': 'fqdn' };
