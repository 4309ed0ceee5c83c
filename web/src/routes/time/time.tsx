import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Site } from '#sdk';
import { isStatus } from '../../api/client.ts';
import { siteQuery } from '../../api/sites.ts';
import { BackLink } from '../../layout/back-link.tsx';
import { BackupWarning } from '../../layout/backup-warning.tsx';
import { Loaded } from '../../layout/loaded.tsx';
import { siteLink } from '../../layout/site-link.ts';
import { SiteStateBadge } from '../../layout/site-state.tsx';
import { Alert } from '../../ui/alert.tsx';
import { Section } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { HistoryIcon } from '../../ui/icons.ts';
import { PageHeader } from '../../ui/page.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { formatMoment, useNowMs } from '../../ui/time.tsx';
import { type Minute, useMinutes } from './backups.ts';
import { ChosenMinute } from './chosen-minute.tsx';
import { FindBreak } from './find-break.tsx';
import { GoTo } from './go-to.tsx';
import { PastRestores } from './past-restores.tsx';
import { RestoreStatus, useWatchedRestore } from './restore-status.tsx';
import { Timeline } from './timeline.tsx';
import { viewOf, type Zoom, zooms } from './timeline-view.ts';

const route = getRouteApi('/app/sites/$fqdn/time');

export function TimePage() {
  const { fqdn } = route.useParams();
  const { env } = route.useSearch();
  const query = useQuery(siteQuery(fqdn));
  const isGone = isStatus(query.error, 404);
  return (
    <Loaded
      query={{ ...query, data: isGone ? undefined : query.data }}
      loading={<Skeleton className="h-96 rounded-xl" />}
    >
      {(site) => {
        const stage = env === 'staging' ? site.site_stage : null;
        return (
          <>
            <PageHeader
              title="Time machine"
              description={`Every minute in which the ${stage ? 'staging site' : 'site'} changed. Choose one to see what was different, and go back to it.`}
              badges={<SiteStateBadge site={site} stage={stage} />}
              back={
                <div className="lg:hidden">
                  <BackLink {...siteLink(fqdn, '', stage !== null)}>{stage?.fqdn ?? fqdn}</BackLink>
                </div>
              }
            />
            <TimeMachine key={stage?.id ?? site.id} site={site} stage={stage} />
          </>
        );
      }}
    </Loaded>
  );
}

function TimeMachine({ site, stage }: { site: Site; stage: Site['site_stage'] }) {
  const isStage = stage !== null;
  const place = { fqdn: site.fqdn, stage: isStage };
  // Of a stage nothing is older than itself.
  const oldest = stage && stage.created_at > site.min_restore_point ? stage.created_at : site.min_restore_point;
  const nowMs = useNowMs();
  const [zoom, setZoom] = useState<Zoom>('day');
  const [picked, setPicked] = useState<Minute>();
  // What the view goes around. It stays where it is under a hand that drags, and follows whoever steps out of it.
  const [anchorMs, setAnchorMs] = useState<number>();
  const oldestMs = Date.parse(oldest);
  const view = useMemo(() => viewOf(zoom, oldestMs, nowMs, anchorMs), [zoom, oldestMs, nowMs, anchorMs]);
  const { query, isLoadingOlder, isCut } = useMinutes(place, view.startMs);
  // The one of the list where it is there; it may also lie further back than what is drawn.
  const chosen = query.data?.find(({ atMs }) => atMs === picked?.atMs) ?? picked;
  const { watched, watch } = useWatchedRestore(place);

  function choose(minute: Minute, byStep = true) {
    const { atMs } = minute;
    setPicked(minute);
    if (byStep && (atMs < view.startMs || atMs > view.endMs)) setAnchorMs(atMs);
  }
  function zoomTo(next: Zoom) {
    setZoom(next);
    setAnchorMs(picked?.atMs);
  }

  return (
    <div className="grid grid-cols-1 gap-6">
      {!isStage && <BackupWarning site={site} />}
      <Section
        title="Timeline"
        description={
          <>
            Kept since {formatMoment(oldest)}
            {isLoadingOlder && ' · reading older ones …'}
          </>
        }
      >
        <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
          <Segmented
            label="Length of time"
            value={zoom}
            onChange={(next) => zoomTo(next as Zoom)}
            options={Object.entries(zooms).map(([value, { label }]) => ({ value, label }))}
          />
          <GoTo place={place} onChoose={choose} />
        </div>
        <Loaded query={query} loading={<Skeleton className="h-52 rounded-lg" />}>
          {(minutes) =>
            minutes.length > 0 ? (
              <Timeline minutes={minutes} view={view} chosen={chosen} onChoose={choose} />
            ) : (
              <Empty icon={<HistoryIcon />} title="There is no backup yet">
                The first one comes within a minute.
              </Empty>
            )
          }
        </Loaded>
        {isCut && (
          <Alert className="mt-4">
            There are more backups than fit here. The oldest are not drawn; go to them by their time.
          </Alert>
        )}
      </Section>
      {watched && (
        <RestoreStatus
          key={watched.id}
          site={site}
          stage={isStage}
          restoreId={watched.id}
          isOwn={watched.isOwn}
          onBegun={watch}
        />
      )}
      {chosen && <ChosenMinute site={site} stage={isStage} minute={chosen} onBegun={watch} />}
      {!isStage && <FindBreak site={site} onChoose={choose} />}
      <PastRestores site={site} stage={isStage} onBegun={watch} />
    </div>
  );
}
