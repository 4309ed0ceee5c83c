import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import type { Site, StageSite } from '#sdk';
import { isStatus } from '../../api/client.ts';
import { detailOf } from '../../api/events.ts';
import { useMe } from '../../api/session.ts';
import { obstaclesOf } from '../../api/site-rights.ts';
import { siteQuery, titleOfSite } from '../../api/sites.ts';
import { BackupWarning } from '../../layout/backup-warning.tsx';
import { BlockedNote } from '../../layout/blocked-note.tsx';
import { Loaded } from '../../layout/loaded.tsx';
import { PlanLink } from '../../layout/plan-link.tsx';
import { NotFound } from '../../layout/problem-pages.tsx';
import { SiteBreadcrumb, StagingStrip } from '../../layout/site-header.tsx';
import { SiteIcon } from '../../layout/site-icon.tsx';
import { pagesOf, titleOf } from '../../layout/site-pages.ts';
import { SiteStateBadge } from '../../layout/site-state.tsx';
import { StorageWarning } from '../../layout/storage-warning.tsx';
import { PageHeader } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { NewStage } from './new-stage.tsx';
import { SiteActions } from './site-actions.tsx';
import { useSiteEvents } from './site-changes.ts';
import { CreateFailed, Creating, useCreatedNote, WorkNote } from './site-notes.tsx';
import { viewOf } from './site-views.ts';

export function SitePage() {
  const { fqdn = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const { page = '' } = useParams({ strict: false });
  const query = useQuery(siteQuery(fqdn));
  const gone = isStatus(query.error, 404);
  const details = useSiteEvents(query.data?.id).map(detailOf);
  const failure =
    gone && query.data?.busy === 'creating' ? details.find((detail) => detail.failure)?.failure : undefined;

  // Whoever watches a site while it gets another name goes along with it.
  // A former name still answers with the site, and its current name.
  const current = query.isFetching ? undefined : query.data?.fqdn;
  const newName = gone ? details.find(({ result }) => result?.fqdn !== undefined)?.result?.fqdn : current;
  const isMoving = newName !== undefined && newName !== fqdn;
  useEffect(() => {
    if (isMoving)
      void navigate({ to: '.', params: (params) => ({ ...params, fqdn: newName }), search: true, replace: true });
  }, [isMoving, newName, navigate]);
  // It can have the other name already before the event says which. Nothing that is being changed is deleted.
  const isGone = gone && !isMoving && query.data?.busy !== 'updating';

  if (failure) return <CreateFailed fqdn={fqdn} failure={failure} />;
  return (
    <Loaded
      query={{ ...query, data: isGone ? undefined : query.data }}
      loading={<SiteLoading title={page === '' ? fqdn : titleOf(page)} />}
    >
      {(site) => <SiteView key={site.id} site={site} />}
    </Loaded>
  );
}

function SiteView({ site }: { site: Site }) {
  const { page: path = '' } = useParams({ strict: false });
  const { env } = useSearch({ strict: false });
  const isCreating = site.busy === 'creating';
  useCreatedNote(site);
  const isStaging = env === 'staging';
  const stage = (isStaging && site.site_stage) || undefined;
  const page = pagesOf(site, stage).find((one) => one.path === path);
  if (!page) return <NotFound />;
  const isOverview = path === '';
  const name = stage?.fqdn ?? site.fqdn;
  const title = titleOfSite(site);
  return (
    <>
      {stage && <StagingStrip stage={stage} />}
      <PageHeader
        title={isOverview ? title : page.label}
        windowTitle={[!isOverview && page.label, title, stage && 'Staging'].filter(Boolean).join(' · ')}
        {...(isOverview
          ? {
              icon: <SiteIcon site={site} />,
              description: title === name ? undefined : <span className="break-all">{name}</span>,
              action: !isCreating && <SiteActions site={site} stage={stage} />,
            }
          : {})}
        badges={<SiteStateBadge site={site} stage={stage ?? null} />}
        back={<SiteBreadcrumb site={site} stage={stage} page={page} />}
      />
      {isCreating ? (
        <Creating site={site} />
      ) : (
        <>
          <WorkNote site={site} />
          <StorageWarning
            team={site.team}
            action={<PlanLink team={{ id: site.team_id, name: site.team.name }} />}
            className="mb-6"
          />
          {!isStaging && <BackupWarning site={site} className="mb-6" />}
          <Suspense fallback={<Skeleton className="h-64 rounded-xl" />}>
            {isStaging && !stage ? (
              <NewStage site={site} />
            ) : (
              <PageContent key={String(isStaging)} path={path} site={site} stage={stage} />
            )}
          </Suspense>
        </>
      )}
    </>
  );
}

function PageContent({ path, site, stage }: { path: string; site: Site; stage: StageSite | undefined }) {
  const obstacle = obstaclesOf(site, useMe()).change;
  const { live, staging, stageForm } = viewOf(path);
  if (!stage) return live ? <live.View site={site} isStage={false} /> : <NotFound />;
  if (!staging) return <NotFound />;
  const content = <staging.View site={site} stage={stage} isStage disabled={obstacle !== undefined} />;
  if (!stageForm) return content;
  return (
    <div className="grid max-w-3xl gap-6">
      {site.busy !== 'staging' && <BlockedNote reason={obstacle} />}
      {content}
    </div>
  );
}

/** The address says already what it is. */
function SiteLoading({ title }: { title: string }) {
  return (
    <>
      <PageHeader title={title} />
      <div role="status">
        <span className="sr-only">Loading</span>
        <Skeleton className="h-72 rounded-xl" />
      </div>
    </>
  );
}
