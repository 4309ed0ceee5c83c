import { useQuery } from '@tanstack/react-query';
import type { Site } from '#sdk';
import { atLeast } from '../../api/roles.ts';
import { ClaimLines } from '../../layout/claim-record.tsx';
import { Loaded } from '../../layout/loaded.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { ReopenIcon } from '../../ui/icons.ts';
import { DomainList } from './domain-list.tsx';
import { domainClaimQuery, domainQuery } from './domain-queries.ts';
import { DomainRecords } from './domain-records.tsx';

export function SiteDomain({ site }: { site: Site }) {
  return (
    <div className="grid max-w-3xl gap-6">
      <DomainList site={site} />
      {!site.is_testing && <Records site={site} />}
      {!site.is_testing && atLeast(site.team.role, 'member') && <Ownership site={site} />}
    </div>
  );
}

function Records({ site }: { site: Site }) {
  const query = useQuery(domainQuery(site.fqdn));
  const again = (
    <Button variant="secondary" onClick={() => void query.refetch()} pending={query.isFetching}>
      <ReopenIcon /> Check again
    </Button>
  );
  return (
    <Section
      title="DNS records"
      description="What the DNS of the primary domain must say so that visitors and mail find their way."
      action={again}
    >
      <Loaded query={query}>{({ records, note }) => <DomainRecords records={records} note={note} />}</Loaded>
    </Section>
  );
}

function Ownership({ site }: { site: Site }) {
  const query = useQuery(domainClaimQuery(site.fqdn, site.team_id));
  return (
    <Section
      title="Ownership"
      description="With this record in its zone, no other team can claim the domain."
      action={
        query.data && (
          <Badge tone={query.data.seen ? 'accent' : 'neutral'}>{query.data.seen ? 'Seen' : 'Optional'}</Badge>
        )
      }
    >
      <Loaded query={query}>{(claim) => <ClaimLines claim={claim} />}</Loaded>
    </Section>
  );
}
