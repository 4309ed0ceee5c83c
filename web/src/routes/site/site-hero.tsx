import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Site } from '#sdk';
import { propertiesOf, stateOf } from '../../api/sites.ts';
import { siteLink } from '../../layout/site-link.ts';
import { SitePicture } from '../../layout/site-picture.tsx';
import { UpdatesWaiting } from '../../layout/updates-waiting.tsx';
import { Card } from '../../ui/card.tsx';
import { cx } from '../../ui/cx.ts';
import { formatBytes } from '../../ui/format.ts';
import { formatMoment } from '../../ui/format-time.ts';
import { LockIcon, OpenIcon } from '../../ui/icons.ts';
import { DateOnly, Time } from '../../ui/time.tsx';
import { SiteCare } from './site-care.tsx';

/** What the site looks like, whether visitors get to it, and what it needs day by day. */
export function SiteHero({ site }: { site: Site }) {
  const { url, backup } = propertiesOf(site);
  const { kind, reason } = stateOf(site);
  const { since } = site.reachability;
  return (
    <Card className="grid gap-6 p-5 md:grid-cols-[minmax(0,22rem)_minmax(0,1fr)] lg:grid-cols-[minmax(0,26rem)_minmax(0,1fr)]">
      <a
        href={url}
        target="_blank"
        rel="noreferrer"
        aria-label={`Open ${site.fqdn}`}
        className="block self-start rounded-lg transition-opacity hover:opacity-90"
      >
        <SitePicture site={site} isFirst />
      </a>
      <div className="grid min-w-0 content-between gap-5">
        <dl className="grid grid-cols-2 gap-x-6 gap-y-4 xl:grid-cols-3">
          <Fact name="Visitors" className="col-span-full">
            {reason ?? sentences[kind]}
            {since !== null && ` Since ${formatMoment(since)}.`}
          </Fact>
          <Fact name="Domain" className="max-sm:col-span-full">
            <a
              href={url}
              target="_blank"
              rel="noreferrer"
              className="break-all rounded underline-offset-4 hover:underline"
            >
              {site.fqdn} <OpenIcon className="inline size-3 align-baseline text-muted" />
            </a>
          </Fact>
          <Fact name="Certificate">
            <Certificate site={site} />
          </Fact>
          <Fact name="Last backup">
            <Link
              to="/sites/$fqdn/time"
              params={{ fqdn: site.fqdn }}
              className="rounded underline-offset-4 hover:underline"
            >
              {backup.last_at === null ? 'None yet' : <Time iso={backup.last_at} />}
            </Link>
          </Fact>
          <Fact name="Updates">
            <Link {...siteLink(site.fqdn, 'plugins', false)} className="rounded underline-offset-4 hover:underline">
              {site.updates_waiting === 0 ? 'None known' : <UpdatesWaiting site={site} />}
            </Link>
          </Fact>
          <Fact name="Storage">{formatBytes(site.current_storage)}</Fact>
          <Fact name="Bandwidth this cycle">{formatBytes(site.current_cycle_bandwidth)}</Fact>
        </dl>
        <SiteCare site={site} />
      </div>
    </Card>
  );
}

const sentences: Partial<Record<ReturnType<typeof stateOf>['kind'], string>> = {
  live: 'Open to everyone.',
  busy: 'Visitors wait until it is done.',
};

function Fact({ name, className, children }: { name: string; className?: string; children: ReactNode }) {
  return (
    <div className={cx('min-w-0', className)}>
      <dt className="text-muted text-xs">{name}</dt>
      <dd className="mt-1">{children}</dd>
    </div>
  );
}

function Certificate({ site }: { site: Site }) {
  const { state, expires_at, reason } = site.reachability.certificate;
  if (state === 'issued' || expires_at !== null)
    return (
      <span className="inline-flex items-center gap-1.5">
        <LockIcon className="size-3.5 text-accent-text" /> Until {expires_at && <DateOnly iso={expires_at} />}
      </span>
    );
  const isPlain = propertiesOf(site).url.startsWith('http:');
  const word = {
    pending: 'Being issued',
    failing: 'Not issued yet',
    none: isPlain ? 'None (plain HTTP)' : 'Issued elsewhere',
  }[state];
  return <span title={reason ?? undefined}>{word}</span>;
}
