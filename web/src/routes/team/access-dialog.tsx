import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Person, Team, TeamMember } from '#sdk';
import { api } from '../../api/client.ts';
import { Loaded } from '../../layout/loaded.tsx';
import { CancelButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { formatAmount } from '../../ui/format.ts';
import { toast } from '../../ui/toast.tsx';
import { type PickedSite, SitePicker } from './site-picker.tsx';
import { memberQuery } from './team-queries.ts';

type AccessDialogProps = { team: Team; member: Person; open: boolean; onOpenChange: (open: boolean) => void };

/** Limits somebody to some sites, each with a role. */
export function AccessDialog({ team, member, open, onOpenChange }: AccessDialogProps) {
  const query = useQuery({ ...memberQuery(team.id, member.id), enabled: open });
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      wide
      title={`Sites of ${member.full_name}`}
      description="They see these sites and nothing else of the team: no other site, no members, no billing."
    >
      <Loaded query={query}>{(full) => <Choice team={team} member={full} onDone={() => onOpenChange(false)} />}</Loaded>
    </Dialog>
  );
}

function Choice({ team, member, onDone }: { team: Team; member: TeamMember; onDone: () => void }) {
  const queryClient = useQueryClient();
  const [sites, setSites] = useState<PickedSite[]>(member.sites);
  async function submit() {
    await api.updateMember({
      params: { team_id: team.id, team_member_id: member.id },
      body: { sites: sites.map(({ site_id, role }) => ({ site_id, role })) },
    });
    onDone();
    toast.success(`${member.user.full_name} now sees ${formatAmount(sites.length, 'site')} of ${team.name}.`);
    await queryClient.invalidateQueries({ queryKey: ['members'] });
  }
  return (
    <Form submit={submit}>
      <SitePicker team={team} value={sites} onChange={setSites} />
      {member.role !== 'limited' && (
        <p className="text-muted text-xs">
          What they have open of other sites closes at once, and webhooks that they made stop.
        </p>
      )}
      <DialogActions>
        <CancelButton />
        <SubmitButton disabled={sites.length === 0}>Limit to these sites</SubmitButton>
      </DialogActions>
    </Form>
  );
}
