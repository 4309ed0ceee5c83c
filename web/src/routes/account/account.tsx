import { PageHeader } from '../../ui/page.tsx';
import { ApiTokens } from './api-tokens.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { GitAccounts } from './git-accounts.tsx';
import { OAuthGrants } from './oauth-grants.tsx';
import { Password } from './password.tsx';
import { Profile } from './profile.tsx';
import { SshKeys } from './ssh-keys.tsx';

export function AccountPage() {
  return (
    <>
      <PageHeader title="Account" description="You, on every team." />
      <div className="grid gap-6">
        <Profile />
        <Password />
        <ApiTokens />
        <OAuthGrants />
        <SshKeys />
        <GitAccounts />
        <DeleteAccount />
      </div>
    </>
  );
}
