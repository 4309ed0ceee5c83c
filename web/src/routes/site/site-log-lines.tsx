import type { SiteLogEntry } from '#sdk';
import { Badge } from '../../ui/badge.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { formatBytes, formatDuration } from '../../ui/format.ts';
import { Moment, Time } from '../../ui/time.tsx';

type LogError = Extract<SiteLogEntry, { kind: 'error' }>;
type LogVisit = Extract<SiteLogEntry, { kind: 'access' }>;

export function LogLines({ lines }: { lines: SiteLogEntry[] }) {
  return (
    <ol className="divide-y divide-line">
      {lines.map((line) => (
        <li key={line.id} className="flex items-start gap-3 px-5 py-3.5">
          {line.kind === 'error' && <ErrorLine line={line} />}
          {line.kind === 'access' && <VisitLine line={line} />}
          {line.kind === 'note' && (
            <p className="min-w-0 flex-1 text-muted">
              {line.message} <LineTime iso={line.at} />
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}

export const levels = {
  fatal: { label: 'Fatal error', tone: 'danger' },
  warning: { label: 'Warning', tone: 'warn' },
  notice: { label: 'Notice', tone: 'neutral' },
  deprecated: { label: 'Deprecated', tone: 'neutral' },
  plain: { label: 'Message', tone: 'neutral' },
} as const;

function ErrorLine({ line }: { line: LogError }) {
  const { label, tone } = levels[line.level];
  const place = line.file && `${line.file}${line.line === null ? '' : `:${line.line}`}`;
  const [first = '', ...rest] = line.message.split('\n');
  return (
    <>
      <div className="grid min-w-0 flex-1 gap-1">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted text-xs">
          <Badge tone={tone}>{label}</Badge> <LineTime iso={line.at} />
        </p>
        {rest.length === 0 ? (
          <p className="break-words">{first}</p>
        ) : (
          <details>
            <summary className="cursor-pointer break-words rounded">{first}</summary>
            <pre className="mt-1 whitespace-pre-wrap break-words font-mono text-muted text-xs">{rest.join('\n')}</pre>
          </details>
        )}
        {place && <p className="break-all font-mono text-muted text-xs">{place}</p>}
        {line.request && <p className="break-all font-mono text-muted text-xs">{line.request}</p>}
      </div>
      <CopyButton text={asText(line, place)} label={`Copy: ${first.slice(0, 60)}`} />
    </>
  );
}

/** As it would stand in a file, for whoever is asked about it. */
function asText(line: LogError, place: string | null): string {
  return [`[${line.at}] ${levels[line.level].label}: ${line.message}`, place, line.request].filter(Boolean).join('\n');
}

function VisitLine({ line }: { line: LogVisit }) {
  const tone = line.status >= 500 ? 'danger' : line.status >= 400 ? 'warn' : 'neutral';
  const facts = [formatBytes(line.bytes), line.cache, line.client_address];
  return (
    <div className="grid min-w-0 flex-1 gap-1">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1 lg:flex-nowrap">
        <p className="flex min-w-0 flex-1 basis-80 items-start gap-2">
          <Badge tone={tone}>{line.status}</Badge>
          <span className="min-w-0 break-all font-mono text-xs leading-5.5">
            {line.method} {line.path}
          </span>
        </p>
        <p className="shrink-0 text-muted text-xs tabular-nums leading-5.5">
          <span className={line.duration_ms >= 1000 ? 'font-medium text-warn-text' : undefined}>
            {formatDuration(line.duration_ms)}
          </span>{' '}
          · {facts.filter(Boolean).join(' · ')} · <LineTime iso={line.at} />
        </p>
      </div>
      {(line.user_agent || line.referrer) && (
        <p className="line-clamp-2 break-all text-muted text-xs">
          {[line.referrer && `from ${line.referrer}`, line.user_agent].filter(Boolean).join(' · ')}
        </p>
      )}
    </div>
  );
}

function LineTime({ iso }: { iso: string }) {
  return (
    <span>
      <Time iso={iso} />, <Moment iso={iso} />
    </span>
  );
}
