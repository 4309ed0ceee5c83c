import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { TicketContext as Context } from '#sdk';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { Definitions } from '../ui/definitions.tsx';
import { capitalise } from '../ui/format.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { TextWithMoments, Time } from '../ui/time.tsx';
import { Loaded } from './loaded.tsx';

type Query = { data: Context | undefined; error: unknown; refetch: () => unknown };

/** What whoever answers would look up first: the site, its versions, its last errors, what changed. */
export function TicketContext({ query, asSupport }: { query: Query; asSupport?: boolean }) {
  return (
    <Card className="divide-y divide-line">
      <Loaded query={query} loading={<Loading />}>
        {({ site, team, errors, changes }) => (
          <>
            <Part title={site ? 'Site' : 'Team'}>
              <Definitions
                rows={[
                  ...(site
                    ? ([
                        ['Name', <SiteLink key="name" site={site} asSupport={asSupport} />],
                        ['State', site.busy ? capitalise(site.busy) : site.is_sleeping ? 'Sleeping' : 'Running'],
                        ['WordPress', site.wordpress_version ?? '–'],
                        ['PHP', site.php_version ?? '–'],
                      ] as [string, ReactNode][])
                    : []),
                  ['Team', <TeamLink key="team" team={team} asSupport={asSupport} />],
                  ['Plan', capitalise(team.plan_type_name)],
                ]}
              />
            </Part>
            {site && (
              <Part title="Last errors">
                {errors.length === 0 && <p className="text-muted">None in its log.</p>}
                <ul className="grid gap-3">
                  {errors.map((error) => (
                    <li key={`${error.at}${error.message}`} className="min-w-0">
                      <div className="flex items-center gap-2">
                        <Badge tone={error.level === 'fatal' ? 'danger' : 'neutral'}>{capitalise(error.level)}</Badge>
                        <Time iso={error.at} className="text-muted text-xs" />
                      </div>
                      <p className="mt-1 break-words font-mono text-xs leading-5">{error.message}</p>
                      {error.file && (
                        <p className="break-all font-mono text-muted text-xs">
                          {error.file}
                          {error.line && `:${error.line}`}
                        </p>
                      )}
                    </li>
                  ))}
                </ul>
              </Part>
            )}
            <Part title={site ? 'Last changes' : 'Last activity'}>
              {changes.length === 0 && <p className="text-muted">Nothing yet.</p>}
              <ul className="grid gap-2.5">
                {changes.map((event) => (
                  <li key={event.id}>
                    <p className="line-clamp-2">
                      <TextWithMoments text={event.activity} />
                    </p>
                    <Time iso={event.created_at} className="text-muted text-xs" />
                  </li>
                ))}
              </ul>
            </Part>
          </>
        )}
      </Loaded>
    </Card>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="px-4 py-4">
      <h2 className="mb-2.5 font-medium text-muted text-xs">{title}</h2>
      {children}
    </section>
  );
}

const link = 'rounded underline-offset-4 hover:underline wrap-anywhere';

function SiteLink({ site, asSupport }: { site: NonNullable<Context['site']>; asSupport: boolean | undefined }) {
  if (asSupport)
    return (
      <Link to="/operator/sites/$siteId" params={{ siteId: site.id }} className={link}>
        {site.fqdn}
      </Link>
    );
  return (
    <Link to="/sites/$fqdn" params={{ fqdn: site.fqdn }} className={link}>
      {site.fqdn}
    </Link>
  );
}

function TeamLink({ team, asSupport }: { team: Context['team']; asSupport: boolean | undefined }) {
  return (
    <Link to={asSupport ? '/operator/teams/$teamId' : '/teams/$teamId'} params={{ teamId: team.id }} className={link}>
      {team.name}
    </Link>
  );
}

function Loading() {
  return (
    <div role="status" className="grid gap-3 p-4">
      <span className="sr-only">Loading</span>
      {[...Array(6).keys()].map((row) => (
        <Skeleton key={row} className="h-3.5" />
      ))}
    </div>
  );
}
