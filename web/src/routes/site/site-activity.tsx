import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { Site } from '#sdk';
import { teamsQuery } from '../../api/teams.ts';
import { EventFeed } from '../../layout/event-feed.tsx';
import { siteEventsQuery } from './site-queries.ts';

export function SiteActivity({ site, isStage = false }: { site: Site; isStage?: boolean }) {
  const query = useInfiniteQuery(siteEventsQuery(site.fqdn));
  const events = query.data?.pages.flatMap((page) => page.results) ?? [];
  // Whoever is in both teams of a site that moved also sees what it did in the former one.
  const hasMoved = events.some(({ team_id }) => team_id !== site.team_id);
  const teams = useQuery({ ...teamsQuery(1, 100), enabled: hasMoved }).data?.results;
  return (
    <EventFeed
      query={query}
      filter={({ scope }) => !isStage || scope === 'stage'}
      teams={hasMoved ? teams : undefined}
      empty={{ title: 'Nothing has happened yet', text: 'It shows up here by itself.' }}
    />
  );
}
