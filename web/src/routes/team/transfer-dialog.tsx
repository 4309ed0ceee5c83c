import { useQueryClient } from '@tanstack/react-query';
import type { Person, Team } from '#sdk';
import { api } from '../../api/client.ts';
import { ConfirmedOnly } from '../../layout/confirmed-only.tsx';
import { CancelButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { PasswordInput } from '../../ui/input.tsx';
import { toast } from '../../ui/toast.tsx';

type TransferDialogProps = { team: Team; member: Person; open: boolean; onOpenChange: (open: boolean) => void };

/** Another owner. What it means for the plan is said before. */
export function TransferDialog({ team, member, open, onOpenChange }: TransferDialogProps) {
  const queryClient = useQueryClient();
  async function submit({ password = '' }: Record<string, string>) {
    await api.transferTeam({ params: { team_id: team.id }, body: { user_id: member.user_id ?? '', password } });
    onOpenChange(false);
    toast.success(`${member.full_name} owns ${team.name} now.`);
    await queryClient.invalidateQueries();
  }
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={`Make ${member.full_name} the owner?`}>
      <Form submit={submit}>
        <ul className="grid list-disc gap-1.5 pl-4 text-muted">
          <li>
            {member.full_name} gets {team.name} with its sites, and alone decides about its members and its plan.
          </li>
          <li>You stay as an admin.</li>
          {team.sub_id !== null && (
            <li>
              Your plan is not renewed. What you paid for stays until the end of the period: {member.full_name} has
              until then to choose a plan of their own.
            </li>
          )}
          <li>Both of you get an email.</li>
        </ul>
        <Field name="password" label="Your password">
          <PasswordInput autoComplete="current-password" required />
        </Field>
        <DialogActions>
          <CancelButton />
          <ConfirmedOnly>
            <SubmitButton variant="secondary">Transfer ownership</SubmitButton>
          </ConfirmedOnly>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
