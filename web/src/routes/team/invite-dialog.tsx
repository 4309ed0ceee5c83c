import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Team } from '#sdk';
import { api } from '../../api/client.ts';
import type { Role } from '../../api/roles.ts';
import { ConfirmedOnly } from '../../layout/confirmed-only.tsx';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { PlusIcon } from '../../ui/icons.ts';
import { Input, Textarea } from '../../ui/input.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast.tsx';

const roles = [
  { value: 'admin', label: 'Admin', hint: 'Works on every site, may delete and move them' },
  { value: 'member', label: 'Member', hint: 'Makes and works on sites and tickets' },
  { value: 'viewer', label: 'Viewer', hint: 'Sees everything, changes nothing' },
];

export function InviteButton({ team }: { team: Team }) {
  const [open, setOpen] = useState(false);
  const queryClient = useQueryClient();

  async function submit({ target_email = '', first_name = '', role, message }: Record<string, string>) {
    await api.createInvite({
      params: { team_id: team.id },
      body: { target_email, first_name, role: role as Exclude<Role, 'owner'>, ...(message && { message }) },
    });
    await queryClient.invalidateQueries({ queryKey: ['invites'] });
    setOpen(false);
    toast.success(`The invite to ${target_email} is on its way.`);
  }

  return (
    <>
      <ConfirmedOnly>
        <Button onClick={() => setOpen(true)}>
          <PlusIcon /> Invite
        </Button>
      </ConfirmedOnly>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title={`Invite to ${team.name}`}
        description="They get a mail with a link that is good for 7 days."
      >
        <Form submit={submit} fieldOfCode={{ 'invite.exists': 'target_email', 'member.exists': 'target_email' }}>
          <Field name="target_email" label="Email">
            <Input type="email" autoComplete="off" required />
          </Field>
          <div className="grid gap-5 sm:grid-cols-2 sm:gap-3">
            <Field name="first_name" label="First name">
              <Input autoComplete="off" required />
            </Field>
            <Field name="role" label="Role">
              <Select options={roles} defaultValue="member" required />
            </Field>
          </div>
          <Field name="message" label="Message" optional>
            <Textarea rows={3} />
          </Field>
          <DialogActions>
            <CancelButton />
            <SubmitButton>Send invite</SubmitButton>
          </DialogActions>
        </Form>
      </Dialog>
    </>
  );
}
