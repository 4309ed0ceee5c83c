import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Site } from '#sdk';
import { regionsQuery } from '../../api/regions.ts';
import { propertiesOf } from '../../api/sites.ts';
import { Section } from '../../ui/card.tsx';
import { Definitions } from '../../ui/definitions.tsx';
import { Figures } from '../../ui/figures.tsx';
import { formatBytes, formatCount, formatRatio } from '../../ui/format.ts';
import { DateOnly, Time } from '../../ui/time.tsx';
import { Traffic } from '../../usage/traffic.tsx';
import { siteRanges, siteUsageQuery } from '../../usage/usage-queries.ts';
import { SiteDiagnosis } from './site-diagnosis.tsx';
import { SiteSleep } from './site-sleep.tsx';

export function SiteOverview({ site }: { site: Site }) {
  const { cdn } = propertiesOf(site);
  return (
    <div className="grid grid-cols-1 gap-6 lg:grid-cols-3">
      <div className="lg:col-span-3">
        <Figures
          figures={[
            { name: 'Visits', value: formatCount(site.current_cycle_visits), hint: 'this cycle' },
            { name: 'Bandwidth', value: formatBytes(site.current_cycle_bandwidth), hint: 'this cycle' },
            { name: 'Storage', value: formatBytes(site.current_storage), hint: 'files and database' },
            { name: 'From the cache', value: formatRatio(cdn.cache_hit_ratio), hint: 'of the pages this cycle' },
          ]}
        />
      </div>
      <div className="min-w-0 lg:col-span-2">
        <div className="grid gap-6">
          <Traffic ranges={siteRanges} queryOf={(range) => siteUsageQuery(site.fqdn, range)} />
          <SiteDiagnosis site={site} />
        </div>
      </div>
      <div className="grid content-start gap-6">
        <Details site={site} />
        <Backups site={site} />
        <SiteSleep site={site} />
      </div>
    </div>
  );
}

function Backups({ site }: { site: Site }) {
  const { last_at } = propertiesOf(site).backup;
  return (
    <Section title="Backups" description="Every minute in which something changed.">
      <Definitions
        rows={[
          ['Last', last_at === null ? 'None yet' : <Time key="last" iso={last_at} />],
          ['Oldest', last_at === null ? 'None yet' : <Time key="oldest" iso={site.min_restore_point} />],
        ]}
      />
    </Section>
  );
}

function Details({ site }: { site: Site }) {
  const { core_version, php_version } = propertiesOf(site);
  const region = useQuery(regionsQuery).data?.find(({ id }) => id === site.region_id);
  return (
    <Section title="Details">
      <Definitions
        rows={[
          ['WordPress', core_version ?? 'Not known yet'],
          ['PHP', php_version ?? 'Not known yet'],
          [
            'Team',
            <Link
              key="team"
              to="/teams/$teamId"
              params={{ teamId: site.team_id }}
              className="rounded underline-offset-4 hover:underline"
            >
              {site.team.name}
            </Link>,
          ],
          ['Counts as', site.is_free ? 'The free site of the team' : 'A site of the plan'],
          ['Region', region ? `${region.city}, ${region.country}` : ''],
          ['Created by', site.created_by.full_name],
          ['Created', <DateOnly key="created" iso={site.created_at} />],
        ]}
      />
    </Section>
  );
}
