import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Site, SiteLogEntry, StageSite } from '#sdk';
import { atLeast, standing } from '../../api/roles.ts';
import { useMe } from '../../api/session.ts';
import { obstaclesOf } from '../../api/site-rights.ts';
import type { Place } from '../../api/sites.ts';
import { BlockedNote } from '../../layout/blocked-note.tsx';
import { Loaded } from '../../layout/loaded.tsx';
import { Button } from '../../ui/button.tsx';
import { Card, Section } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { messageOf } from '../../ui/form.tsx';
import { ActivityIcon, CheckCircleIcon } from '../../ui/icons.ts';
import { SearchInput } from '../../ui/search-input.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Switch } from '../../ui/switch.tsx';
import { toast } from '../../ui/toast.tsx';
import { useSearchText } from '../../ui/use-settled.ts';
import { useSiteChange, useStageChange } from './site-changes.ts';
import { everyVisit, VisitFilters } from './site-log-filters.tsx';
import { ErrorGroups } from './site-log-groups.tsx';
import { LogLines } from './site-log-lines.tsx';
import { type LogKind, type LogView, siteLogQuery, useLiveLines, type VisitFilter } from './site-log-queries.ts';

const kinds = [
  { value: 'groups', label: 'Errors' },
  { value: 'error', label: 'Error log' },
  { value: 'access', label: 'Visits' },
  { value: 'slow', label: 'Slow' },
];

export function SiteLog({ site, stage }: { site: Site; stage?: StageSite }) {
  const obstacle = obstaclesOf(site, useMe()).change;
  const [kind, setKind] = useState<LogKind>('groups');
  const [text, setText] = useState('');
  const [filter, setFilter] = useState(everyVisit);
  const [isLive, setIsLive] = useState(true);
  const setDebug = useDebugMode(site, stage !== undefined);
  const isDebug = (stage ?? site).debug_enabled;
  const { role, name } = site.team;
  if (!atLeast(role, 'member'))
    return <BlockedNote reason={`${standing(role, name)}: members, admins and the owner can read this.`} />;
  const place = { fqdn: site.fqdn, stage: stage !== undefined };
  const offerDebug = !isDebug && obstacle === undefined && (
    <Button variant="secondary" pending={setDebug.isPending} onClick={() => setDebug.mutate(true)}>
      Turn on debug mode
    </Button>
  );
  return (
    <div className="grid gap-6">
      <div className="flex flex-wrap items-center gap-3">
        <Segmented label="Show" value={kind} onChange={(next) => setKind(next as LogKind)} options={kinds} />
        {kind === 'groups' ? (
          <span className="flex-1" />
        ) : (
          <SearchInput label="Search the log" value={text} onChange={setText} className="min-w-0 flex-1 basis-52" />
        )}
        <Switch label="Follow" checked={isLive} onCheckedChange={setIsLive} />
      </div>
      {(kind === 'access' || kind === 'slow') && (
        <VisitFilters filter={filter} isSlow={kind === 'slow'} onChange={setFilter} />
      )}
      {kind === 'groups' ? (
        <ErrorGroups place={place} isLive={isLive} nothing={<NoErrors action={offerDebug} />} />
      ) : (
        <Lines place={place} kind={kind} text={text.trim()} filter={filter} isLive={isLive} offerDebug={offerDebug} />
      )}
      <Section title="Debug mode">
        <Switch
          label="Log notices and deprecated code too"
          hint="This is WP_DEBUG. Everything goes to this log; visitors never see errors. PHP restarts with the next visit."
          checked={isDebug}
          onCheckedChange={(next) => setDebug.mutate(next)}
          disabled={obstacle !== undefined || setDebug.isPending}
        />
      </Section>
    </div>
  );
}

function useDebugMode(site: Site, isStage: boolean) {
  const [changeSite, changeStage] = [useSiteChange(site), useStageChange(site)];
  return useMutation({
    mutationFn: (debug_enabled: boolean): Promise<{ debug_enabled: boolean }> =>
      (isStage ? changeStage : changeSite)({ debug_enabled }),
    onSuccess: ({ debug_enabled }) => toast.success(`Debug mode is ${debug_enabled ? 'on' : 'off'}.`),
    onError: (error) => toast.error(messageOf(error)),
  });
}

type LinesProps = {
  place: Place;
  kind: LogView['kind'];
  text: string;
  filter: VisitFilter;
  isLive: boolean;
  offerDebug: React.ReactNode;
};

function Lines({ place, kind, text, filter, isLive, offerDebug }: LinesProps) {
  const search = useSearchText(text);
  const path = useSearchText(filter.path.trim());
  const view = { ...place, kind, search, filter: { ...filter, path } };
  const isFiltered = kind !== 'error' && [filter.status, filter.method, path].some(Boolean);
  const query = useInfiniteQuery(siteLogQuery(view));
  const live = useLiveLines(view, isLive);
  const lines = query.data && unique([...live, ...query.data.pages.flatMap(({ results }) => results)]);
  return (
    <div>
      <Card className="overflow-hidden">
        <Loaded query={{ ...query, data: lines }}>
          {(list) =>
            list.length > 0 ? (
              <LogLines lines={list} />
            ) : (
              <Nothing
                kind={kind}
                isSearch={search !== '' || isFiltered}
                hasMore={query.hasNextPage}
                action={offerDebug}
              />
            )
          }
        </Loaded>
      </Card>
      {query.hasNextPage && (
        <div className="mt-4 text-center">
          <Button variant="secondary" pending={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {lines?.length === 0 ? 'Look further back' : 'Show older lines'}
          </Button>
        </div>
      )}
    </div>
  );
}

type NothingProps = { kind: LogView['kind']; isSearch: boolean; hasMore: boolean; action: React.ReactNode };

function Nothing({ kind, isSearch, hasMore, action }: NothingProps) {
  if (isSearch)
    return (
      <Empty icon={<ActivityIcon />} title={hasMore ? 'Nothing in the newest lines' : 'Nothing found'}>
        The log goes back a few days.
      </Empty>
    );
  if (kind === 'slow')
    return (
      <Empty icon={<CheckCircleIcon />} title="No slow visits">
        Each request that took longer than that appears here.
      </Empty>
    );
  if (kind === 'access')
    return (
      <Empty icon={<ActivityIcon />} title="No visits yet">
        Each request of a visitor appears here within seconds and is kept for a few days.
      </Empty>
    );
  return <NoErrors action={action} />;
}

function NoErrors({ action }: { action: React.ReactNode }) {
  return (
    <Empty icon={<CheckCircleIcon />} title="No errors" action={action}>
      Errors of PHP and WordPress appear here within seconds and are kept for a few days. Debug mode logs notices as
      well.
    </Empty>
  );
}

/** Pages shift while new lines arrive, and a live line is in the list too once that is read again. */
const unique = (lines: SiteLogEntry[]) => [...new Map(lines.map((line) => [line.id, line])).values()];
