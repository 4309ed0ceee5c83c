import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { OAuthGrant } from '#sdk';
import { api } from '../../api/client.ts';
import { teamsQuery } from '../../api/teams.ts';
import { Loaded } from '../../layout/loaded.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { Empty } from '../../ui/empty.tsx';
import { LinkIcon, TrashIcon } from '../../ui/icons.ts';
import { Table, Td, Th } from '../../ui/table.tsx';
import { DateOnly, Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { oauthGrantsQuery } from './account-queries.ts';

export function OAuthGrants() {
  const query = useQuery(oauthGrantsQuery);
  return (
    <Section title="Connected programs" description="Assistants and tools that you let act for you." flush>
      <Loaded query={query}>
        {(grants) =>
          grants.results.length > 0 ? (
            <Table
              label="Connected programs"
              head={
                <>
                  <Th>Program</Th>
                  <Th className="max-sm:hidden">May</Th>
                  <Th className="max-md:hidden">Last used</Th>
                  <Th className="max-md:hidden">Expires</Th>
                  <Th>
                    <span className="sr-only">Actions</span>
                  </Th>
                </>
              }
            >
              {grants.results.map((grant) => (
                <GrantRow key={grant.id} grant={grant} />
              ))}
            </Table>
          ) : (
            <Empty icon={<LinkIcon />} title="No programs">
              Give an assistant that speaks MCP the address <code>{`${location.origin}/mcp`}</code>, and it asks you
              here.
            </Empty>
          )
        }
      </Loaded>
    </Section>
  );
}

function GrantRow({ grant }: { grant: OAuthGrant }) {
  const queryClient = useQueryClient();
  const team = useQuery(teamsQuery(1, 100)).data?.results.find((item) => item.id === grant.team_id);
  async function disconnect() {
    await api.deleteOAuthGrant({ params: { oauth_grant_id: grant.id } });
    await queryClient.invalidateQueries({ queryKey: oauthGrantsQuery.queryKey });
    toast.success('The program is disconnected.');
  }
  return (
    <tr>
      <Td className="w-full max-w-0">
        <p className="truncate font-medium">{grant.client_name}</p>
        <p className="truncate text-muted text-xs">
          {team ? `Only ${team.name}` : 'All your teams'} · connected <DateOnly iso={grant.created_at} />
        </p>
      </Td>
      <Td className="max-sm:hidden">
        <div className="flex gap-1.5">
          {grant.scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
        </div>
      </Td>
      <Td className="whitespace-nowrap text-muted max-md:hidden">
        {grant.last_used_at ? <Time iso={grant.last_used_at} /> : 'Never'}
      </Td>
      <Td className="whitespace-nowrap text-muted max-md:hidden">
        <DateOnly iso={grant.expires_at} />
      </Td>
      <Td className="text-right">
        <ConfirmAction
          trigger={
            <Button variant="ghost" size="icon" aria-label={`Disconnect ${grant.client_name}`}>
              <TrashIcon />
            </Button>
          }
          title={`Disconnect “${grant.client_name}”?`}
          action="Disconnect"
          onConfirm={disconnect}
        >
          It can not act for you any more, at once.
        </ConfirmAction>
      </Td>
    </tr>
  );
}
