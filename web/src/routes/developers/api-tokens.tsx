import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ApiToken } from '#sdk';
import { api } from '../../api/client.ts';
import { CredentialRow, CredentialTable } from '../../layout/credential-table.tsx';
import { Loaded } from '../../layout/loaded.tsx';
import { Section } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { KeyIcon } from '../../ui/icons.ts';
import { toast } from '../../ui/toast.tsx';
import { apiTokensQuery } from './developer-queries.ts';
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
            <CredentialTable label="API tokens" what="Name">
              {(reachOf) =>
                tokens.results.map((token) => <TokenRow key={token.id} token={token} reach={reachOf(token.team_id)} />)
              }
            </CredentialTable>
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

function TokenRow({ token, reach }: { token: ApiToken; reach: string }) {
  const queryClient = useQueryClient();
  async function revoke() {
    await api.deleteApiToken({ params: { api_token_id: token.id } });
    await queryClient.invalidateQueries({ queryKey: apiTokensQuery.queryKey });
    toast.success('The token is revoked.');
  }
  return (
    <CredentialRow
      name={token.name}
      credential={token}
      reach={reach}
      begun="made"
      action="Revoke"
      warning="Whatever uses this token stops working at once."
      onEnd={revoke}
    />
  );
}
