import { getRouteApi } from '@tanstack/react-router';
import { Suspense } from 'react';
import { type LazyView, lazyView } from '../../layout/lazy-view.ts';
import { PageHeader } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { type Tab, Tabs } from '../../ui/tabs.tsx';

const route = getRouteApi('/app/account');

/** Each comes with the first look at it. */
const parts: [value: string, label: string, part: LazyView<object>][] = [
  ['profile', 'Profile', lazyView(() => import('./profile-tab.tsx').then((it) => it.ProfileTab))],
  ['security', 'Security', lazyView(() => import('./security-tab.tsx').then((it) => it.SecurityTab))],
  ['sessions', 'Sessions', lazyView(() => import('./sessions.tsx').then((it) => it.Sessions))],
  ['notifications', 'Notifications', lazyView(() => import('./notifications.tsx').then((it) => it.Notifications))],
  ['programs', 'Connected programs', lazyView(() => import('./oauth-grants.tsx').then((it) => it.OAuthGrants))],
];
const tabs: Tab[] = parts.map(([value, label, part]) => ({
  value,
  label,
  content: (
    <Suspense fallback={<Skeleton className="h-64 rounded-xl" />}>
      <part.View />
    </Suspense>
  ),
}));

export function AccountPage() {
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <PageHeader title="Account" description="Your profile, security and emails, for every team." />
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
