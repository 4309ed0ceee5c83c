import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Person, Team } from '#sdk';
import { api } from '../../api/client.ts';
import { useMe } from '../../api/session.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { messageOf } from '../../ui/form.tsx';
import { KeyIcon, MoreIcon, SignOutIcon, SitesIcon, TrashIcon } from '../../ui/icons.ts';
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { Td } from '../../ui/table.tsx';
import { DateOnly } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { AccessDialog } from './access-dialog.tsx';
import { describeRole, type GivenRole, RoleChoice } from './role-choice.tsx';
import { TransferDialog } from './transfer-dialog.tsx';

type Asking = 'remove' | 'access' | 'transfer';

export function MemberRow({ team, member }: { team: Team; member: Person }) {
  const me = useMe();
  const [asking, setAsking] = useState<Asking>();
  const queryClient = useQueryClient();
  const isSelf = member.user_id === me.id;
  const name = member.full_name;
  const mayChange = team.role === 'owner' && member.role !== 'owner';
  const ask = (what: Asking) => ({
    open: asking === what,
    onOpenChange: (open: boolean) => setAsking(open ? what : undefined),
  });

  async function setRole(role: GivenRole) {
    try {
      await api.updateMember({ params: { team_id: team.id, team_member_id: member.id }, body: { role } });
      await queryClient.invalidateQueries({ queryKey: ['members'] });
      toast.success(`${name} is ${role === 'admin' ? 'an' : 'a'} ${role} now.`);
    } catch (error) {
      toast.error(messageOf(error));
    }
  }

  const role = mayChange ? (
    <RoleChoice name={name} person={member} onRole={(role) => void setRole(role)} onSites={() => setAsking('access')} />
  ) : (
    <Badge tone={member.role === 'owner' ? 'accent' : 'neutral'}>{describeRole(member)}</Badge>
  );
  return (
    <tr>
      <Td className="w-full max-w-0">
        <div className="flex items-center gap-3">
          <Avatar name={name} id={member.user_id ?? ''} />
          <div className="min-w-0">
            <p className="truncate font-medium">
              {name} {isSelf && <span className="font-normal text-muted">(you)</span>}
            </p>
            <p className="truncate text-muted text-xs">{member.email}</p>
            <div className="mt-1.5 sm:hidden">{role}</div>
          </div>
        </div>
      </Td>
      <Td className="max-sm:hidden">{role}</Td>
      <Td className="whitespace-nowrap text-muted max-md:hidden">
        <DateOnly iso={member.since} />
      </Td>
      <Td className="w-12 text-right">
        {(mayChange || (isSelf && member.role !== 'owner')) && (
          <Menu
            trigger={
              <Button variant="ghost" size="icon" aria-label={`Actions for ${name}`}>
                <MoreIcon />
              </Button>
            }
          >
            {mayChange && (
              <>
                <MenuItem icon={<SitesIcon />} onClick={() => setAsking('access')}>
                  Choose sites…
                </MenuItem>
                <MenuItem icon={<KeyIcon />} onClick={() => setAsking('transfer')}>
                  Make owner…
                </MenuItem>
                <MenuSeparator />
              </>
            )}
            <MenuItem danger icon={isSelf ? <SignOutIcon /> : <TrashIcon />} onClick={() => setAsking('remove')}>
              {isSelf ? 'Leave the team' : 'Remove from the team'}
            </MenuItem>
          </Menu>
        )}
        {mayChange && <AccessDialog team={team} member={member} {...ask('access')} />}
        {mayChange && <TransferDialog team={team} member={member} {...ask('transfer')} />}
        <RemoveQuestion team={team} member={member} isSelf={isSelf} {...ask('remove')} />
      </Td>
    </tr>
  );
}

type QuestionProps = {
  team: Team;
  member: Pick<Person, 'user_id' | 'full_name'>;
  isSelf: boolean;
  open: boolean;
  onOpenChange: (open: boolean) => void;
};

export function RemoveQuestion({ team, member, isSelf, ...dialog }: QuestionProps) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  async function remove() {
    await api.removeMember({ params: { team_id: team.id, team_member_user_id: member.user_id ?? '' } });
    toast.success(isSelf ? `You left ${team.name}.` : `${member.full_name} is no longer in the team.`);
    if (isSelf) await navigate({ to: '/teams' });
    await queryClient.invalidateQueries();
  }
  return (
    <ConfirmAction
      {...dialog}
      title={isSelf ? `Leave ${team.name}?` : `Remove ${member.full_name}?`}
      action={isSelf ? 'Leave' : 'Remove'}
      onConfirm={remove}
    >
      {isSelf
        ? 'You lose access at once, and need a new invite to come back.'
        : 'They lose access at once. Nothing they made is deleted.'}
    </ConfirmAction>
  );
}
