import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Site } from '#sdk';
import { api } from '../../api/client.ts';
import { useMe } from '../../api/session.ts';
import { obstaclesOf } from '../../api/site-rights.ts';
import { siteQuery } from '../../api/sites.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { messageOf } from '../../ui/form.tsx';
import { MoonIcon } from '../../ui/icons.ts';
import { toast } from '../../ui/toast.tsx';

/** Of the site, or of its staging site. */
export function SiteSleep({ site, stage }: { site: Site; stage?: NonNullable<Site['site_stage']> }) {
  const queryClient = useQueryClient();
  const { is_sleeping } = stage ?? site;
  const obstacle = obstaclesOf(site, useMe()).change;
  const sleep = useMutation({
    mutationFn: () => api.sleepSite({ params: { fqdn: site.fqdn }, ...(stage && { query: { for_stage: true } }) }),
    onSuccess: (changed) => {
      queryClient.setQueryData(siteQuery(site.fqdn).queryKey, changed);
      void queryClient.invalidateQueries({ queryKey: ['sites', 'list'] });
    },
    onError: (error) => toast.error(messageOf(error)),
  });
  return (
    <Section
      title="Sleep"
      description={
        is_sleeping
          ? 'It is asleep. The next visit wakes it, and that visitor waits a moment.'
          : 'Stops it until somebody visits it. Nothing is lost.'
      }
    >
      <Button
        variant="secondary"
        disabled={obstacle !== undefined || is_sleeping}
        pending={sleep.isPending}
        onClick={() => sleep.mutate()}
      >
        <MoonIcon /> {is_sleeping ? 'Sleeping' : 'Put to sleep'}
      </Button>
      {obstacle && <p className="mt-2 text-muted text-xs">{obstacle}</p>}
    </Section>
  );
}
