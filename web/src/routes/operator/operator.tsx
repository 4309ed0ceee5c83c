import { getRouteApi } from '@tanstack/react-router';
import { useMe } from '../../api/session.ts';
import { NotFoundPage } from '../../layout/problem-pages.tsx';
import { PageHeader } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { OperatorDeleted } from './operator-deleted.tsx';
import { OperatorJobs } from './operator-jobs.tsx';
import { OperatorPeople } from './operator-people.tsx';
import { OperatorRegions } from './operator-regions.tsx';
import { OperatorTeams } from './operator-teams.tsx';
import { OperatorTickets } from './operator-tickets.tsx';

const route = getRouteApi('/app/operator');

const tabs = [
  { value: 'tickets', label: 'Tickets', content: <OperatorTickets /> },
  { value: 'teams', label: 'Teams', content: <OperatorTeams /> },
  { value: 'people', label: 'People', content: <OperatorPeople /> },
  { value: 'deleted', label: 'Deleted sites', content: <OperatorDeleted /> },
  { value: 'regions', label: 'Regions', content: <OperatorRegions /> },
  { value: 'jobs', label: 'Failed jobs', content: <OperatorJobs /> },
];

export function OperatorPage() {
  const me = useMe();
  const { tab = 'tickets' } = route.useSearch();
  const navigate = route.useNavigate();
  if (!me.is_superuser) return <NotFoundPage />;
  return (
    <>
      <PageHeader title="Operator" description="The whole platform, over all teams." />
      <Tabs
        tabs={tabs}
        value={tabs.some((item) => item.value === tab) ? tab : 'tickets'}
        onValueChange={(next) => void navigate({ search: { tab: next }, replace: true, resetScroll: false })}
      />
    </>
  );
}
