import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ApiToken } from '#sdk';
import { api } from '../../api/client.ts';
import { teamsQuery } from '../../api/teams.ts';
import { Loaded } from '../../layout/loaded.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { Empty } from '../../ui/empty.tsx';
import { KeyIcon, TrashIcon } from '../../ui/icons.ts';
import { Table, Td, Th } from '../../ui/table.tsx';
import { DateOnly, Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { apiTokensQuery } from './account-queries.ts';
import { NewTokenButton } from './new-token.tsx';

export function ApiTokens() {
  const query = useQuery(apiTokensQuery);
  return (
    <Section
      title="API tokens"
      description="For scripts and tools that act in your name."
      action={<NewTokenButton />}
      flush
    >
      <Loaded query={query}>
        {(tokens) =>
          tokens.results.length > 0 ? (
            <Table
              label="API tokens"
              head={
                <>
                  <Th>Name</Th>
                  <Th className="max-sm:hidden">May</Th>
                  <Th className="max-md:hidden">Last used</Th>
                  <Th className="max-md:hidden">Expires</Th>
                  <Th>
                    <span className="sr-only">Actions</span>
                  </Th>
                </>
              }
            >
              {tokens.results.map((token) => (
                <TokenRow key={token.id} token={token} />
              ))}
            </Table>
          ) : (
            <Empty icon={<KeyIcon />} title="No tokens">
              Make one to use the API from the command line or a script.
            </Empty>
          )
        }
      </Loaded>
    </Section>
  );
}

function TokenRow({ token }: { token: ApiToken }) {
  const queryClient = useQueryClient();
  const team = useQuery(teamsQuery(1, 100)).data?.results.find((item) => item.id === token.team_id);
  async function revoke() {
    await api.deleteApiToken({ params: { api_token_id: token.id } });
    await queryClient.invalidateQueries({ queryKey: apiTokensQuery.queryKey });
    toast.success('The token is revoked.');
  }
  return (
    <tr>
      <Td className="w-full max-w-0">
        <p className="truncate font-medium">{token.name}</p>
        <p className="truncate text-muted text-xs">
          {team ? `Only ${team.name}` : 'All your teams'} · made <DateOnly iso={token.created_at} />
        </p>
      </Td>
      <Td className="max-sm:hidden">
        <div className="flex gap-1.5">
          {token.scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
        </div>
      </Td>
      <Td className="whitespace-nowrap text-muted max-md:hidden">
        {token.last_used_at ? <Time iso={token.last_used_at} /> : 'Never'}
      </Td>
      <Td className="whitespace-nowrap text-muted max-md:hidden">
        {token.expires_at ? <DateOnly iso={token.expires_at} /> : 'Never'}
      </Td>
      <Td className="text-right">
        <ConfirmAction
          trigger={
            <Button variant="ghost" size="icon" aria-label={`Revoke ${token.name}`}>
              <TrashIcon />
            </Button>
          }
          title={`Revoke “${token.name}”?`}
          action="Revoke"
          onConfirm={revoke}
        >
          Whatever uses this token stops working at once.
        </ConfirmAction>
      </Td>
    </tr>
  );
}
