import { useMutation, useQuery } from '@tanstack/react-query';
import type { Backup, BreakSearch, Site } from '#sdk';
import { api } from '../../api/client.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { messageOf } from '../../ui/form.tsx';
import { HistoryIcon } from '../../ui/icons.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { Moment } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { type Minute, minuteOf } from './backups.ts';
import { MomentIcon } from './moment-icon.tsx';
import { happeningsQuery } from './moments.ts';

type BreakOutcomeProps = { site: Site; search: BreakSearch; onChoose: (minute: Minute) => void };

/** How far the search is, and what it found. */
export function BreakOutcome({ site, search, onChoose }: BreakOutcomeProps) {
  const { state, looks, of, bad_point, good_point, failure } = search;
  if (state === 'searching')
    return (
      <p role="status" className="mt-5 flex items-center gap-2 text-muted">
        <Spinner className="size-4" /> {looks === 0 ? 'Starting …' : `Looked at ${looks} of ${of} kept minutes …`}
      </p>
    );
  if (state === 'failed')
    return (
      <Alert tone="danger" className="mt-5">
        {failure ?? 'The search failed.'}
      </Alert>
    );
  if (state === 'never_broken')
    return (
      <Alert tone="success" className="mt-5">
        The page is fine in every minute that is kept.
      </Alert>
    );
  if (!bad_point || !good_point)
    return <Alert className="mt-5">The page was not fine even in the first minute that is kept.</Alert>;
  return <Found site={site} search={search} bad={bad_point} good={good_point} onChoose={onChoose} />;
}

function Found({ site, search, bad, good, onChoose }: BreakOutcomeProps & { bad: string; good: string }) {
  const { looks, of } = search;
  const show = useMutation({
    mutationFn: async (restore_point: string) =>
      minuteOf((await api.getBackups({ params: { fqdn: site.fqdn }, query: { restore_point } })) as Backup),
    onSuccess: onChoose,
    onError: (error) => toast.error(messageOf(error)),
  });
  return (
    <section aria-label="When it broke" className="mt-5 rounded-lg border border-line">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3 border-line border-b px-4 py-3.5">
        <div className="min-w-0 flex-1 basis-56">
          <p className="font-medium" role="status">
            It broke at <Moment iso={bad} />
          </p>
          <p className="mt-0.5 text-muted text-xs">
            Found after a look at {looks} of {of} kept minutes. The minute before is fine.
          </p>
        </div>
        <Button pending={show.isPending} onClick={() => show.mutate(good)}>
          <HistoryIcon /> Go to the minute before
        </Button>
      </div>
      <WhatChanged site={site} search={search} bad={bad} good={good} />
    </section>
  );
}

/** In words of WordPress where it has some; every table and file is below. */
function WhatChanged({ site, search, bad, good }: Omit<BreakOutcomeProps, 'onChoose'> & { bad: string; good: string }) {
  const told = useQuery(happeningsQuery({ fqdn: site.fqdn, stage: false }, good, bad));
  const { changes } = search;
  const words = told.data?.happened ?? [];
  const isUntold = !told.isPending && words.length === 0;
  return (
    <div className="grid gap-3 px-4 py-3.5">
      <h3 className="font-medium text-muted text-xs">What changed in that minute</h3>
      {told.isPending && <Skeleton className="h-6 rounded-lg" />}
      {words.length > 0 && (
        <ul className="grid gap-1.5">
          {words.map(({ kind, text }) => (
            <li key={text} className="flex items-center gap-2.5">
              <MomentIcon kind={kind} className="size-6" />
              <span className="min-w-0">{text}</span>
            </li>
          ))}
        </ul>
      )}
      {changes.length > 0 && (
        <details open={isUntold} className="text-xs">
          <summary className="w-max cursor-pointer rounded text-muted hover:text-fg">Tables and files</summary>
          <ul className="mt-2 grid max-h-48 gap-1 overflow-auto font-mono">
            {changes.map(({ kind, name, change }) => (
              <li key={`${kind} ${name}`}>
                {kind === 'table' ? `Table ${name}` : name}: {change}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
