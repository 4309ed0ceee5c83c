import { getRouteApi } from '@tanstack/react-router';
import { useMe } from '../../api/session.ts';
import { NotFound } from '../../layout/problem-pages.tsx';
import { PageHeader } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { OperatorDeleted } from './operator-deleted.tsx';
import { OperatorJobs } from './operator-jobs.tsx';
import { OperatorOverview } from './operator-overview.tsx';
import { OperatorPeople } from './operator-people.tsx';
import { OperatorRegions } from './operator-regions.tsx';
import { OperatorSites } from './operator-sites.tsx';
import { OperatorTeams } from './operator-teams.tsx';
import { OperatorTemplates } from './operator-templates.tsx';
import { OperatorTickets } from './operator-tickets.tsx';

const route = getRouteApi('/app/operator');

const tabs = [
  { value: 'overview', label: 'Overview', content: <OperatorOverview /> },
  { value: 'tickets', label: 'Support', content: <OperatorTickets /> },
  { value: 'people', label: 'People', content: <OperatorPeople /> },
  { value: 'teams', label: 'Teams', content: <OperatorTeams /> },
  { value: 'sites', label: 'Sites', content: <OperatorSites /> },
  { value: 'deleted', label: 'Deleted sites', content: <OperatorDeleted /> },
  { value: 'templates', label: 'Templates', content: <OperatorTemplates /> },
  { value: 'regions', label: 'Regions', content: <OperatorRegions /> },
  { value: 'jobs', label: 'Failed jobs', content: <OperatorJobs /> },
];

export function OperatorPage() {
  const me = useMe();
  const { tab = 'overview' } = route.useSearch();
  const navigate = route.useNavigate();
  if (!me.is_superuser) return <NotFound />;
  return (
    <>
      <PageHeader title="Operator" description="The whole platform, over all teams." />
      <Tabs
        tabs={tabs}
        value={tabs.some((item) => item.value === tab) ? tab : 'overview'}
        onValueChange={(next) => void navigate({ search: { tab: next }, replace: true, resetScroll: false })}
      />
    </>
  );
}
