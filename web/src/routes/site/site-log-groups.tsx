import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { SiteError } from '#sdk';
import type { Place } from '../../api/sites.ts';
import { Loaded } from '../../layout/loaded.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { formatCount } from '../../ui/format.ts';
import { HistoryIcon } from '../../ui/icons.ts';
import { Pager } from '../../ui/pager.tsx';
import { Time } from '../../ui/time.tsx';
import { levels } from './site-log-lines.tsx';
import { siteErrorsQuery } from './site-log-queries.ts';

/** Each error once, with how often it happened and when it began. */
export function ErrorGroups({ place, isLive, nothing }: { place: Place; isLive: boolean; nothing: ReactNode }) {
  const [page, setPage] = useState(1);
  const query = useQuery(siteErrorsQuery(place, page, isLive));
  return (
    <Card className="overflow-hidden">
      <Loaded query={query}>
        {(errors) => (
          <>
            {errors.results.length === 0 ? (
              nothing
            ) : (
              <ol className="divide-y divide-line">
                {errors.results.map((error) => (
                  <Group key={error.id} error={error} place={place} />
                ))}
              </ol>
            )}
            <Pager page={errors} onPage={setPage} />
          </>
        )}
      </Loaded>
    </Card>
  );
}

function Group({ error, place }: { error: SiteError; place: Place }) {
  const { label, tone } = levels[error.level];
  const [first = '', ...rest] = error.message.split('\n');
  return (
    <li className="flex flex-wrap items-start gap-x-6 gap-y-2 px-5 py-4 lg:flex-nowrap">
      <div className="grid min-w-0 flex-1 basis-80 gap-1">
        <p className="flex flex-wrap items-center gap-2">
          <Badge tone={tone}>{label}</Badge>
          <span className="font-medium text-xs tabular-nums">
            {formatCount(error.count)} {error.count === 1 ? 'time' : 'times'}
          </span>
        </p>
        {rest.length === 0 ? (
          <p className="break-words">{first}</p>
        ) : (
          <details>
            <summary className="cursor-pointer break-words rounded">{first}</summary>
            <pre className="mt-1 whitespace-pre-wrap break-words font-mono text-muted text-xs">{rest.join('\n')}</pre>
          </details>
        )}
        {error.file && (
          <p className="break-all font-mono text-muted text-xs">
            {error.file}
            {error.line !== null && `:${error.line}`}
          </p>
        )}
        {error.request && <p className="break-all font-mono text-muted text-xs">{error.request}</p>}
      </div>
      <dl className="grid shrink-0 gap-x-3 gap-y-1 text-xs sm:grid-cols-[auto_auto] lg:text-right">
        <dt className="text-muted">First seen</dt>
        <dd>
          <Time iso={error.first_at} />
        </dd>
        <dt className="text-muted">Last seen</dt>
        <dd>
          <Time iso={error.last_at} />
        </dd>
        <dd className="col-span-full mt-1">
          <Link
            to="/sites/$fqdn/time"
            params={{ fqdn: place.fqdn }}
            search={{ ...(place.stage && { env: 'staging' as const }), at: error.first_at }}
            className="inline-flex items-center gap-1.5 rounded font-medium underline-offset-4 hover:underline"
          >
            <HistoryIcon className="size-3.5" /> The minute it began
          </Link>
        </dd>
      </dl>
    </li>
  );
}
