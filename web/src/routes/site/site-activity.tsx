import { useInfiniteQuery } from '@tanstack/react-query';
import type { Site } from '#sdk';
import { siteEventsQuery } from '../../api/site-queries.ts';
import { EventFeed } from '../../layout/event-feed.tsx';

export function SiteActivity({ site }: { site: Site }) {
  const query = useInfiniteQuery(siteEventsQuery(site.fqdn));
  return <EventFeed query={query} empty={{ title: 'Nothing has happened yet', text: 'It shows up here by itself.' }} />;
}
