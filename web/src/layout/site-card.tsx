import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Site } from '#sdk';
import { propertiesOf, titleOfSite } from '../api/sites.ts';
import { buttonStyle } from '../ui/button.tsx';
import { formatCount } from '../ui/format.ts';
import { OpenIcon } from '../ui/icons.ts';
import { Sparkline } from '../ui/sparkline.tsx';
import { SiteLabels } from './site-labels.tsx';
import { SitePicture } from './site-picture.tsx';
import { SiteStateBadge } from './site-state.tsx';
import { UpdatesWaiting } from './updates-waiting.tsx';

/** A site at a glance; the whole card leads to its page. */
export function SiteCard({ site, select, isFirst }: { site: Site; select?: ReactNode; isFirst?: boolean }) {
  const { url, core_version, php_version } = propertiesOf(site);
  const visits = site.visits_by_day.reduce((sum, day) => sum + day, 0);
  return (
    <article className="group relative grid min-w-0 grid-rows-[auto_1fr] overflow-hidden rounded-xl border border-line bg-surface shadow-card transition-colors hover:border-line-strong has-[:checked]:border-accent">
      <SitePicture site={site} isFirst={isFirst} className="rounded-none border-0 border-line border-b" />
      {select && (
        // It would cover the picture's own logo, so a pointer has to come near; on a screen to touch it is always there.
        <div className="absolute top-2.5 left-2.5 z-10 transition-opacity pointer-fine:[:not(:hover,:focus-within,:has(:checked))>&]:opacity-0">
          {select}
        </div>
      )}
      <div className="grid min-w-0 content-start gap-3 p-4">
        <div className="flex min-w-0 items-start gap-2">
          <div className="min-w-0 flex-1">
            <h3 className="truncate font-semibold">
              <Link
                to="/sites/$fqdn"
                params={{ fqdn: site.fqdn }}
                className="rounded after:absolute after:inset-0 after:rounded-xl focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-accent focus-visible:after:-outline-offset-2"
              >
                {titleOfSite(site)}
              </Link>
            </h3>
            <p className="truncate text-muted text-xs leading-5">{site.fqdn}</p>
          </div>
          <a
            href={url}
            target="_blank"
            rel="noreferrer"
            aria-label={`Open ${site.fqdn} in a new tab`}
            className={buttonStyle({ variant: 'ghost', size: 'icon', className: 'relative z-10 -mt-1 -mr-1.5' })}
          >
            <OpenIcon />
          </a>
        </div>
        <div className="grid grid-cols-[1fr_auto] items-end gap-3">
          <Sparkline values={site.visits_by_day} />
          <p className="text-right text-muted text-xs leading-4">
            <span className="block font-semibold text-fg text-sm tabular-nums">{formatCount(visits)}</span> visits in 14
            days
          </p>
        </div>
        <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1.5 text-muted text-xs">
          <SiteStateBadge site={site} />
          {core_version && <span>WordPress {core_version}</span>}
          {php_version && <span>PHP {php_version}</span>}
          <UpdatesWaiting site={site} />
        </div>
        <SiteLabels labels={site.labels} />
      </div>
    </article>
  );
}

/** As many beside each other as there is room for. */
export function SiteCards({ children }: { children: ReactNode }) {
  return <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,15rem),1fr))] gap-5">{children}</ul>;
}
