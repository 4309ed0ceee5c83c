import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Team } from '#sdk';
import { api } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Danger, DangerZone } from '../../ui/danger-zone.tsx';
import { CancelButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { formatAmount } from '../../ui/format.ts';
import { Input, PasswordInput } from '../../ui/input.tsx';
import { toast } from '../../ui/toast.tsx';
import { someSitesQuery } from './team-queries.ts';

export function DeleteTeam({ team }: { team: Team }) {
  const [open, setOpen] = useState(false);
  return (
    <DangerZone>
      <Danger
        title="Delete this team"
        description="Deletes its sites and everything in it. The next step lists what is deleted."
      >
        <Button variant="dangerOutline" onClick={() => setOpen(true)}>
          Delete team
        </Button>
      </Danger>
      <Dialog open={open} onOpenChange={setOpen} title={`Delete ${team.name}?`}>
        <Question team={team} />
      </Dialog>
    </DangerZone>
  );
}

function Question({ team }: { team: Team }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const { data: sites } = useQuery(someSitesQuery(team.id, ''));
  async function submit({ password = '' }: Record<string, string>) {
    await api.deleteTeam({ params: { team_id: team.id }, body: { password } });
    toast.success(`${team.name} is deleted.`);
    await navigate({ to: '/teams' });
    await queryClient.invalidateQueries();
  }
  return (
    <Form submit={submit}>
      <ul className="grid list-disc gap-1.5 pl-4 text-muted">
        <li>{sites === undefined ? 'Its sites go offline at once.' : describeSites(sites)}</li>
        <li>Its members lose access, and invites, webhooks and stored passwords go.</li>
        {team.sub_id !== null && <li>Its plan is not renewed. What is paid already is not paid back.</li>}
        <li>For seven days our support can bring sites back; after that nobody can.</li>
      </ul>
      <Field
        name="confirmation"
        label={
          <>
            Type <strong className="select-all font-mono">{team.name}</strong> to confirm
          </>
        }
      >
        <Input value={name} onValueChange={(next) => setName(String(next))} autoComplete="off" spellcheck={false} />
      </Field>
      <Field name="password" label="Your password">
        <PasswordInput autoComplete="current-password" required />
      </Field>
      <DialogActions>
        <CancelButton />
        <SubmitButton variant="danger" disabled={name.trim() !== team.name.trim()}>
          Delete team
        </SubmitButton>
      </DialogActions>
    </Form>
  );
}

function describeSites({ count, results }: { count: number; results: { fqdn: string }[] }): string {
  if (count === 0) return 'It has no sites.';
  const shown = results.slice(0, 3).map(({ fqdn }) => fqdn);
  const rest = count - shown.length;
  const names = rest > 0 ? `${shown.join(', ')} and ${rest} more` : shown.join(', ');
  return `${formatAmount(count, 'site')} ${count === 1 ? 'goes' : 'go'} offline at once: ${names}.`;
}
