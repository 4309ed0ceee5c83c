import { useInfiniteQuery } from '@tanstack/react-query';
import type { Team } from '#sdk';
import { teamEventsQuery } from '../../api/events.ts';
import { EventFeed } from '../../layout/event-feed.tsx';

export function TeamActivity({ team }: { team: Team }) {
  const query = useInfiniteQuery(teamEventsQuery(team.id));
  const empty = { title: 'Nothing has happened yet', text: `What people do in ${team.name} shows up here.` };
  return <EventFeed query={query} empty={empty} />;
}
