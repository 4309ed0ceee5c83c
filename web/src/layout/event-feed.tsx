import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Event, EventPage, Team } from '#sdk';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { ActivityIcon } from '../ui/icons.ts';
import { EventList } from './event-list.tsx';
import { Loaded } from './loaded.tsx';

type EventFeedProps = {
  query: UseInfiniteQueryResult<InfiniteData<EventPage>>;
  /** Which of the loaded events to show; all of them when left out. */
  filter?: (event: Event) => boolean;
  /** Given when it is not clear by itself which team an event belongs to. */
  teams?: Team[] | undefined;
  empty: { title: string; text: ReactNode };
  asOperator?: boolean;
  className?: string;
};

/** Events as they come in, and older ones on demand. */
export function EventFeed({ query, filter = () => true, teams, empty, asOperator, className }: EventFeedProps) {
  const events = query.data?.pages.flatMap((page) => page.results).filter(filter);
  return (
    <div className={className}>
      <Card className="overflow-hidden">
        <Loaded query={{ ...query, data: events }}>
          {(list) =>
            list.length > 0 ? (
              <EventList events={list} teams={teams} asOperator={asOperator} />
            ) : (
              <Empty icon={<ActivityIcon />} title={empty.title}>
                {empty.text}
              </Empty>
            )
          }
        </Loaded>
      </Card>
      {query.hasNextPage && (
        <div className="mt-4 text-center">
          <Button variant="secondary" pending={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Load older activity
          </Button>
        </div>
      )}
    </div>
  );
}
