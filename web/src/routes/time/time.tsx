import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense, useEffect, useMemo, useRef, useState } from 'react';
import type { Backup, Site } from '#sdk';
import { api, isStatus } from '../../api/client.ts';
import { siteQuery } from '../../api/sites.ts';
import { BackLink } from '../../layout/back-link.tsx';
import { BackupWarning } from '../../layout/backup-warning.tsx';
import { lazyView } from '../../layout/lazy-view.ts';
import { Loaded } from '../../layout/loaded.tsx';
import { siteLink } from '../../layout/site-link.ts';
import { SiteStateBadge } from '../../layout/site-state.tsx';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Card, Section } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { messageOf } from '../../ui/form.tsx';
import { formatDate } from '../../ui/format-time.ts';
import { ChevronLeftIcon, ChevronRightIcon, HistoryIcon } from '../../ui/icons.ts';
import { PageHeader } from '../../ui/page.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Moment, useNowMs } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { type Minute, minuteOf, useMinutes } from './backups.ts';
import { GoTo } from './go-to.tsx';
import { MomentList } from './moment-list.tsx';
import { useMoments, usePoints } from './moments.ts';
import { RestoreStatus, useWatchedRestore } from './restore-status.tsx';
import { Timeline } from './timeline.tsx';
import { firstZoom, type View, viewOf, type Zoom, zooms } from './timeline-view.ts';

