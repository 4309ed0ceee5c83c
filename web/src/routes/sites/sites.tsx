import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Site } from '#sdk';
import { chooseTeam, myTeamsQuery, useCurrentTeam } from '../../api/current-team.ts';
import { atLeast } from '../../api/roles.ts';
import { useMe } from '../../api/session.ts';
import { Listing } from '../../layout/listing.tsx';
import { SiteCard, SiteCards } from '../../layout/site-card.tsx';
import { buttonStyle } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Empty } from '../../ui/empty.tsx';
import { PlusIcon, SearchIcon, SitesIcon } from '../../ui/icons.ts';
import { PageHeader } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useSearchText } from '../../ui/use-settled.ts';
import { BulkBar } from './bulk-bar.tsx';
import { SiteTable } from './site-table.tsx';
import { type SiteList, sitesQuery } from './sites-query.ts';
import { SitesToolbar } from './sites-toolbar.tsx';

const route = getRouteApi('/app/sites');
const NO_SITES = { count: 0, limit: 1, offset: 0, results: [] };
/** How the list is shown where the address does not say. */
const LAYOUT_KEY = 'sites-layout';

export function SitesPage() {
  const { page = 1, team: linked, ...list } = route.useSearch();
  useEffect(() => {
    if (linked) chooseTeam(linked);
  }, [linked]);
  const current = useCurrentTeam();
  const teamId = linked ?? current?.id;
  const isTeamless = useQuery(myTeamsQuery).data?.count === 0;
  const navigate = route.useNavigate();
  const [text, setText] = useState(list.search ?? '');
  const search = useSearchText(text);
  const isFiltered = search !== '' || Boolean(list.label ?? list.state);
  const layout = list.layout ?? (localStorage.getItem(LAYOUT_KEY) === 'table' ? 'table' : 'cards');
  const { search: _, ...filters } = list;
  const asked: SiteList = search ? { ...filters, search } : filters;
  const query = useQuery({ ...sitesQuery(teamId, asked, page), enabled: teamId !== undefined });
  const isEmpty = isTeamless || (query.data?.count === 0 && !isFiltered);
  const mayCreate = atLeast(current?.role, 'member');
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const chosen = query.data?.results.filter(({ id }) => selected.has(id)) ?? [];

  function change(next: SiteList) {
    if (next.layout) localStorage.setItem(LAYOUT_KEY, next.layout);
    setText(next.search ?? '');
    void navigate({ search: next, replace: true, resetScroll: false });
  }
  function select(site: Site, isOn: boolean) {
    const next = new Set(selected);
    if (isOn) next.add(site.id);
    else next.delete(site.id);
    setSelected(next);
  }
  // In a view of somebody's account nothing can be done to them.
  const isViewed = useMe().view !== null;
  const box = (site: Site) =>
    mayCreate &&
    !isViewed && (
      <Checkbox
        label={`Select ${site.fqdn}`}
        checked={selected.has(site.id)}
        onCheckedChange={(isOn) => select(site, isOn)}
      />
    );
  return (
    <>
      <PageHeader title="Sites" action={mayCreate && !isEmpty && <NewSiteLink team={teamId} />} />
      {!isEmpty && teamId && (
        <SitesToolbar
          teamId={teamId}
          withViews={current?.is_limited === false}
          text={text}
          onText={(next) => {
            setText(next);
            // Another page of other results would be a page of nothing.
            if (page > 1) void navigate({ search: list, replace: true });
          }}
          list={{ ...list, ...(text.trim() && { search: text.trim() }) }}
          layout={layout}
          onChange={change}
        />
      )}
      <Listing
        query={isTeamless ? { ...query, data: NO_SITES } : query}
        loading={<SitesLoading />}
        onPage={(next) => void navigate({ search: { ...list, page: next } })}
        empty={
          <Card>
            {isFiltered ? (
              <Empty icon={<SearchIcon />} title="No site matches">
                Search for a part of its name or title, or remove a filter.
              </Empty>
            ) : (
              <NoSites mayCreate={mayCreate} team={teamId} />
            )}
          </Card>
        }
      >
        {(sites) =>
          layout === 'table' ? (
            <Card className="overflow-hidden">
              <SiteTable sites={sites} select={box} />
            </Card>
          ) : (
            <>
              {/* Each card has a heading under it. */}
              <h2 className="sr-only">All sites</h2>
              <SiteCards>
                {sites.map((site) => (
                  <li key={site.id} className="grid min-w-0">
                    <SiteCard site={site} select={box(site)} />
                  </li>
                ))}
              </SiteCards>
            </>
          )
        }
      </Listing>
      {teamId && chosen.length > 0 && <BulkBar teamId={teamId} sites={chosen} onDone={() => setSelected(new Set())} />}
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
        : 'As a viewer you see the sites of the team here once there are some.'}
    </Empty>
  );
}

function SitesLoading() {
  return (
    <div role="status">
      <span className="sr-only">Loading</span>
      <SiteCards>
        {[0, 1, 2, 3].map((card) => (
          <li key={card}>
            <Skeleton className="h-80 rounded-xl" />
          </li>
        ))}
      </SiteCards>
    </div>
  );
}
