import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { meQuery, useMe } from '../../api/session.ts';
import { textLink } from '../../layout/auth-layout.tsx';
import { ResendButton } from '../../layout/resend-button.tsx';
import { Alert } from '../../ui/alert.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { CancelButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { Input, PasswordInput } from '../../ui/input.tsx';
import { toast } from '../../ui/toast.tsx';

export function EmailAddress() {
  const me = useMe();
  const [open, setOpen] = useState(false);
  return (
    <Section
      title="Email"
      description="You sign in with it, and our emails go there."
      action={
        <Button variant="secondary" onClick={() => setOpen(true)}>
          Change address
        </Button>
      }
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <span className="break-all">{me.email}</span>
        {me.is_verified ? (
          <Badge tone="accent">Confirmed</Badge>
        ) : (
          <>
            <Badge tone="warn">Not confirmed</Badge>
            <ResendButton className={textLink} />
          </>
        )}
      </div>
      {me.pending_email && (
        <Alert className="mt-4">
          We mailed a link to <strong className="font-medium">{me.pending_email}</strong>. Until you open it, your
          address stays as it is.
        </Alert>
      )}
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title="Change your email address"
        description="We email a link to the new address. The address that you have now is told, and can undo the change for seven days."
      >
        <ChangeForm onDone={() => setOpen(false)} />
      </Dialog>
    </Section>
  );
}

function ChangeForm({ onDone }: { onDone: () => void }) {
  const queryClient = useQueryClient();
  async function submit({ email = '', current_password = '' }: Record<string, string>) {
    queryClient.setQueryData(meQuery.queryKey, await api.changeEmail({ body: { email, current_password } }));
    toast.success(`A link is on its way to ${email}.`);
    onDone();
  }
  return (
    <Form submit={submit} fieldOfCode={{ 'account.exists': 'email' }}>
      <Field name="email" label="New address">
        <Input type="email" autoComplete="email" required />
      </Field>
      <Field name="current_password" label="Your password">
        <PasswordInput autoComplete="current-password" required />
      </Field>
      <DialogActions>
        <CancelButton />
        <SubmitButton>Send the link</SubmitButton>
      </DialogActions>
    </Form>
  );
}
