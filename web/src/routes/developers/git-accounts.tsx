import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { GitAccount } from '#sdk';
import { api } from '../../api/client.ts';
import { Loaded } from '../../layout/loaded.tsx';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { CopyLine } from '../../ui/copy-line.tsx';
import { Empty } from '../../ui/empty.tsx';
import { GitIcon, TrashIcon } from '../../ui/icons.ts';
import { DateOnly } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { gitAccountsQuery } from './developer-queries.ts';
import { providerLabels } from './git-providers.ts';
import { LinkGitAccountButton } from './link-git-account.tsx';

export function GitAccounts() {
  const query = useQuery(gitAccountsQuery);
  return (
    <Section
      title="Git accounts"
      description="Where the code of your sites comes from."
      action={<LinkGitAccountButton />}
      flush
    >
      <Loaded query={query}>
        {(accounts) =>
          accounts.results.length > 0 ? (
            <ul aria-label="Git accounts" className="divide-y divide-line">
              {accounts.results.map((account) => (
                <AccountRow key={account.id} account={account} />
              ))}
            </ul>
          ) : (
            <Empty icon={<GitIcon />} title="No Git accounts">
              Link one to read repositories that are not public.
            </Empty>
          )
        }
      </Loaded>
    </Section>
  );
}

function AccountRow({ account }: { account: GitAccount }) {
  const queryClient = useQueryClient();
  const { host } = new URL(account.base_url);
  async function remove() {
    await api.deleteGitAccount({ params: { git_account_id: account.id } });
    await queryClient.invalidateQueries({ queryKey: gitAccountsQuery.queryKey });
    toast.success('The account is removed.');
  }
  return (
    <li className="grid gap-3 px-5 py-4">
      <div className="flex items-center gap-3">
        <div className="min-w-0 flex-1">
          <p className="truncate font-medium">{account.login ? `${account.login} at ${host}` : host}</p>
          <p className="truncate text-muted text-xs">
            {providerLabels[account.provider]} · linked <DateOnly iso={account.created_at} />
          </p>
        </div>
        <ConfirmAction
          trigger={
            <Button variant="ghost" size="icon" aria-label={`Remove ${host}`}>
              <TrashIcon />
            </Button>
          }
          title={`Remove the account at ${host}?`}
          action="Remove"
          onConfirm={remove}
        >
          Repositories there that are not public can no longer be read in your name. Its{' '}
          {account.public_key ? 'key' : 'token'} is deleted.
        </ConfirmAction>
      </div>
      {account.problem && <Alert tone="warn">{account.problem}</Alert>}
      {account.public_key && <CopyLine text={account.public_key} label={`Copy the public key for ${host}`} />}
    </li>
  );
}
