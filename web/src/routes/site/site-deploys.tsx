import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Event, Site } from '#sdk';
import { Badge } from '../../ui/badge.tsx';
import { Section } from '../../ui/card.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { Moment, TextWithMoments, Time } from '../../ui/time.tsx';
import { deploysQuery } from './site-queries.ts';

const SHOWN = 10;

/** What the event of a sync says of it. */
type Deploy = {
  step?: string;
  failure?: string;
  result?: {
    hash: string | null;
    subject: string | null;
    author: string | null;
    undo_point: string | null;
    files_added?: number;
    files_changed?: number;
    files_deleted?: number;
    overwritten: string[];
    overwritten_count: number;
    lfs_pointers: string[];
    checks: { page: string; before: number | null; after: number | null }[];
  };
};

export function SiteDeploys({ site, isStage }: { site: Site; isStage: boolean }) {
  const events = useQuery(deploysQuery(site.fqdn)).data?.results ?? [];
  const isShown = ({ event_type, scope }: Event) => event_type === 'git.synced' && (scope === 'stage') === isStage;
  const deploys = events.filter(isShown).slice(0, SHOWN);
  if (deploys.length === 0) return null;
  return (
    <Section title="Last deploys" flush>
      <ol className="divide-y divide-line">
        {deploys.map((event) => (
          <DeployRow key={event.id} site={site} event={event} />
        ))}
      </ol>
    </Section>
  );
}

function DeployRow({ site, event }: { site: Site; event: Event }) {
  const { step, failure, result } = event.detail as Deploy;
  return (
    <li className="grid gap-1 px-5 py-3.5">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        {result?.hash && <CommitHash hash={result.hash} />}
        <span className="min-w-0 flex-1 break-words font-medium">
          {result?.subject || <TextWithMoments text={event.activity} />}
        </span>
        {event.finished_at === null ? (
          <Badge tone="accent">
            <Spinner className="size-3" /> {step ?? 'Waiting'}
          </Badge>
        ) : (
          <Badge tone={failure ? 'danger' : 'neutral'}>{failure ? 'Failed' : 'Deployed'}</Badge>
        )}
      </div>
      {failure && <p className="break-words text-danger-text">{failure}</p>}
      {result && <Changes result={result} />}
      <p className="text-muted text-xs">
        {result?.author && `${result.author} · `}
        <Time iso={event.created_at} />
        {result?.undo_point && !failure && (
          <>
            {' · '}
            <Link
              to="/sites/$fqdn/time"
              params={{ fqdn: site.fqdn }}
              search={{ ...(event.scope === 'stage' && { env: 'staging' as const }), at: result.undo_point }}
              className="rounded underline underline-offset-4"
            >
              See the minute before it (<Moment iso={result.undo_point} />)
            </Link>
          </>
        )}
      </p>
    </li>
  );
}

function Changes({ result }: { result: NonNullable<Deploy['result']> }) {
  const {
    files_added = 0,
    files_changed = 0,
    files_deleted = 0,
    overwritten,
    overwritten_count,
    lfs_pointers,
    checks,
  } = result;
  return (
    <>
      <p className="text-muted">
        {files_added} added, {files_changed} changed, {files_deleted} removed
      </p>
      <p className="text-muted">{checks.map(({ page, after }) => `${page} ${after ?? 'no answer'}`).join(', ')}</p>
      <Paths label={`${overwritten_count} overwritten that had been changed on the site`} paths={overwritten} />
      <Paths label={`${lfs_pointers.length} of Git LFS, not deployed`} paths={lfs_pointers} />
    </>
  );
}

function Paths({ label, paths }: { label: string; paths: string[] }) {
  if (paths.length === 0) return null;
  return (
    <details>
      <summary className="w-fit cursor-pointer rounded text-muted">{label}</summary>
      <ul className="mt-1 grid gap-0.5 font-mono text-xs">
        {paths.map((path) => (
          <li key={path} className="break-all">
            {path}
          </li>
        ))}
      </ul>
    </details>
  );
}

export function CommitHash({ hash }: { hash: string }) {
  return <code className="font-mono text-xs">{hash.slice(0, 10)}</code>;
}
