import { useState } from 'react';
import type { User } from '#sdk';
import { api } from '../../api/client.ts';
import { leaveTo } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { EyeIcon } from '../../ui/icons.ts';
import { Input } from '../../ui/input.tsx';

/** By a full load, so that nothing of the operator's own stays on the screen. */
export function ViewAs({ person }: { person: User }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="secondary" onClick={() => setOpen(true)}>
        <EyeIcon /> View as {person.first_name}
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title={`View as ${person.full_name}`}
        description="For half an hour this browser shows what they see. You can change nothing, and what is secret stays hidden."
      >
        <Form
          submit={async ({ reason = '' }) => {
            await api.viewAsUser({ params: { user_id: person.id }, body: { reason } });
            leaveTo('/');
          }}
        >
          <Field name="reason" label="Reason" hint={`${person.first_name} reads it in their activity, with your name.`}>
            <Input
              required
              minLength={3}
              maxLength={200}
              autoComplete="off"
              placeholder="Ticket about missing invoices"
            />
          </Field>
          <DialogActions>
            <CancelButton />
            <SubmitButton>View as {person.first_name}</SubmitButton>
          </DialogActions>
        </Form>
      </Dialog>
    </>
  );
}
