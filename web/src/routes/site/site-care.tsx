import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Site } from '#sdk';
import { api } from '../../api/client.ts';
import { useMe } from '../../api/session.ts';
import { obstaclesOf } from '../../api/site-rights.ts';
import { siteQuery } from '../../api/sites.ts';
import { Button } from '../../ui/button.tsx';
import { messageOf } from '../../ui/form.tsx';
import { ClearIcon, MoonIcon, SunIcon } from '../../ui/icons.ts';
import { toast } from '../../ui/toast.tsx';

/** What is done to a site day by day. */
export function SiteCare({ site }: { site: Site }) {
  const obstacle = obstaclesOf(site, useMe()).change;
  const params = { fqdn: site.fqdn };
  const sleep = useCare(site, () => api.sleepSite({ params }));
  const wake = useCare(site, () => api.wakeSite({ params }));
  const rest = site.is_sleeping ? wake : sleep;
  return (
    <div className="flex flex-wrap gap-2">
      <ClearCacheButton site={site} />
      <Button
        variant="secondary"
        disabled={obstacle !== undefined}
        title={obstacle ?? (site.is_sleeping ? undefined : 'Stops it until somebody visits it. Nothing is lost.')}
        pending={rest.isPending}
        onClick={() => rest.mutate()}
      >
        {site.is_sleeping ? <SunIcon /> : <MoonIcon />} {site.is_sleeping ? 'Wake' : 'Put to sleep'}
      </Button>
    </div>
  );
}

export function ClearCacheButton({ site }: { site: Site }) {
  const obstacle = obstaclesOf(site, useMe()).change;
  const clear = useCare(
    site,
    () => api.clearSiteCache({ params: { fqdn: site.fqdn } }),
    'The cache is empty. WordPress makes each page anew on its next visit.',
  );
  return (
    <Button
      variant="secondary"
      disabled={obstacle !== undefined}
      title={obstacle}
      pending={clear.isPending}
      onClick={() => clear.mutate()}
    >
      <ClearIcon /> Clear cache
    </Button>
  );
}

function useCare(site: Site, act: () => Promise<Site>, done?: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: (changed) => {
      queryClient.setQueryData(siteQuery(site.fqdn).queryKey, changed);
      void queryClient.invalidateQueries({ queryKey: ['sites', 'list'] });
      if (done) toast.success(done);
    },
    onError: (error) => toast.error(messageOf(error)),
  });
}
