import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Event } from '#sdk';
import { api } from '../api/client.ts';
import { eventsQuery, teamsQuery } from '../api/queries.ts';
import { EventFeed } from '../layout/event-feed.tsx';
import { Button } from '../ui/button.tsx';
import { messageOf } from '../ui/form.tsx';
import { CheckIcon } from '../ui/icons.tsx';
import { PageHeader } from '../ui/page.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { toast } from '../ui/toast.tsx';

const filters: Record<string, { label: string; test: (event: Event) => boolean }> = {
  all: { label: 'All', test: () => true },
  unread: { label: 'Unread', test: (event) => event.unread },
  site: { label: 'Sites', test: (event) => event.scope === 'site' },
  team: { label: 'Teams', test: (event) => event.scope === 'team' && !event.event_type.startsWith('ticket.') },
  ticket: { label: 'Tickets', test: (event) => event.event_type.startsWith('ticket.') },
  account: { label: 'Account', test: (event) => event.scope === 'account' },
};

export function ActivityPage() {
  const [filter, setFilter] = useState('all');
  const query = useInfiniteQuery(eventsQuery);
  const teams = useQuery(teamsQuery(1, 100)).data?.results ?? [];
  const events = query.data?.pages.flatMap((page) => page.results);
  return (
    <>
      <PageHeader
        title="Activity"
        description="What happens in your teams, as it happens."
        action={<MarkRead newest={events?.[0]} anyUnread={events?.some((event) => event.unread) ?? false} />}
      />
      <Segmented
        label="Show"
        value={filter}
        onChange={setFilter}
        options={Object.entries(filters).map(([value, { label }]) => ({ value, label }))}
      />
      <EventFeed
        className="mt-4"
        query={query}
        filter={filters[filter]?.test}
        teams={teams.length > 1 ? teams : undefined}
        empty={{
          title: filter === 'all' ? 'Nothing has happened yet' : 'Nothing matches',
          text: filter === 'unread' ? 'You have read everything.' : 'New activity shows up here by itself.',
        }}
      />
    </>
  );
}

function MarkRead({ newest, anyUnread }: { newest: Event | undefined; anyUnread: boolean }) {
  const queryClient = useQueryClient();
  const read = useMutation({
    mutationFn: (event_id: string) => api.readEvents({ body: { event_id } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['events'] }),
    onError: (error) => toast.error(messageOf(error)),
  });
  return (
    <Button
      variant="secondary"
      disabled={!newest || !anyUnread}
      pending={read.isPending}
      onClick={() => newest && read.mutate(newest.id)}
    >
      <CheckIcon /> Mark all read
    </Button>
  );
}
