import { Link } from '@tanstack/react-router';
import type { Site } from '#sdk';
import { SiteStateBadge } from '../../layout/site-state.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { Table, Td, Th } from '../../ui/table.tsx';
import { allSitesQuery } from './operator-queries.ts';
import { SearchedSection } from './searched-section.tsx';

export function OperatorSites() {
  return (
    <SearchedSection title="Sites" label="Find a site by its name" queryOf={allSitesQuery}>
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
          <Th>State</Th>
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
          <Td>
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
