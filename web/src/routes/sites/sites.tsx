import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { atLeast } from '../../api/roles.ts';
import { teamsQuery } from '../../api/teams.ts';
import { Listing } from '../../layout/listing.tsx';
import { buttonStyle } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { PlusIcon, SearchIcon, SitesIcon } from '../../ui/icons.ts';
import { PageHeader } from '../../ui/page.tsx';
import { SearchInput } from '../../ui/search-input.tsx';
import { Select } from '../../ui/select.tsx';
import { useSearchText } from '../../ui/use-settled.ts';
import { SiteTable } from './site-table.tsx';
import { sitesQuery } from './sites-query.ts';

const route = getRouteApi('/app/sites');
const everyTeam = 'all';

export function SitesPage() {
  const { page = 1, team } = route.useSearch();
  const navigate = route.useNavigate();
  const [text, setText] = useState('');
  const search = useSearchText(text);
  const teams = useQuery(teamsQuery(1, 100)).data?.results ?? [];
  const query = useQuery(sitesQuery(team, search, page));
  const isEmpty = query.data?.count === 0 && search === '';
  const mayCreate = teams.some(({ role }) => atLeast(role, 'member'));
  return (
    <>
      <PageHeader
        title="Sites"
        description="Your WordPress sites, and how they are doing."
        action={mayCreate && !isEmpty && <NewSiteLink team={team} />}
      />
      {(!isEmpty || team) && (
        <div className="mb-4 flex flex-wrap gap-2">
          <SearchInput
            label="Find a site by its name"
            value={text}
            onChange={(next) => {
              setText(next);
              if (page > 1) void navigate({ search: { team }, replace: true });
            }}
            className="flex-1 basis-56"
          />
          {teams.length > 1 && (
            <Select
              aria-label="Team"
              className="sm:w-56"
              value={team ?? everyTeam}
              onValueChange={(next) => void navigate({ search: next === everyTeam ? {} : { team: next } })}
              options={[
                { value: everyTeam, label: 'All teams' },
                ...teams.map(({ id, name }) => ({ value: id, label: name })),
              ]}
            />
          )}
        </div>
      )}
      <Card className="overflow-hidden">
        <Listing
          query={query}
          onPage={(next) => void navigate({ search: { team, page: next } })}
          empty={
            search ? (
              <Empty icon={<SearchIcon />} title="No site has this in its name" />
            ) : (
              <NoSites mayCreate={mayCreate} team={team} />
            )
          }
        >
          {(sites) => <SiteTable sites={sites} showTeams={teams.length > 1} />}
        </Listing>
      </Card>
    </>
  );
}

function NewSiteLink({ team }: { team: string | undefined }) {
  return (
    <Link to="/sites/new" search={{ team }} className={buttonStyle()}>
      <PlusIcon /> New site
    </Link>
  );
}

function NoSites({ mayCreate, team }: { mayCreate: boolean; team: string | undefined }) {
  return (
    <Empty
      icon={<SitesIcon />}
      title={mayCreate ? 'Create your first site' : 'No sites yet'}
      action={mayCreate && <NewSiteLink team={team} />}
    >
      {mayCreate
        ? 'A name and a title are enough: a few seconds later WordPress is running.'
        : 'As a viewer you see the sites of your teams here once there are some.'}
    </Empty>
  );
}
