import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import type { Event, Operations, Site, StageSite } from '#sdk';
import { api } from '../../api/client.ts';
import { eventsQuery } from '../../api/events.ts';
import { siteQuery } from '../../api/sites.ts';

type StageChange = NonNullable<Operations['updateStage']['input']['body']>;
type SiteChange = NonNullable<Operations['updateSite']['input']['body']>;

/** Changes a site and shows what came of it at once, here and in the lists. */
export function useSiteChange(site: Site): (change: SiteChange) => Promise<Site> {
  const queryClient = useQueryClient();
  return async (body) => {
    const changed = await api.updateSite({ params: { fqdn: site.fqdn }, body });
    queryClient.setQueryData(siteQuery(site.fqdn).queryKey, changed);
    void queryClient.invalidateQueries({ queryKey: ['sites', 'list'] });
    return changed;
  };
}

/** The same for its stage. */
export function useStageChange(site: Site): (change: StageChange) => Promise<StageSite> {
  const queryClient = useQueryClient();
  return async (body) => {
    const site_stage = await api.updateStage({ params: { fqdn: site.fqdn }, body });
    queryClient.setQueryData(siteQuery(site.fqdn).queryKey, (old) => old && { ...old, site_stage });
    return site_stage;
  };
}

/**
 * What the event stream has told of the work on a site, newest first: how far it is, and how that ended. Backups leave the
 * site to everybody else, and the event of a failing one stays open until one succeeds.
 */
export function useSiteEvents(siteId: string | undefined): Event[] {
  const { data } = useInfiniteQuery(eventsQuery);
  const events = data?.pages.flatMap((page) => page.results) ?? [];
  return events.filter(
    (event) =>
      !event.event_type.startsWith('backup.') &&
      (event.item_id === siteId || (event.site_live_id === siteId && event.event_type === 'stage.created')),
  );
}