// What a person sees first is the line and the moments; the rest comes while they look.
const ChosenMinute = lazyView(() => import('./chosen-minute.tsx').then((it) => it.ChosenMinute));
const RestoreSheet = lazyView(() => import('./restore-sheet.tsx').then((it) => it.RestoreSheet));
const FindBreak = lazyView(() => import('./find-break.tsx').then((it) => it.FindBreak));
const PastRestores = lazyView(() => import('./past-restores.tsx').then((it) => it.PastRestores));

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
              description={`Every minute in which the ${stage ? 'staging site' : 'site'} changed. Pick a moment to see what was different, and go back to it.`}
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
  const { at, restore } = route.useSearch();
  // Of a stage nothing is older than itself.
  const oldest = stage && stage.created_at > site.min_restore_point ? stage.created_at : site.min_restore_point;
  const nowMs = useNowMs();
  const oldestMs = Date.parse(oldest);
  const [zoom, setZoom] = useState<Zoom>(() => firstZoom(oldestMs, nowMs));
  const [picked, setPicked] = useState<Minute>();
  const [isRestoring, setRestoring] = useState(false);
  // What the view goes around. It stays where it is under a hand that drags, and follows whoever steps out of it.
  const [anchorMs, setAnchorMs] = useState<number>();
  const view = useMemo(() => viewOf(zoom, oldestMs, nowMs, anchorMs), [zoom, oldestMs, nowMs, anchorMs]);
  const { query, isLoadingOlder, isCut } = useMinutes(place, view.startMs);
  const moments = useMoments(place, view, view.endMs >= nowMs);
  const points = usePoints(place);
  // The one of the list where it is there; it may also lie further back than what is drawn.
  const chosen = query.data?.find(({ atMs }) => atMs === picked?.atMs) ?? picked;
  const { watched, watch } = useWatchedRestore(place);
  const detail = useRef<HTMLDivElement>(null);

  function choose(minute: Minute, byStep = true) {
    const { atMs } = minute;
    setPicked(minute);
    if (byStep && (atMs < view.startMs || atMs > view.endMs)) setAnchorMs(atMs);
  }
  const showDetail = () => requestAnimationFrame(() => detail.current?.scrollIntoView());
  function zoomTo(next: Zoom) {
    setZoom(next);
    setAnchorMs(picked?.atMs);
  }
  const find = useMutation({
    mutationFn: async (restore_point: string) => {
      const known = query.data?.find(({ backup }) => backup.created_at === restore_point);
      if (known) return known;
      const found = await api.getBackups({ params: { fqdn: site.fqdn }, query: { restore_point, stage: isStage } });
      return minuteOf(found as Backup);
    },
    onSuccess: (minute) => {
      choose(minute);
      // Beside the list where there is room, else below it and out of sight.
      if (!matchMedia('(width >= 64rem)').matches) showDetail();
    },
    onError: (error) => toast.error(messageOf(error)),
  });
  // Whoever comes from a preview has a minute in mind.
  const { mutate: goTo } = find;
  useEffect(() => {
    if (at) goTo(at, { onSuccess: () => setRestoring(restore === true) });
  }, [at, restore, goTo]);

  const happened = moments.data ?? [];
  return (
    <div className="grid grid-cols-1 gap-6">
      {!isStage && <BackupWarning site={site} />}
      <Card className="px-5 py-4">
        <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
          <div className="flex flex-wrap items-center gap-3">
            <Segmented
              label="Length of time"
              value={zoom}
              onChange={(next) => zoomTo(next as Zoom)}
              options={Object.entries(zooms).map(([value, { label }]) => ({ value, label }))}
            />
            <Pages view={view} zoom={zoom} oldestMs={oldestMs} nowMs={nowMs} onGo={setAnchorMs} />
          </div>
          <GoTo place={place} onChoose={choose} />
        </div>
        <Loaded query={query} loading={<Skeleton className="h-64 rounded-lg" />}>
          {(minutes) =>
            minutes.length > 0 ? (
              <Timeline
                minutes={minutes}
                moments={happened}
                points={points}
                view={view}
                oldestMs={oldestMs}
                chosen={chosen}
                onChoose={choose}
              />
            ) : (
              <Empty icon={<HistoryIcon />} title="No backup yet">
                The first one is taken within a minute.
              </Empty>
            )
          }
        </Loaded>
        <p className="mt-3 text-muted text-xs">
          Kept since <Moment iso={oldest} />
          {isLoadingOlder && ' · loading older backups …'}
        </p>
        {isCut && (
          <Alert className="mt-4">There are more backups than fit here. Go to older ones by their date and time.</Alert>
        )}
      </Card>
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
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[20rem_minmax(0,1fr)] 2xl:grid-cols-[24rem_minmax(0,1fr)]">
        <Section title="Moments" flush className="lg:sticky lg:top-6">
          <div className="max-h-[36rem] overflow-y-auto pt-3 -outline-offset-2">
            <Loaded query={moments} loading={<Skeleton className="m-5 h-64 rounded-lg" />}>
              {(list) => (
                <MomentList
                  moments={list}
                  points={points}
                  chosenHash={chosen?.backup.commit_hash}
                  onChoose={(moment) => find.mutate(moment)}
                  more={{
                    hasMore: moments.hasNextPage,
                    isLoading: moments.isFetchingNextPage,
                    load: () => void moments.fetchNextPage(),
                  }}
                />
              )}
            </Loaded>
          </div>
        </Section>
        <div ref={detail} className="min-w-0">
          <Suspense fallback={<Skeleton className="h-80 rounded-xl" />}>
            {chosen ? (
              <ChosenMinute.View
                site={site}
                stage={isStage}
                minute={chosen}
                newest={query.data?.at(-1)}
                moments={happened.filter(({ commit_hash }) => commit_hash === chosen.backup.commit_hash)}
                name={points.find(({ commit_hash }) => commit_hash === chosen.backup.commit_hash)}
                onRestore={() => setRestoring(true)}
              />
            ) : (
              <Card className="min-h-80">
                <Empty icon={<HistoryIcon />} title="Pick a moment">
                  Choose one from the list, or move along the timeline. You see the site then and now before anything
                  changes.
                </Empty>
              </Card>
            )}
          </Suspense>
        </div>
      </div>
      <Suspense fallback={null}>
        {isRestoring && chosen && (
          <RestoreSheet.View
            site={site}
            stage={isStage}
            point={chosen.backup.created_at}
            onClose={() => setRestoring(false)}
            onBegun={watch}
          />
        )}
        {!isStage && (
          <FindBreak.View
            site={site}
            onChoose={(minute) => {
              choose(minute);
              showDetail();
            }}
          />
        )}
        <PastRestores.View site={site} stage={isStage} onBegun={watch} />
      </Suspense>
    </div>
  );
}

type PagesProps = { view: View; zoom: Zoom; oldestMs: number; nowMs: number; onGo: (anchorMs: number) => void };

/** From one stretch of time to the next, whatever is chosen. */
function Pages({ view, zoom, oldestMs, nowMs, onGo }: PagesProps) {
  const { spanMs } = zooms[zoom];
  const middleMs = (view.startMs + view.endMs) / 2;
  const [start, end] = [view.startMs, view.endMs].map((ms) => formatDate(new Date(ms).toISOString()));
  return (
    <div className="flex items-center gap-1">
      <Button
        variant="ghost"
        size="icon"
        aria-label={`One ${zoom} back`}
        disabled={view.startMs <= oldestMs}
        onClick={() => onGo(middleMs - spanMs)}
      >
        <ChevronLeftIcon />
      </Button>
      <span className="min-w-28 text-center text-muted tabular-nums">
        {start === end ? start : `${start} – ${end}`}
      </span>
      <Button
        variant="ghost"
        size="icon"
        aria-label={`One ${zoom} on`}
        disabled={view.endMs >= nowMs}
        onClick={() => onGo(Math.min(nowMs, middleMs + spanMs))}
      >
        <ChevronRightIcon />
      </Button>
    </div>
  );
}
