import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Team, SiteUse as Use } from '#sdk';
import { Listing } from '../../layout/listing.tsx';
import { Section } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { SitesIcon } from '../../ui/icons.ts';
import { Segmented } from '../../ui/segmented.tsx';
import { Table, Td, Th } from '../../ui/table.tsx';
import { siteUseQuery } from './team-queries.ts';

const orders = [
  { value: 'visits', label: 'Visits' },
  { value: 'bandwidth', label: 'Bandwidth' },
  { value: 'storage', label: 'Storage' },
  { value: 'name', label: 'Name' },
] as const;
type Order = (typeof orders)[number]['value'];

/** Which site uses how much of the plan. */
export function SiteUse({ team }: { team: Team }) {
  const [order, setOrder] = useState<Order>('visits');
  const [page, setPage] = useState(1);
  const query = useQuery(siteUseQuery(team.id, order, page));
  return (
    <Section
      title="By site"
      description="Visits and bandwidth of this cycle, storage now."
      action={
        <Segmented
          label="Sort by"
          value={order}
          onChange={(next) => {
            setOrder(next as Order);
            setPage(1);
          }}
          options={[...orders]}
        />
      }
      flush
    >
      <Listing query={query} onPage={setPage} empty={<Empty icon={<SitesIcon />} title="No sites yet" />}>
        {(sites) => (
          <Table
            label="Use by site"
            head={
              <>
                <Th>Site</Th>
                <Th className="text-right">Visits</Th>
                <Th className="text-right max-sm:hidden">Bandwidth</Th>
                <Th className="text-right max-sm:hidden">Storage</Th>
              </>
            }
          >
            {sites.map((site) => (
              <Row key={site.site_id} site={site} />
            ))}
          </Table>
        )}
      </Listing>
    </Section>
  );
}

function Row({ site }: { site: Use }) {
  return (
    <tr>
      <Td className="w-full max-w-0">
        <Link
          to="/sites/$fqdn"
          params={{ fqdn: site.fqdn }}
          className="block truncate rounded font-medium underline-offset-4 hover:underline"
        >
          {site.fqdn}
        </Link>
        <p className="truncate text-muted text-xs sm:hidden">
          {formatBytes(site.bandwidth_bytes)} sent · {formatBytes(site.storage_bytes)} stored
        </p>
      </Td>
      <Td className="whitespace-nowrap text-right tabular-nums">{formatCount(site.visits)}</Td>
      <Td className="whitespace-nowrap text-right text-muted tabular-nums max-sm:hidden">
        {formatBytes(site.bandwidth_bytes)}
      </Td>
      <Td className="whitespace-nowrap text-right text-muted tabular-nums max-sm:hidden">
        {formatBytes(site.storage_bytes)}
      </Td>
    </tr>
  );
}
