import { useQueryClient } from '@tanstack/react-query';
import type { Person, Team } from '#sdk';
import { api } from '../../api/client.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { messageOf } from '../../ui/form.tsx';
import { formatAmount } from '../../ui/format.ts';
import { MailIcon, TrashIcon } from '../../ui/icons.ts';
import { Td } from '../../ui/table.tsx';
import { DateOnly, Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { type GivenRole, RoleChoice } from './role-choice.tsx';

/** Somebody who has not joined yet. */
export function InvitedRow({ team, invite }: { team: Team; invite: Person }) {
  const queryClient = useQueryClient();
  const params = { team_id: team.id, team_member_invite_id: invite.id };
  const isExpired = invite.expiry !== null && new Date(invite.expiry) < new Date();

  async function setRole(role: GivenRole) {
    try {
      await api.updateInvite({ params, body: { role } });
      await queryClient.invalidateQueries({ queryKey: ['members'] });
      toast.success(`${invite.email} joins as ${role}.`);
    } catch (error) {
      toast.error(messageOf(error));
    }
  }

  async function withdraw() {
    await api.deleteInvite({ params });
    await queryClient.invalidateQueries({ queryKey: ['members'] });
    toast.success('The invite is withdrawn; its link no longer works.');
  }

  const role = (
    <RoleChoice name={invite.email} person={{ ...invite, site_count: null }} onRole={(role) => void setRole(role)} />
  );
  return (
    <tr>
      <Td className="w-full max-w-0">
        <div className="flex items-center gap-3">
          <span className="grid size-8 shrink-0 place-items-center rounded-full border border-line-strong border-dashed text-muted">
            <MailIcon />
          </span>
          <div className="min-w-0">
            <p className="flex min-w-0 flex-wrap items-center gap-x-2 font-medium">
              <span className="truncate">{invite.email}</span>
              <Badge tone={isExpired ? 'warn' : 'neutral'}>{isExpired ? 'Invite expired' : 'Invited'}</Badge>
            </p>
            <p className="truncate text-muted text-xs">
              {invite.site_count !== null && `For ${formatAmount(invite.site_count, 'site')} · `}
              {isExpired || invite.expiry === null ? 'Invite them again' : 'Ends '}
              {!isExpired && invite.expiry !== null && <Time iso={invite.expiry} />}
            </p>
            <div className="mt-1.5 sm:hidden">{role}</div>
          </div>
        </div>
      </Td>
      <Td className="max-sm:hidden">{role}</Td>
      <Td className="whitespace-nowrap text-muted max-md:hidden">
        <DateOnly iso={invite.since} />
      </Td>
      <Td className="text-right">
        <div className="flex items-center justify-end gap-1">
          <CopyButton text={invite.link} word="Copy link" label={`Copy the invite link for ${invite.email}`} />
          <ConfirmAction
            trigger={
              <Button variant="ghost" size="icon" aria-label={`Withdraw the invite for ${invite.email}`}>
                <TrashIcon />
              </Button>
            }
            title="Withdraw this invite?"
            action="Withdraw"
            onConfirm={withdraw}
          >
            The link that {invite.email} got stops working.
          </ConfirmAction>
        </div>
      </Td>
    </tr>
  );
}
