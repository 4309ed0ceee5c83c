import { queryOptions } from '@tanstack/react-query';
import type { Event } from '#sdk';
import { api } from '../api/client.ts';
import { detailOf } from '../api/events.ts';

/** What changed a site at one moment, and may be why its numbers did. */
export type Mark = { atMs: number; text: string };

const kinds = ['restore.started', 'stage.committed', 'git.synced', 'git.committed'];

function isMark(event: Event): boolean {
  if (event.finished_at === null || detailOf(event).failure) return false;
  if (kinds.includes(event.event_type)) return true;
  // Of what is changed on a site, another name or another version shows in its numbers.
  const { new_fqdn, core_version } = event.detail;
  return event.event_type === 'site.updated' && (new_fqdn !== undefined || core_version !== undefined);
}

export const siteMarksQuery = (fqdn: string, title: string, from: () => Date) =>
  queryOptions({
    queryKey: ['events', 'site', fqdn, 'marks', title],
    queryFn: async ({ signal }): Promise<Mark[]> => {
      const query = { after_datetime: from().toISOString(), size: 100 };
      const { results } = await api.listSiteEvents({ params: { fqdn }, query, signal });
      return results.filter(isMark).map((event) => ({ atMs: Date.parse(event.created_at), text: event.activity }));
    },
  });
