import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Team, TeamInvite } from '#sdk';
import { api } from '../../api/client.ts';
import { roleLabel } from '../../api/roles.ts';
import { Listing } from '../../layout/listing.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { MailIcon, TrashIcon } from '../../ui/icons.ts';
import { Table, Td, Th } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { InviteButton } from './invite-dialog.tsx';
import { invitesQuery } from './team-queries.ts';

export function TeamInvites({ team }: { team: Team }) {
  const [page, setPage] = useState(1);
  const query = useQuery(invitesQuery(team.id, page));
  return (
    <Section title="Invites" description="People who have not joined yet." action={<InviteButton team={team} />} flush>
      <Listing
        query={query}
        onPage={setPage}
        empty={
          <Empty icon={<MailIcon />} title="No open invites">
            Invite people to work with you in {team.name}.
          </Empty>
        }
      >
        {(invites) => (
          <Table
            label="Invites"
            head={
              <>
                <Th>Invited</Th>
                <Th className="max-sm:hidden">Role</Th>
                <Th className="max-md:hidden">Expires</Th>
                <Th>
                  <span className="sr-only">Actions</span>
                </Th>
              </>
            }
          >
            {invites.map((invite) => (
              <InviteRow key={invite.id} team={team} invite={invite} />
            ))}
          </Table>
        )}
      </Listing>
    </Section>
  );
}

function InviteRow({ team, invite }: { team: Team; invite: TeamInvite }) {
  const queryClient = useQueryClient();
  const expired = new Date(invite.expiry) < new Date();

  async function withdraw() {
    await api.deleteInvite({ params: { team_id: team.id, team_member_invite_id: invite.id } });
    await queryClient.invalidateQueries({ queryKey: ['invites'] });
    toast.success('The invite is withdrawn; its link no longer works.');
  }

  return (
    <tr>
      <Td className="w-full max-w-0">
        <p className="truncate font-medium">{invite.target_email}</p>
        <p className="truncate text-muted text-xs">
          <span className="sm:hidden">{roleLabel(invite.role)} · </span>
          {invite.first_name ? `${invite.first_name} · ` : ''}sent <Time iso={invite.created_at} />
        </p>
      </Td>
      <Td className="max-sm:hidden">
        <Badge>{roleLabel(invite.role)}</Badge>
      </Td>
      <Td className="whitespace-nowrap text-muted max-md:hidden">
        {expired ? <Badge tone="warn">Expired</Badge> : <Time iso={invite.expiry} />}
      </Td>
      <Td>
        <div className="flex items-center justify-end gap-1">
          <CopyButton text={invite.link} label={`Copy the invite link for ${invite.target_email}`} />
          <ConfirmAction
            trigger={
              <Button variant="ghost" size="icon" aria-label={`Withdraw the invite for ${invite.target_email}`}>
                <TrashIcon />
              </Button>
            }
            title="Withdraw this invite?"
            action="Withdraw"
            onConfirm={withdraw}
          >
            The link that {invite.target_email} got stops working.
          </ConfirmAction>
        </div>
      </Td>
    </tr>
  );
}
