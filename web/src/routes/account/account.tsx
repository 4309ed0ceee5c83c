import { PageHeader } from '../../ui/page.tsx';
import { OAuthGrants } from './oauth-grants.tsx';
import { Password } from './password.tsx';
import { Profile } from './profile.tsx';

export function AccountPage() {
  return (
    <>
      <PageHeader title="Account" description="You, on every team." />
      <div className="grid max-w-4xl gap-6">
        <Profile />
        <Password />
        <OAuthGrants />
      </div>
    </>
  );
}
