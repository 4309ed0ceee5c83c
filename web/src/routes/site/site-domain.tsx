import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Site, VerifiedDomain } from '#sdk';
import { atLeast } from '../../api/roles.ts';
import { ClaimLines } from '../../layout/claim-record.tsx';
import { Loaded } from '../../layout/loaded.tsx';
import { Alert } from '../../ui/alert.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { CopyLine } from '../../ui/copy-line.tsx';
import { Empty } from '../../ui/empty.tsx';
import { ReopenIcon, SitesIcon } from '../../ui/icons.ts';
import { domainClaimQuery, domainQuery } from './domain-queries.ts';

type DomainRecord = VerifiedDomain['records'][number];

export function SiteDomain({ site }: { site: Site }) {
  if (site.is_testing)
    return (
      <Section title="Domain" className="max-w-3xl" flush>
        <Empty icon={<SitesIcon />} title="Nothing to set up">
          {site.fqdn} is a name of the platform. To use a domain of your own,{' '}
          <Link
            to="/sites/$fqdn"
            params={{ fqdn: site.fqdn }}
            search={{ tab: 'settings' }}
            className="rounded underline underline-offset-4 hover:no-underline"
          >
            rename the site
          </Link>{' '}
          in its settings.
        </Empty>
      </Section>
    );
  return (
    <div className="grid max-w-3xl gap-6">
      <Records site={site} />
      {atLeast(site.team.role, 'member') && <Ownership site={site} />}
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
      description="What the domain's zone must say so that visitors, and mail of the site, find their way."
      action={again}
    >
      <Loaded query={query}>
        {({ verified, records }) => (
          <div className="grid gap-4">
            <div role="status">
              <Alert tone={verified ? 'success' : 'warn'}>
                {verified ? 'All records are right.' : advice(records)}
              </Alert>
            </div>
            <ul className="divide-y divide-line rounded-lg border border-line">
              {records.map((record) => (
                <RecordRow key={`${record.type} ${record.name}`} record={record} />
              ))}
            </ul>
          </div>
        )}
      </Loaded>
    </Section>
  );
}

function advice(records: DomainRecord[]): string {
  const wrong = records.filter(({ ok }) => !ok).length;
  return `${wrong === 1 ? 'One record is' : `${wrong} records are`} not right yet. Changes can take a while to be seen everywhere.`;
}

function RecordRow({ record: { type, name, expected, found, ok } }: { record: DomainRecord }) {
  return (
    <li className="grid gap-3 p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge>{type}</Badge>
        <code className="min-w-0 flex-1 break-all font-mono text-sm">{name}</code>
        <Badge tone={ok ? 'accent' : 'warn'}>{ok ? 'Right' : 'Not right'}</Badge>
      </div>
      <dl className="grid gap-3">
        <div className="grid gap-1.5">
          <dt className="text-muted text-xs">Must be</dt>
          <dd>
            {expected === '' ? <Unsaid type={type} /> : <CopyLine text={expected} label={`Copy the ${type} record`} />}
          </dd>
        </div>
        {!ok && (
          <div className="grid gap-1.5">
            <dt className="text-muted text-xs">Is now</dt>
            <dd className="break-all font-mono text-xs">
              {found.length > 0 ? found.join(', ') : <span className="font-sans text-muted">Not there</span>}
            </dd>
          </div>
        )}
      </dl>
    </li>
  );
}

/** A key that only members see, or a record that must go. */
function Unsaid({ type }: { type: DomainRecord['type'] }) {
  const text = type === 'TXT' ? 'Only members, admins and the owner see it.' : 'No such record: remove it.';
  return <span className="text-muted text-sm">{text}</span>;
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
