import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Team } from '#sdk';
import { api } from '../../api/client.ts';
import { ConfirmedOnly } from '../../layout/confirmed-only.tsx';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { PlusIcon } from '../../ui/icons.ts';
import { Input, Textarea } from '../../ui/input.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast.tsx';
import { type GivenRole, givenRoles, siteRoles } from './role-choice.tsx';
import { type PickedSite, SitePicker } from './site-picker.tsx';

export function InviteButton({ team }: { team: Team }) {
  const [open, setOpen] = useState(false);
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
        description="They get an email with a link that is good for 7 days."
      >
        <InviteForm team={team} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function InviteForm({ team, onDone }: { team: Team; onDone: () => void }) {
  const queryClient = useQueryClient();
  const [reach, setReach] = useState<'team' | 'sites'>('team');
  const [sites, setSites] = useState<PickedSite[]>([]);
  const isLimited = reach === 'sites';

  async function submit({ target_email = '', first_name = '', role, message }: Record<string, string>) {
    await api.createInvite({
      params: { team_id: team.id },
      body: {
        target_email,
        first_name,
        role: role as GivenRole,
        ...(message && { message }),
        ...(isLimited && { site_ids: sites.map(({ site_id }) => site_id) }),
      },
    });
    await queryClient.invalidateQueries({ queryKey: ['members'] });
    onDone();
    toast.success(`The invite to ${target_email} is on its way.`);
  }

  return (
    <Form submit={submit} fieldOfCode={{ 'invite.exists': 'target_email', 'member.exists': 'target_email' }}>
      <Field name="target_email" label="Email">
        <Input type="email" autoComplete="off" required />
      </Field>
      <div className="grid gap-5 sm:grid-cols-2 sm:gap-3">
        <Field name="first_name" label="First name">
          <Input autoComplete="off" required />
        </Field>
        <Field name="role" label="Role">
          <Select options={isLimited ? siteRoles : givenRoles} defaultValue="member" required />
        </Field>
      </div>
      <div className="grid gap-2.5">
        <Segmented
          label="What they see"
          value={reach}
          onChange={(next) => setReach(next as typeof reach)}
          options={[
            { value: 'team', label: 'The whole team' },
            { value: 'sites', label: 'Only some sites' },
          ]}
        />
        {isLimited && <SitePicker team={team} value={sites} onChange={setSites} withRoles={false} />}
      </div>
      <Field name="message" label="Message" optional>
        <Textarea rows={3} />
      </Field>
      <DialogActions>
        <CancelButton />
        <SubmitButton disabled={isLimited && sites.length === 0}>Send invite</SubmitButton>
      </DialogActions>
    </Form>
  );
}
