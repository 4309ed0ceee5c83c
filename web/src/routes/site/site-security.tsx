import { useMutation } from '@tanstack/react-query';
import type { Site } from '#sdk';
import { useMe } from '../../api/session.ts';
import { obstaclesOf } from '../../api/site-rights.ts';
import { BlockedNote } from '../../layout/blocked-note.tsx';
import { Section } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { messageOf } from '../../ui/form.tsx';
import { Switch } from '../../ui/switch.tsx';
import { toast } from '../../ui/toast.tsx';
import { SecretValue } from './secret-value.tsx';
import { useSiteChange } from './site-changes.ts';
import { SiteFirewall } from './site-firewall.tsx';

/** Who may visit the site at all. */
export function SiteSecurity({ site }: { site: Site }) {
  const change = useSiteChange(site);
  const obstacle = obstaclesOf(site, useMe()).change;
  const protect = useMutation({
    mutationFn: (http_auth_enabled: boolean) => change({ http_auth_enabled }),
    onSuccess: ({ http_auth_enabled }) =>
      toast.success(http_auth_enabled ? 'Visitors now have to sign in.' : 'Everybody can visit the site.'),
    onError: (error) => toast.error(messageOf(error)),
  });
  return (
    <div className="grid max-w-3xl gap-6">
      <BlockedNote reason={obstacle} />
      <Section title="Sign-in for visitors" description="Keeps everybody out who does not know the password.">
        <div className="grid gap-5">
          <Switch
            label="Ask every visitor for a password"
            hint="The browser asks, before WordPress sees the visitor. It takes effect within a second."
            checked={site.http_auth_enabled}
            onCheckedChange={(next) => protect.mutate(next)}
            disabled={obstacle !== undefined || protect.isPending}
          />
          {site.http_auth_enabled && <Credentials password={site.http_auth_password} />}
        </div>
      </Section>
      <SiteFirewall site={site} obstacle={obstacle} />
    </div>
  );
}

function Credentials({ password }: { password: string }) {
  const row = 'flex min-h-12 flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2';
  return (
    <dl className="divide-y divide-line rounded-lg border border-line">
      <div className={row}>
        <dt className="w-24 text-muted max-sm:w-full">User name</dt>
        <dd className="flex min-w-0 flex-1 items-center justify-between gap-2 font-mono">
          admin <CopyButton text="admin" label="Copy the user name" />
        </dd>
      </div>
      <div className={row}>
        <dt className="w-24 text-muted max-sm:w-full">Password</dt>
        <dd className="flex min-w-0 flex-1 items-center justify-between gap-2">
          <SecretValue password={password} />
        </dd>
      </div>
    </dl>
  );
}
