import { Link } from '@tanstack/react-router';
import type { Site, StageSite } from '#sdk';
import { titleOfSite } from '../api/sites.ts';
import { StagingIcon } from '../ui/icons.ts';
import { siteLink } from './site-link.ts';

const crumb = 'min-w-0 truncate rounded underline-offset-4 hover:text-fg hover:underline';

type SiteBreadcrumbProps = { site: Site; stage: StageSite | undefined; page: { path: string; label: string } };

/** Team, site, environment and page, the same on every page of a site. */
export function SiteBreadcrumb({ site, stage, page }: SiteBreadcrumbProps) {
  const isOverview = page.path === '';
  return (
    <nav aria-label="Breadcrumb">
      <ol className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 text-muted text-sm [&>li]:flex [&>li]:min-w-0 [&>li]:items-center [&>li]:gap-2 [&>li:not(:first-child)]:before:text-line-strong [&>li:not(:first-child)]:before:content-['/']">
        <li>
          <Link to="/sites" className={crumb}>
            {site.team.name}
          </Link>
        </li>
        <li>
          <Link
            {...siteLink(site.fqdn, '', stage !== undefined)}
            aria-current={isOverview ? 'page' : undefined}
            className={`${crumb} font-medium text-fg`}
          >
            {titleOfSite(site)}
          </Link>
        </li>
        <li>{stage ? 'Staging' : 'Live'}</li>
        {!isOverview && (
          <li>
            <span aria-current="page" className="truncate">
              {page.label}
            </span>
          </li>
        )}
      </ol>
    </nav>
  );
}

/** Banner on every page of a staging site, so that it is not mistaken for the live site. */
export function StagingStrip({ stage }: { stage: StageSite }) {
  return (
    <p className="mb-5 flex flex-wrap items-center gap-x-2.5 gap-y-1 rounded-lg border-warn border-l-4 bg-warn-soft px-3.5 py-2 text-warn-text">
      <StagingIcon />
      <strong className="font-semibold">Staging</strong>
      <span className="min-w-0 break-all">{stage.fqdn}</span>
      <span className="basis-full text-xs sm:ml-auto sm:basis-auto">
        Visitors of the live site do not see changes here.
      </span>
    </p>
  );
}
