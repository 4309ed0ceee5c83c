import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Site, SiteDomain } from '#sdk';
import { useMe } from '../../api/session.ts';
import { obstaclesOf } from '../../api/site-rights.ts';
import { BlockedNote } from '../../layout/blocked-note.tsx';
import { Loaded } from '../../layout/loaded.tsx';
import { Badge, type BadgeTone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { PlusIcon } from '../../ui/icons.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { DateOnly, Time } from '../../ui/time.tsx';
import { DomainActions } from './domain-actions.tsx';
import { DomainDialog } from './domain-dialog.tsx';
import { domainRecordsQuery, siteDomainsQuery } from './domain-queries.ts';
import { DomainRecords } from './domain-records.tsx';

/** All the names of a site: what each does, whether it leads here, and its certificate. */
export function DomainList({ site }: { site: Site }) {
  const [adding, setAdding] = useState(false);
  const query = useQuery(siteDomainsQuery(site.fqdn));
  const obstacle = obstaclesOf(site, useMe()).own;
  return (
    <>
      <BlockedNote reason={obstacle} />
      <Section
        title="Domains"
        description="The primary domain is the address of the site. Every other one redirects there, or shows the site as well."
        action={
          <Button disabled={obstacle !== undefined} onClick={() => setAdding(true)}>
            <PlusIcon /> Add domain
          </Button>
        }
        flush
      >
        <DomainDialog site={site} open={adding} onOpenChange={setAdding} />
        <Loaded query={query}>
          {(domains) => (
            <ul className="divide-y divide-line" aria-label="Domains">
              {domains.map((domain) => (
                <DomainRow
                  key={domain.fqdn}
                  site={site}
                  domain={domain}
                  isToSetUp={isToSetUp(domain, domains)}
                  saysReason={domain.certificate.reason !== domains[0]?.certificate.reason || domain === domains[0]}
                  disabled={obstacle !== undefined}
                />
              ))}
            </ul>
          )}
        </Loaded>
      </Section>
    </>
  );
}

/** Its records are what somebody has to do next; those of the primary domain are above. Of a pair the one without www is enough to begin with. */
function isToSetUp({ fqdn, is_primary, verified }: SiteDomain, all: SiteDomain[]): boolean {
  return !is_primary && !verified && !all.some((other) => !other.verified && fqdn === `www.${other.fqdn}`);
}

type DomainRowProps = { site: Site; domain: SiteDomain; isToSetUp: boolean; saysReason: boolean; disabled: boolean };

function DomainRow({ site, domain, isToSetUp, saysReason, disabled }: DomainRowProps) {
  const [shows, setShows] = useState(isToSetUp);
  const { fqdn, is_primary, mode, verified } = domain;
  return (
    <li className="grid gap-3 px-5 py-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <span className="min-w-0 flex-1 basis-48 break-all font-medium">{fqdn}</span>
        <span className="flex flex-wrap items-center gap-1.5 max-sm:order-last max-sm:w-full">
          {is_primary ? (
            <Badge tone="accent">Primary</Badge>
          ) : (
            <Badge>{mode === 'serve' ? 'Shows the site' : 'Redirects'}</Badge>
          )}
          <Badge tone={verified ? 'accent' : 'warn'}>{verified ? 'Points here' : 'Does not point here yet'}</Badge>
          <CertificateBadge certificate={domain.certificate} />
        </span>
        <DomainActions
          site={site}
          domain={domain}
          disabled={disabled}
          showsRecords={shows}
          onShowRecords={() => setShows(!shows)}
        />
      </div>
      <CertificateLine certificate={domain.certificate} saysReason={saysReason} />
      {shows && <LiveRecords site={site} domain={domain} />}
    </li>
  );
}

type CertificateProps = { certificate: SiteDomain['certificate'] };

const CERTIFICATES: Record<SiteDomain['certificate']['state'], [BadgeTone, string]> = {
  none: ['neutral', 'No certificate'],
  pending: ['neutral', 'Certificate on its way'],
  issued: ['accent', 'Certificate'],
  failing: ['danger', 'Certificate failing'],
};

function CertificateBadge({ certificate: { state, source } }: CertificateProps) {
  const [tone, text] = CERTIFICATES[state];
  return <Badge tone={tone}>{state === 'issued' && source === 'own' ? 'Your certificate' : text}</Badge>;
}

/** What is the platform's own doing is the same for every name, and said once. */
function CertificateLine({ certificate, saysReason }: CertificateProps & { saysReason: boolean }) {
  const { state, reason, expires_at, next_try_at } = certificate;
  return (
    <p className="break-words text-muted text-xs empty:hidden">
      {reason && saysReason && `${reason} `}
      {expires_at && (
        <>
          Valid until <DateOnly iso={expires_at} />.{' '}
        </>
      )}
      {state === 'failing' && next_try_at && (
        <>
          Next try: <Time iso={next_try_at} />.
        </>
      )}
    </p>
  );
}

function LiveRecords({ site, domain }: { site: Site; domain: SiteDomain }) {
  const queryClient = useQueryClient();
  const query = useQuery(domainRecordsQuery(site.fqdn, domain.fqdn));
  const isNews = query.data?.verified === true && !domain.verified;
  // The look at its records is what finds out that it leads here.
  useEffect(() => {
    if (isNews) void queryClient.invalidateQueries({ queryKey: siteDomainsQuery(site.fqdn).queryKey });
  }, [isNews, queryClient, site.fqdn]);
  return (
    <div className="grid gap-3">
      <Loaded query={query} loading={<Skeleton className="h-60 rounded-lg" />}>
        {({ records }) => (
          <DomainRecords
            records={records}
            note={records.length === 0 ? 'This is a name of the platform: there is nothing to set up.' : undefined}
          />
        )}
      </Loaded>
      <div>
        <Button variant="secondary" onClick={() => void query.refetch()} pending={query.isFetching}>
          Check again
        </Button>
      </div>
    </div>
  );
}
