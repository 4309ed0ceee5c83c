import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Team, TeamMember } from '#sdk';
import { api } from '../../api/client.ts';
import { roleLabel } from '../../api/roles.ts';
import { useMe } from '../../api/session.ts';
import { Listing } from '../../layout/listing.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { MoreIcon, SignOutIcon, TrashIcon } from '../../ui/icons.ts';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { Table, Td, Th } from '../../ui/table.tsx';
import { DateOnly } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { InviteButton } from './invite-dialog.tsx';
import { membersQuery } from './team-queries.ts';

export function TeamMembers({ team }: { team: Team }) {
  const [page, setPage] = useState(1);
  const query = useQuery(membersQuery(team.id, page));
  return (
    <Section
      title="Members"
      description="Everyone who works in this team."
      action={team.role === 'owner' && <InviteButton team={team} />}
      flush
    >
      <Listing query={query} onPage={setPage} empty={null}>
        {(members) => (
          <Table
            label="Members"
            head={
              <>
                <Th>Person</Th>
                <Th className="max-sm:hidden">Role</Th>
                <Th className="max-md:hidden">Joined</Th>
                <Th>
                  <span className="sr-only">Actions</span>
                </Th>
              </>
            }
          >
            {members.map((member) => (
              <MemberRow key={member.id} team={team} member={member} canRemove={team.role === 'owner'} />
            ))}
          </Table>
        )}
      </Listing>
    </Section>
  );
}

function MemberRow({ team, member, canRemove }: { team: Team; member: TeamMember; canRemove: boolean }) {
  const me = useMe();
  const [asking, setAsking] = useState(false);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const self = member.user_id === me.id;
  const name = member.user.full_name;
  const removable = member.role !== 'owner' && (self || canRemove);

  async function remove() {
    await api.removeMember({ params: { team_id: team.id, team_member_user_id: member.user_id } });
    toast.success(self ? `You left ${team.name}.` : `${name} is no longer in the team.`);
    if (self) await navigate({ to: '/teams' });
    await queryClient.invalidateQueries();
  }

  return (
    <tr>
      <Td className="w-full max-w-0">
        <div className="flex items-center gap-3">
          <Avatar name={name} id={member.user_id} />
          <div className="min-w-0">
            <p className="truncate font-medium">
              {name} {self && <span className="font-normal text-muted">(you)</span>}
            </p>
            <p className="truncate text-muted text-xs">
              <span className="sm:hidden">{roleLabel(member.role)} · </span>
              {member.user.email}
            </p>
          </div>
        </div>
      </Td>
      <Td className="max-sm:hidden">
        <Badge tone={member.role === 'owner' ? 'accent' : 'neutral'}>{roleLabel(member.role)}</Badge>
      </Td>
      <Td className="whitespace-nowrap text-muted max-md:hidden">
        <DateOnly iso={member.joined_at} />
      </Td>
      <Td className="w-12 text-right">
        {removable && (
          <Menu
            trigger={
              <Button variant="ghost" size="icon" aria-label={`Actions for ${name}`}>
                <MoreIcon />
              </Button>
            }
          >
            <MenuItem danger icon={self ? <SignOutIcon /> : <TrashIcon />} onClick={() => setAsking(true)}>
              {self ? 'Leave the team' : 'Remove from the team'}
            </MenuItem>
          </Menu>
        )}
        <ConfirmAction
          open={asking}
          onOpenChange={setAsking}
          title={self ? `Leave ${team.name}?` : `Remove ${name}?`}
          action={self ? 'Leave' : 'Remove'}
          onConfirm={remove}
        >
          {self
            ? 'You lose access at once, and need a new invite to come back.'
            : 'They lose access at once. Nothing they made is deleted.'}
        </ConfirmAction>
      </Td>
    </tr>
  );
}
