import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { regionsQuery } from '../../api/regions.ts';
import { atLeast } from '../../api/roles.ts';
import { teamsQuery } from '../../api/teams.ts';
import { templatesQuery } from '../../api/templates.ts';
import { BackLink } from '../../layout/back-link.tsx';
import { Loaded } from '../../layout/loaded.tsx';
import { buttonStyle } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { LockIcon } from '../../ui/icons.ts';
import { PageHeader } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { ImportSiteForm } from './import-site-form.tsx';
import { NewSiteForm } from './new-site-form.tsx';

const route = getRouteApi('/app/sites/new');

export function NewSitePage() {
  const { team } = route.useSearch();
  const [tab, setTab] = useState('new');
  const teams = useQuery(teamsQuery(1, 100));
  const regions = useQuery(regionsQuery);
  // A platform whose templates can not be asked for still makes empty sites.
  const templates = useQuery(templatesQuery);
  const ready = teams.data && regions.data && !templates.isPending;
  const both = ready && { teams: teams.data.results, regions: regions.data };
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader
        title="New site"
        description="A WordPress of your own, running in a few seconds."
        back={<BackLink to="/sites">Sites</BackLink>}
      />
      <Card className="p-5 sm:p-6">
        <Loaded query={{ ...(teams.error ? teams : regions), data: both || undefined }}>
          {({ teams: all, regions: places }) => {
            const allowed = all.filter(({ role }) => atLeast(role, 'member'));
            if (allowed.length === 0) return <NotAllowed />;
            const where = { teams: allowed, regions: places, initialTeam: team };
            const begun = <NewSiteForm {...where} templates={templates.data ?? []} />;
            const tabs = [
              { value: 'new', label: 'New WordPress', content: begun },
              { value: 'archive', label: 'Import an archive', content: <ImportSiteForm {...where} /> },
            ];
            return <Tabs tabs={tabs} value={tab} onValueChange={setTab} />;
          }}
        </Loaded>
      </Card>
    </div>
  );
}

function NotAllowed() {
  return (
    <Empty
      icon={<LockIcon />}
      title="You cannot create sites"
      action={
        <Link to="/teams" className={buttonStyle({ variant: 'secondary' })}>
          Your teams
        </Link>
      }
    >
      You are a viewer of all your teams. Ask an owner to make you a member.
    </Empty>
  );
}
