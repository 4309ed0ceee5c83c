import { getRouteApi } from '@tanstack/react-router';
import { PageHeader } from '../../ui/page.tsx';
import { type Tab, Tabs } from '../../ui/tabs.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { EmailAddress } from './email-address.tsx';
import { Notifications } from './notifications.tsx';
import { OAuthGrants } from './oauth-grants.tsx';
import { Password } from './password.tsx';
import { Profile } from './profile.tsx';
import { SecondFactorSection } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';

const route = getRouteApi('/app/account');

const tabs: Tab[] = [
  {
    value: 'profile',
    label: 'Profile',
    content: (
      <div className="grid gap-6">
        <Profile />
        <EmailAddress />
        <DeleteAccount />
      </div>
    ),
  },
  {
    value: 'security',
    label: 'Security',
    content: (
      <div className="grid gap-6">
        <Password />
        <SecondFactorSection />
      </div>
    ),
  },
  { value: 'sessions', label: 'Sessions', content: <Sessions /> },
  { value: 'notifications', label: 'Notifications', content: <Notifications /> },
  { value: 'programs', label: 'Connected programs', content: <OAuthGrants /> },
];

export function AccountPage() {
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <PageHeader title="Account" description="You, on every team." />
      <div className="max-w-4xl">
        <Tabs
          tabs={tabs}
          value={tabs.find(({ value }) => value === tab)?.value ?? 'profile'}
          onValueChange={(next) =>
            void navigate({ search: next === 'profile' ? {} : { tab: next }, replace: true, resetScroll: false })
          }
        />
      </div>
    </>
  );
}
