import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Site } from '#sdk';
import { isStatus } from '../../api/client.ts';
import { detailOf } from '../../api/events.ts';
import { siteQuery, stateOf } from '../../api/sites.ts';
import { BackLink } from '../../layout/back-link.tsx';
import { BackupWarning } from '../../layout/backup-warning.tsx';
import { Loaded } from '../../layout/loaded.tsx';
import { PlanLink } from '../../layout/plan-link.tsx';
import { SiteIcon } from '../../layout/site-icon.tsx';
import { SiteStateBadge } from '../../layout/site-state.tsx';
import { StorageWarning } from '../../layout/storage-warning.tsx';
import { PageHeader } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { type Tab, Tabs } from '../../ui/tabs.tsx';
import { SiteFiles } from './files/site-files.tsx';
import { SiteAccess } from './site-access.tsx';
import { SiteActions } from './site-actions.tsx';
import { SiteActivity } from './site-activity.tsx';
import { useSiteEvents } from './site-changes.ts';
import { SiteDomain } from './site-domain.tsx';
import { SiteEdge } from './site-edge.tsx';
import { SiteEditor } from './site-editor.tsx';
import { SiteGit } from './site-git.tsx';
import { SiteLog } from './site-log.tsx';
import { CreatedNote, CreateFailed, Creating, WorkNote } from './site-notes.tsx';
import { SiteOverview } from './site-overview.tsx';
import { SitePaths } from './site-paths.tsx';
import { SiteSettings } from './site-settings.tsx';
import { SiteStage } from './site-stage.tsx';
import { SiteTerminal } from './site-terminal.tsx';

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
  const { tab = 'overview' } = route.useSearch();
  const navigate = route.useNavigate();
  const isCreating = site.busy === 'creating';
  const [sawCreating] = useState(isCreating);
  const tabs: Tab[] = [
    { value: 'overview', label: 'Overview', content: <SiteOverview site={site} /> },
    { value: 'stage', label: 'Staging', content: <SiteStage site={site} /> },
    { value: 'git', label: 'Git', content: <SiteGit site={site} /> },
    { value: 'files', label: 'Files', content: <SiteFiles site={site} /> },
    { value: 'editor', label: 'Editor', content: <SiteEditor site={site} /> },
    { value: 'activity', label: 'Activity', content: <SiteActivity site={site} /> },
    { value: 'terminal', label: 'Terminal', content: <SiteTerminal site={site} /> },
    { value: 'log', label: 'Logs', content: <SiteLog site={site} /> },
    { value: 'domain', label: 'Domains', content: <SiteDomain site={site} /> },
    { value: 'access', label: 'Access', content: <SiteAccess site={site} /> },
    { value: 'edge', label: 'Cache & firewall', content: <SiteEdge site={site} /> },
    { value: 'paths', label: 'External paths', content: <SitePaths site={site} /> },
    { value: 'settings', label: 'Settings', content: <SiteSettings site={site} /> },
  ];
  return (
    <>
      <PageHeader
        title={site.fqdn}
        icon={<SiteIcon site={site} />}
        badges={<SiteStateBadge site={site} />}
        back={<BackLink to="/sites">Sites</BackLink>}
        action={!isCreating && <SiteActions site={site} />}
      />
      {isCreating ? (
        <Creating site={site} />
      ) : (
        <>
          {sawCreating && tab === 'overview' && stateOf(site).kind === 'ready' && <CreatedNote />}
          <WorkNote site={site} />
          <StorageWarning
            team={site.team}
            action={<PlanLink team={{ id: site.team_id, name: site.team.name }} />}
            className="mb-6"
          />
          <BackupWarning site={site} className="mb-6" />
          <Tabs
            tabs={tabs}
            value={tabs.some((item) => item.value === tab) ? tab : 'overview'}
            onValueChange={(next) =>
              void navigate({ search: next === 'overview' ? {} : { tab: next }, replace: true, resetScroll: false })
            }
          />
        </>
      )}
    </>
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
