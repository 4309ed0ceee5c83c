import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApplicationPassword, Team } from '#sdk';
import { api } from '../../api/client.ts';
import { useMe } from '../../api/session.ts';
import { ConfirmedOnly } from '../../layout/confirmed-only.tsx';
import { Listing } from '../../layout/listing.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { Empty } from '../../ui/empty.tsx';
import { KeyIcon, PencilIcon, PlusIcon, TrashIcon } from '../../ui/icons.ts';
import { Table, Td, Th } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { PasswordDialog } from './password-dialog.tsx';
import { applicationPasswordsQuery } from './team-queries.ts';

export function TeamPasswords({ team }: { team: Team }) {
  const [page, setPage] = useState(1);
  const [adding, setAdding] = useState(false);
  const query = useQuery(applicationPasswordsQuery(team.id, page));
  const mayChange = team.role !== 'viewer';
  return (
    <Section
      title="Application passwords"
      description="With them the platform reaches sites that are hosted elsewhere, and storefronts, for people in this team. They are kept encrypted."
      action={
        mayChange && (
          <ConfirmedOnly>
            <Button onClick={() => setAdding(true)}>
              <PlusIcon /> Add password
            </Button>
          </ConfirmedOnly>
        )
      }
      flush
    >
      <PasswordDialog team={team} open={adding} onOpenChange={setAdding} />
      <Listing
        query={query}
        onPage={setPage}
        empty={
          <Empty icon={<KeyIcon />} title="No application passwords">
            Sites that are hosted here need none. Add one to work with a site elsewhere.
          </Empty>
        }
      >
        {(passwords) => (
          <Table
            label="Application passwords"
            head={
              <>
                <Th>Host</Th>
                <Th className="max-sm:hidden">User name</Th>
                <Th className="max-md:hidden">Added</Th>
                <Th>
                  <span className="sr-only">Actions</span>
                </Th>
              </>
            }
          >
            {passwords.map((password) => (
              <PasswordRow key={password.id} team={team} password={password} mayChange={mayChange} />
            ))}
          </Table>
        )}
      </Listing>
    </Section>
  );
}

type PasswordRowProps = { team: Team; password: ApplicationPassword; mayChange: boolean };

function PasswordRow({ team, password, mayChange }: PasswordRowProps) {
  const [replacing, setReplacing] = useState(false);
  const queryClient = useQueryClient();
  const { fqdn, username } = password;
  const isUnconfirmed = !useMe().is_verified;

  async function remove() {
    await api.deleteApplicationPassword({ params: { fqdn }, query: { team_id: team.id } });
    await queryClient.invalidateQueries({ queryKey: ['application-passwords'] });
    toast.success(`The password for ${fqdn} is removed.`);
  }

  return (
    <tr>
      <Td className="w-full max-w-0">
        <p className="truncate font-medium">{fqdn}</p>
        <p className="truncate text-muted text-xs sm:hidden">{username}</p>
      </Td>
      <Td className="max-w-60 truncate text-muted max-sm:hidden">{username}</Td>
      <Td className="whitespace-nowrap text-muted max-md:hidden">
        <Time iso={password.created_at} />
      </Td>
      <Td>
        {mayChange && (
          <div className="flex justify-end gap-1">
            <Button
              variant="ghost"
              size="icon"
              disabled={isUnconfirmed}
              aria-label={`Replace the password for ${fqdn}`}
              onClick={() => setReplacing(true)}
            >
              <PencilIcon />
            </Button>
            <ConfirmAction
              trigger={
                <Button variant="ghost" size="icon" aria-label={`Remove the password for ${fqdn}`}>
                  <TrashIcon />
                </Button>
              }
              title={`Remove the password for ${fqdn}?`}
              action="Remove"
              onConfirm={remove}
            >
              Nobody in {team.name} reaches {fqdn} through the platform any more. The password itself stays valid there
              until you withdraw it.
            </ConfirmAction>
          </div>
        )}
        <PasswordDialog team={team} password={password} open={replacing} onOpenChange={setReplacing} />
      </Td>
    </tr>
  );
}
