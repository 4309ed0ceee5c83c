import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { OAuthGrant } from '#sdk';
import { api } from '../../api/client.ts';
import { CredentialRow, CredentialTable } from '../../layout/credential-table.tsx';
import { Loaded } from '../../layout/loaded.tsx';
import { Section } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { LinkIcon } from '../../ui/icons.ts';
import { toast } from '../../ui/toast.tsx';
import { oauthGrantsQuery } from './account-queries.ts';

export function OAuthGrants() {
  const query = useQuery(oauthGrantsQuery);
  return (
    <Section title="Connected programs" description="Assistants and tools that you let act for you." flush>
      <Loaded query={query}>
        {(grants) =>
          grants.results.length > 0 ? (
            <CredentialTable label="Connected programs" what="Program">
              {(reachOf) =>
                grants.results.map((grant) => <GrantRow key={grant.id} grant={grant} reach={reachOf(grant.team_id)} />)
              }
            </CredentialTable>
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

function GrantRow({ grant, reach }: { grant: OAuthGrant; reach: string }) {
  const queryClient = useQueryClient();
  async function disconnect() {
    await api.deleteOAuthGrant({ params: { oauth_grant_id: grant.id } });
    await queryClient.invalidateQueries({ queryKey: oauthGrantsQuery.queryKey });
    toast.success('The program is disconnected.');
  }
  return (
    <CredentialRow
      name={grant.client_name}
      credential={grant}
      reach={reach}
      begun="connected"
      action="Disconnect"
      warning="It cannot act for you any more, at once."
      onEnd={disconnect}
    />
  );
}
