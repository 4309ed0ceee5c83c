import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Site } from '#sdk';
import { placeOf, regionsQuery } from '../../api/regions.ts';
import { propertiesOf } from '../../api/sites.ts';
import { Section } from '../../ui/card.tsx';
import { Definitions } from '../../ui/definitions.tsx';
import { DateOnly, Time } from '../../ui/time.tsx';
import { SiteTraffic } from '../../usage/site-traffic.tsx';
import { SiteDiagnosis } from './site-diagnosis.tsx';
import { SiteHero } from './site-hero.tsx';

export function SiteOverview({ site }: { site: Site }) {
  return (
    <div className="grid grid-cols-1 gap-6">
      <SiteHero site={site} />
      <SiteTraffic fqdn={site.fqdn} />
      <div className="grid grid-cols-1 gap-6 lg:grid-cols-3">
        <div className="min-w-0 lg:col-span-2">
          <SiteDiagnosis site={site} />
        </div>
        <Details site={site} />
      </div>
    </div>
  );
}

function Details({ site }: { site: Site }) {
  const { core_version, php_version, backup } = propertiesOf(site);
  const region = useQuery(regionsQuery).data?.find(({ id }) => id === site.region_id);
  return (
    <Section title="Details">
      <Definitions
        rows={[
          ['WordPress', core_version ?? 'Not known yet'],
          ['PHP', php_version ?? 'Not known yet'],
          ['Oldest backup', backup.last_at === null ? 'None yet' : <Time key="oldest" iso={site.min_restore_point} />],
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
          ['Plan', site.is_free ? "The team's free site" : 'Counts towards the plan'],
          ['Region', region ? placeOf(region) : '…'],
          ['Created', <DateOnly key="created" iso={site.created_at} />],
          ['Created by', site.created_by.full_name],
        ]}
      />
    </Section>
  );
}
