import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Site } from '#sdk';
import { chooseTeam } from '../api/current-team.ts';
import { siteQuery, titleOfSite } from '../api/sites.ts';
import { ChevronLeftIcon } from '../ui/icons.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { EnvironmentSwitch } from './environment-switch.tsx';
import { navHeading, navLink } from './nav-link.ts';
import { SiteIcon } from './site-icon.tsx';
import { siteLink } from './site-link.ts';
import { pagesOf, type SitePage } from './site-pages.ts';

type SiteNavProps = { fqdn: string; onNavigate?: (() => void) | undefined };

/** The side bar inside a site: which one it is, live or staging, and its pages. */
export function SiteNav({ fqdn, onNavigate }: SiteNavProps) {
  const { data: site, isError } = useQuery(siteQuery(fqdn));
  const teamId = site?.team_id;
  // Whoever goes back to the list finds the team that they were in.
  useEffect(() => {
    if (teamId) chooseTeam(teamId);
  }, [teamId]);
  return (
    <div className="grid gap-3">
      <Link to="/sites" activeOptions={{ exact: true }} onClick={onNavigate} className={navLink}>
        <ChevronLeftIcon /> All sites
      </Link>
      {site ? <Pages site={site} onNavigate={onNavigate} /> : !isError && <PagesLoading />}
    </div>
  );
}

function Pages({ site, onNavigate }: { site: Site; onNavigate: (() => void) | undefined }) {
  const { pathname, search } = useLocation();
  const isStaging = (search as { env?: string }).env === 'staging';
  const stage = (isStaging && site.site_stage) || undefined;
  const path = pathname.split('/')[3] ?? '';
  const isIn = (pages: SitePage[]) => pages.some((page) => page.path === path);
  const same = {
    live: isIn(pagesOf(site, undefined)) ? path : '',
    staging: site.site_stage && isIn(pagesOf(site, site.site_stage)) ? path : '',
  };
  const pages = isStaging && !stage ? pagesOf(site, undefined).slice(0, 1) : pagesOf(site, stage);
  const row = (page: SitePage) => (
    <li key={page.path}>
      <Link
        {...siteLink(site.fqdn, page.path, isStaging)}
        onClick={onNavigate}
        activeOptions={{ exact: page.path === '', includeSearch: false }}
        className={navLink}
      >
        <page.Icon /> {page.label}
      </Link>
    </li>
  );
  const code = pages.filter(({ group }) => group === 'Code');
  return (
    <>
      <div className="flex min-w-0 items-center gap-2.5 px-2">
        <SiteIcon site={site} className="size-8" />
        <div className="min-w-0">
          <p className="truncate font-semibold" title={titleOfSite(site)}>
            {titleOfSite(site)}
          </p>
          <p className="truncate text-muted text-xs" title={stage?.fqdn ?? site.fqdn}>
            {stage?.fqdn ?? site.fqdn}
          </p>
        </div>
      </div>
      {site.busy !== 'creating' && (
        <>
          <EnvironmentSwitch fqdn={site.fqdn} page={same} onNavigate={onNavigate} />
          <nav aria-label="Site">
            <ul className="grid gap-0.5">{pages.filter(({ group }) => !group).map(row)}</ul>
            {code.length > 0 && (
              <>
                <p className={navHeading}>Code</p>
                <ul className="grid gap-0.5">{code.map(row)}</ul>
              </>
            )}
          </nav>
        </>
      )}
    </>
  );
}

function PagesLoading() {
  return (
    <div aria-hidden="true" className="grid gap-3 px-2">
      <Skeleton className="h-8" />
      <Skeleton className="h-8" />
      <Skeleton className="h-72" />
    </div>
  );
}
