import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Site } from '#sdk';
import { isStatus } from '../../api/client.ts';
import { detailOf } from '../../api/events.ts';
import { useMe } from '../../api/session.ts';
import { obstaclesOf } from '../../api/site-rights.ts';
import { siteQuery } from '../../api/sites.ts';
import { BackLink } from '../../layout/back-link.tsx';
import { BackupWarning } from '../../layout/backup-warning.tsx';
import { EnvironmentSwitch } from '../../layout/environment-switch.tsx';
import { Loaded } from '../../layout/loaded.tsx';
import { PlanLink } from '../../layout/plan-link.tsx';
import { SiteIcon } from '../../layout/site-icon.tsx';
import { SiteStateBadge } from '../../layout/site-state.tsx';
import { StorageWarning } from '../../layout/storage-warning.tsx';
import { PageHeader } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { type Tab, Tabs } from '../../ui/tabs.tsx';
import { NewStage } from './new-stage.tsx';
import { SiteActions } from './site-actions.tsx';
import { useSiteEvents } from './site-changes.ts';
import { CreateFailed, Creating, useCreatedNote, WorkNote } from './site-notes.tsx';
import { liveTabs, stageTabs } from './site-tabs.tsx';

const route = getRouteApi('/app/sites/$fqdn');

export function SitePage() {
  const { fqdn } = route.useParams();
  const navigate = route.useNavigate();
  const query = useQuery(siteQuery(fqdn));
  const gone = isStatus(query.error, 404);
  const details = useSiteEvents(query.data?.id).map(detailOf);
  const failure =
    gone && query.data?.busy === 'creating' ? details.find((detail) => detail.failure)?.failure : undefined;

  // Whoever watches a site while it gets another name goes along with it.
  const newName = gone ? details.find(({ result }) => result?.fqdn !== undefined)?.result?.fqdn : undefined;
  useEffect(() => {
    if (newName && newName !== fqdn)
      void navigate({ to: '/sites/$fqdn', params: { fqdn: newName }, search: (search) => search, replace: true });
  }, [newName, fqdn, navigate]);

  if (failure) return <CreateFailed fqdn={fqdn} failure={failure} />;
  return (
    <Loaded query={{ ...query, data: gone ? undefined : query.data }} loading={<SiteLoading />}>
      {(site) => <SiteView key={site.id} site={site} />}
    </Loaded>
  );
}

function SiteView({ site }: { site: Site }) {
  const { tab = 'overview', env } = route.useSearch();
  const isCreating = site.busy === 'creating';
  useCreatedNote(site);
  const obstacle = obstaclesOf(site, useMe()).change;
  const isStaging = env === 'staging';
  const stage = (isStaging && site.site_stage) || undefined;
  const tabs = {
    live: liveTabs(site),
    staging: site.site_stage ? stageTabs(site, site.site_stage, obstacle) : [],
  };
  const sameTab = (of: Tab[]) => (tab !== 'overview' && of.some(({ value }) => value === tab) ? { tab } : {});
  return (
    <>
      <PageHeader
        title={stage?.fqdn ?? site.fqdn}
        icon={<SiteIcon site={site} />}
        badges={<SiteStateBadge site={site} stage={stage ?? null} />}
        below={
          !isCreating && (
            <EnvironmentSwitch
              site={site}
              to="/sites/$fqdn"
              live={sameTab(tabs.live)}
              staging={sameTab(tabs.staging)}
            />
          )
        }
        back={<BackLink to="/sites">Sites</BackLink>}
        action={!isCreating && <SiteActions site={site} stage={stage} />}
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
          {isStaging && !stage ? (
            <NewStage site={site} />
          ) : (
            <Environment key={String(isStaging)} tabs={isStaging ? tabs.staging : tabs.live} tab={tab} />
          )}
        </>
      )}
    </>
  );
}

function Environment({ tabs, tab }: { tabs: Tab[]; tab: string }) {
  const navigate = route.useNavigate();
  return (
    <Tabs
      tabs={tabs}
      value={tabs.some((item) => item.value === tab) ? tab : 'overview'}
      onValueChange={(next) =>
        void navigate({
          search: ({ env }) => ({ ...(env && { env }), ...(next !== 'overview' && { tab: next }) }),
          replace: true,
          resetScroll: false,
        })
      }
    />
  );
}

function SiteLoading() {
  return (
    <div role="status" className="grid gap-6">
      <span className="sr-only">Loading</span>
      <Skeleton className="h-8 w-56" />
      <Skeleton className="h-10" />
      <Skeleton className="h-64 rounded-xl" />
    </div>
  );
}
