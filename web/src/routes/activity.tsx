import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Event } from '#sdk';
import { api } from '../api/client.ts';
import { eventsQuery } from '../api/events.ts';
import { nextPage } from '../api/pages.ts';
import { teamsQuery } from '../api/teams.ts';
import { EventFeed } from '../layout/event-feed.tsx';
import { Button } from '../ui/button.tsx';
import { messageOf } from '../ui/form.tsx';
import { CheckIcon } from '../ui/icons.ts';
import { PageHeader } from '../ui/page.tsx';
import { SearchInput } from '../ui/search-input.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { toast } from '../ui/toast.tsx';
import { useSettled } from '../ui/use-settled.ts';

/** What happened to the site of this name, under its earlier names too; an earlier one finds it as well. */
const eventsOfNameQuery = (fqdn: string) =>
  infiniteQueryOptions({
    queryKey: ['events', 'name', fqdn],
    queryFn: ({ pageParam, signal }) => api.listEvents({ query: { fqdn, page: pageParam, size: 50 }, signal }),
    initialPageParam: 1,
    getNextPageParam: nextPage,
  });

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
  const [text, setText] = useState('');
  const name = text.trim().toLowerCase();
  const settled = useSettled(name);
  const everything = useInfiniteQuery(eventsQuery);
  const ofName = useInfiniteQuery({ ...eventsOfNameQuery(settled ?? ''), enabled: Boolean(settled) });
  const query = name === '' ? everything : ofName;
  const teams = useQuery(teamsQuery(1, 100)).data?.results ?? [];
  const events = everything.data?.pages.flatMap((page) => page.results);
  return (
    <>
      <PageHeader
        title="Activity"
        description="What happens in your teams, as it happens."
        action={<MarkRead newest={events?.[0]} anyUnread={events?.some((event) => event.unread) ?? false} />}
      />
      <div className="flex flex-wrap items-center gap-2">
        <Segmented
          label="Show"
          value={filter}
          onChange={setFilter}
          options={Object.entries(filters).map(([value, { label }]) => ({ value, label }))}
        />
        <SearchInput
          label="The name of a site, also an earlier one"
          value={text}
          onChange={setText}
          className="flex-1 basis-64"
        />
      </div>
      <EventFeed
        className="mt-4"
        query={query}
        filter={filters[filter]?.test}
        teams={teams.length > 1 ? teams : undefined}
        empty={{
          title: filter === 'all' && name === '' ? 'Nothing has happened yet' : 'Nothing matches',
          text: emptyText(name, filter),
        }}
      />
    </>
  );
}

function emptyText(name: string, filter: string): string {
  if (name !== '') return 'Type the whole name, such as blog.example.com.';
  return filter === 'unread' ? 'You have read everything.' : 'New activity shows up here by itself.';
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
