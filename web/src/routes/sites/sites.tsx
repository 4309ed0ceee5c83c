import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { chooseTeam, myTeamsQuery, useCurrentTeam } from '../../api/current-team.ts';
import { atLeast } from '../../api/roles.ts';
import { Listing } from '../../layout/listing.tsx';
import { buttonStyle } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { PlusIcon, SearchIcon, SitesIcon } from '../../ui/icons.ts';
import { PageHeader } from '../../ui/page.tsx';
import { SearchInput } from '../../ui/search-input.tsx';
import { useSearchText } from '../../ui/use-settled.ts';
import { SiteTable } from './site-table.tsx';
import { sitesQuery } from './sites-query.ts';

const route = getRouteApi('/app/sites');
const NO_SITES = { count: 0, limit: 1, offset: 0, results: [] };

export function SitesPage() {
  const { page = 1, team: linked } = route.useSearch();
  useEffect(() => {
    if (linked) chooseTeam(linked);
  }, [linked]);
  const current = useCurrentTeam();
  const team = linked ?? current?.id;
  const navigate = route.useNavigate();
  const [text, setText] = useState('');
  const search = useSearchText(text);
  const query = useQuery({ ...sitesQuery(team, search, page), enabled: team !== undefined });
  const isTeamless = useQuery(myTeamsQuery).data?.count === 0;
  const isEmpty = isTeamless || (query.data?.count === 0 && search === '');
  const mayCreate = atLeast(current?.role, 'member');
  return (
    <>
      <PageHeader
        title="Sites"
        description="Your WordPress sites, and how they are doing."
        action={mayCreate && !isEmpty && <NewSiteLink team={team} />}
      />
      {!isEmpty && (
        <div className="mb-4 flex flex-wrap gap-2">
          <SearchInput
            label="Find a site by its name"
            value={text}
            onChange={(next) => {
              setText(next);
              if (page > 1) void navigate({ search: {}, replace: true });
            }}
            className="flex-1 basis-56"
          />
        </div>
      )}
      <Card className="overflow-hidden">
        <Listing
          query={isTeamless ? { ...query, data: NO_SITES } : query}
          onPage={(next) => void navigate({ search: { page: next } })}
          empty={
            search ? (
              <Empty icon={<SearchIcon />} title="No site has this in its name" />
            ) : (
              <NoSites mayCreate={mayCreate} team={team} />
            )
          }
        >
          {(sites) => <SiteTable sites={sites} />}
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
