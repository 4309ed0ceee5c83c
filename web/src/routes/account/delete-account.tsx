import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { teamsQuery } from '../../api/teams.ts';
import { Button } from '../../ui/button.tsx';
import { Danger, DangerZone } from '../../ui/danger-zone.tsx';
import { CancelButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { PasswordInput } from '../../ui/input.tsx';

export function DeleteAccount() {
  const [open, setOpen] = useState(false);
  return (
    <DangerZone>
      <Danger
        title="Delete your account"
        description="Deletes the teams that you own and their sites too. The next step lists them."
      >
        <Button variant="dangerOutline" onClick={() => setOpen(true)}>
          Delete account
        </Button>
      </Danger>
      <Dialog open={open} onOpenChange={setOpen} title="Delete your account?">
        <Question />
      </Dialog>
    </DangerZone>
  );
}

function Question() {
  const owned = useQuery(teamsQuery(1, 100)).data?.results.filter(({ role }) => role === 'owner') ?? [];
  async function submit({ password = '' }: Record<string, string>) {
    await api.deleteAccount({ body: { password } });
    // Nobody is signed in any more, so nothing of this page is true any more.
    location.assign('/sign-in');
  }
  return (
    <Form submit={submit}>
      <ul className="grid list-disc gap-1.5 pl-4 text-muted">
        {owned.length > 0 && (
          <li>
            These teams are deleted, and their sites go offline at once: {owned.map(({ name }) => name).join(', ')}. To
            keep one, make somebody else its owner first.
          </li>
        )}
        <li>You leave every other team. What you did there stays, under the name “Deleted person”.</li>
        <li>Plans that you pay are not renewed. You are signed out everywhere.</li>
        <li>For seven days our support can bring sites back; after that nobody can.</li>
      </ul>
      <Field name="password" label="Your password">
        <PasswordInput autoComplete="current-password" required />
      </Field>
      <DialogActions>
        <CancelButton />
        <SubmitButton variant="danger">Delete account</SubmitButton>
      </DialogActions>
    </Form>
  );
}
