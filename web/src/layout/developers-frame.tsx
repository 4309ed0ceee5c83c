import type { ReactNode } from 'react';
import { useCurrentTeam } from '../api/current-team.ts';
import { atLeast } from '../api/roles.ts';
import { buttonStyle } from '../ui/button.tsx';
import { DocsIcon } from '../ui/icons.ts';
import { LinkTabs } from '../ui/link-tabs.tsx';
import { PageHeader } from '../ui/page.tsx';

/** What programs need, of the person and of the team, under one heading. */
export function DevelopersFrame({ children }: { children: ReactNode }) {
  const team = useCurrentTeam();
  const params = { teamId: team?.id ?? '' };
  return (
    <>
      <PageHeader
        title="Developers"
        description="Tokens, keys and webhooks for your programs."
        action={
          <a href="/docs/reference" className={buttonStyle({ variant: 'secondary' })}>
            <DocsIcon /> API docs
          </a>
        }
      />
      <LinkTabs
        label="Developers"
        links={[
          { label: 'API tokens', to: '/developers/$page', params: { page: 'tokens' } },
          // Addresses of receivers often hold a secret, so whoever may not change them does not see them.
          ...(atLeast(team?.role, 'admin')
            ? [{ label: 'Webhooks', to: '/teams/$teamId/$page', params: { ...params, page: 'webhooks' } } as const]
            : []),
          { label: 'Git accounts', to: '/developers/$page', params: { page: 'git' } },
          { label: 'SSH keys', to: '/developers/$page', params: { page: 'ssh-keys' } },
          ...(team
            ? [
                {
                  label: 'Application passwords',
                  to: '/teams/$teamId/$page',
                  params: { ...params, page: 'passwords' },
                } as const,
              ]
            : []),
        ]}
      />
      {children}
    </>
  );
}
