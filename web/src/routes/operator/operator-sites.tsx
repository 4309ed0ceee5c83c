import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Site } from '#sdk';
import { SiteStateBadge } from '../../layout/site-state.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { Table, Td, Th } from '../../ui/table.tsx';
import { useSearchText } from '../../ui/use-settled.ts';
import { allSitesQuery } from './operator-queries.ts';
import { SearchedSection } from './searched-section.tsx';

export function OperatorSites() {
  const [text, setText] = useState('');
  const [page, setPage] = useState(1);
  const search = useSearchText(text);
  const query = useQuery(allSitesQuery(search ? { search } : {}, page));
  return (
    <SearchedSection
      title="Sites"
      label="Find a site by its name"
      text={text}
      onText={(next) => {
        setText(next);
        setPage(1);
      }}
      query={query}
      onPage={setPage}
    >
      {(sites) => <SiteTable sites={sites} />}
    </SearchedSection>
  );
}

export function SiteTable({ sites }: { sites: Site[] }) {
  return (
    <Table
      label="Sites"
      head={
        <>
          <Th>Site</Th>
          <Th className="max-sm:hidden">State</Th>
          <Th className="text-right max-md:hidden">Visits</Th>
          <Th className="text-right max-md:hidden">Storage</Th>
        </>
      }
    >
      {sites.map((site) => (
        <tr key={site.id} className="relative hover:bg-raised/60">
          <Td className="w-full max-w-0">
            <Link
              to="/operator/sites/$siteId"
              params={{ siteId: site.id }}
              className="block truncate rounded font-medium after:absolute after:inset-0"
            >
              {site.fqdn}
            </Link>
            <p className="truncate text-muted text-xs">{site.team.name}</p>
          </Td>
          <Td className="max-sm:hidden">
            <SiteStateBadge site={site} />
          </Td>
          <Td className="whitespace-nowrap text-right text-muted tabular-nums max-md:hidden">
            {formatCount(site.current_cycle_visits)}
          </Td>
          <Td className="whitespace-nowrap text-right text-muted tabular-nums max-md:hidden">
            {formatBytes(site.current_storage)}
          </Td>
        </tr>
      ))}
    </Table>
  );
}
