import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Site } from '#sdk';
import { propertiesOf, titleOfSite } from '../../api/sites.ts';
import { SiteIcon } from '../../layout/site-icon.tsx';
import { SiteLabels } from '../../layout/site-labels.tsx';
import { SiteStateBadge } from '../../layout/site-state.tsx';
import { UpdatesWaiting } from '../../layout/updates-waiting.tsx';
import { buttonStyle } from '../../ui/button.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { OpenIcon } from '../../ui/icons.ts';
import { Sparkline } from '../../ui/sparkline.tsx';
import { Table, Td, Th } from '../../ui/table.tsx';

type Select = (site: Site) => ReactNode;

export function SiteTable({ sites, select }: { sites: Site[]; select: Select }) {
  return (
    <Table
      label="Sites"
      head={
        <>
          <Th>Site</Th>
          <Th className="max-sm:hidden">State</Th>
          <Th className="max-xl:hidden">Labels</Th>
          <Th className="max-lg:hidden">Visits, 14 days</Th>
          <Th className="text-right max-md:hidden">Visits</Th>
          <Th className="text-right max-md:hidden">Storage</Th>
          <Th className="max-xl:hidden">Versions</Th>
          <Th>
            <span className="sr-only">Open</span>
          </Th>
        </>
      }
    >
      {sites.map((site) => (
        <SiteRow key={site.id} site={site} select={select} />
      ))}
    </Table>
  );
}

const number = 'whitespace-nowrap text-right tabular-nums max-md:hidden';

function SiteRow({ site, select }: { site: Site; select: Select }) {
  const visits = formatCount(site.current_cycle_visits);
  const { url, core_version, php_version } = propertiesOf(site);
  return (
    <tr className="relative transition-colors hover:bg-raised/60">
      <Td className="w-full max-w-0">
        <div className="flex items-center gap-3">
          {select(site)}
          <SiteIcon site={site} />
          <div className="min-w-0">
            <p className="truncate font-medium">
              {/* The whole row leads to the site's page. */}
              <Link
                to="/sites/$fqdn"
                params={{ fqdn: site.fqdn }}
                className="rounded after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:rounded-lg focus-visible:after:outline-2 focus-visible:after:outline-accent focus-visible:after:-outline-offset-2"
              >
                {titleOfSite(site)}
              </Link>
            </p>
            <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 text-muted text-xs leading-5">
              <span className="sm:hidden">
                <SiteStateBadge site={site} />
              </span>
              {site.title && <span className="min-w-0 truncate">{site.fqdn}</span>}
              <span className="md:hidden">
                {visits} {site.current_cycle_visits === 1 ? 'visit' : 'visits'} · {formatBytes(site.current_storage)}
              </span>
            </div>
          </div>
        </div>
      </Td>
      <Td className="max-sm:hidden">
        <SiteStateBadge site={site} />
      </Td>
      <Td className="min-w-40 max-xl:hidden">
        <SiteLabels labels={site.labels} />
      </Td>
      <Td className="max-lg:hidden">
        <Sparkline values={site.visits_by_day} className="w-28" />
      </Td>
      <Td className={number}>{visits}</Td>
      <Td className={number}>{formatBytes(site.current_storage)}</Td>
      <Td className="whitespace-nowrap text-muted text-xs max-xl:hidden">
        {core_version && <span className="block">WordPress {core_version}</span>}
        {php_version && <span className="block">PHP {php_version}</span>}
        <UpdatesWaiting site={site} />
      </Td>
      <Td className="text-right">
        <a
          href={url}
          target="_blank"
          rel="noreferrer"
          aria-label={`Open ${site.fqdn} in a new tab`}
          className={buttonStyle({ variant: 'ghost', size: 'icon', className: 'relative z-10' })}
        >
          <OpenIcon />
        </a>
      </Td>
    </tr>
  );
}
