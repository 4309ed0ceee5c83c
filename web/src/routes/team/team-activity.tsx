import { useInfiniteQuery } from '@tanstack/react-query';
import type { Team } from '#sdk';
import { teamEventsQuery } from '../../api/queries.ts';
import { EventList } from '../../layout/event-list.tsx';
import { Loaded } from '../../layout/loaded.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { ActivityIcon } from '../../ui/icons.tsx';

export function TeamActivity({ team }: { team: Team }) {
  const query = useInfiniteQuery(teamEventsQuery(team.id));
  const events = query.data?.pages.flatMap((page) => page.results);
  return (
    <>
      <Card className="overflow-hidden">
        <Loaded query={{ ...query, data: events }}>
          {(list) =>
            list.length > 0 ? (
              <EventList events={list} />
            ) : (
              <Empty icon={<ActivityIcon />} title="Nothing has happened yet">
                What people do in {team.name} shows up here.
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
    </>
  );
}
