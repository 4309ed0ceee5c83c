import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { PitRestore, Site } from '#sdk';
import type { Progress } from '../../api/events.ts';
import type { Place } from '../../api/sites.ts';
import { Alert } from '../../ui/alert.tsx';
import { Card } from '../../ui/card.tsx';
import { formatAmount, formatBytes, formatCount } from '../../ui/format.ts';
import { formatMoment } from '../../ui/format-time.ts';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { Moment } from '../../ui/time.tsx';
import { summaryOf } from './restore-summary.ts';
import { undoOf, useProgress } from './restores.ts';
import { restoreQuery, restoresQuery } from './time-queries.ts';
import { UndoButton } from './undo-button.tsx';

/** The restore to show: the one that was begun here, or else whichever is running. */
export function useWatchedRestore(place: Place) {
  const [watched, setWatched] = useState<{ id: string; isOwn: boolean }>();
  const { data } = useQuery(restoresQuery(place, 1));
  const running = data?.results.find(({ finished_at }) => finished_at === null)?.id;
  // It stays in sight when it has ended, for whoever watched.
  if (running !== undefined && watched === undefined) setWatched({ id: running, isOwn: false });
  return { watched, watch: ({ id }: PitRestore) => setWatched({ id, isOwn: true }) };
}

type RestoreStatusProps = {
  site: Site;
  stage: boolean;
  restoreId: string;
  /** Whether it was begun here, by a hand that may be further down the page. */
  isOwn: boolean;
  onBegun: (restore: PitRestore) => void;
};

/** How far a restore is; then what came of it, and the way back. */
export function RestoreStatus({ site, stage, restoreId, isOwn, onBegun }: RestoreStatusProps) {
  const box = useRef<HTMLDivElement>(null);
  const { data: restore } = useQuery(restoreQuery(site.fqdn, restoreId));
  const isKnown = restore !== undefined;
  useEffect(() => {
    if (isOwn && isKnown) box.current?.scrollIntoView({ block: 'nearest' });
  }, [isOwn, isKnown]);
  if (!restore) return null;
  return (
    <div ref={box} role="status">
      {restore.finished_at ? <Outcome {...{ site, stage, restore, onBegun }} /> : <Running restore={restore} />}
    </div>
  );
}

function Running({ restore }: { restore: PitRestore }) {
  const progress = useProgress(restore.id);
  return (
    <Card className="grid gap-3 px-5 py-4">
      <p className="flex items-center gap-2.5 font-medium">
        <Spinner /> {restore.is_dry_run ? 'Dry run of' : 'Restoring'}{' '}
        <Moment iso={restore.backup_point ?? restore.restore_point} />
      </p>
      <ProgressBar label="Progress of the restore" percentage={progress ? percentageOf(progress) : null} />
      {/* It changes several times a second: to be looked at, not to be read out. */}
      <p aria-live="off" className="text-muted text-xs tabular-nums">
        {progress ? describe(progress) : 'Waiting for its turn …'}
      </p>
    </Card>
  );
}

const steps: Record<string, string> = {
  reading: 'Looking at the site as it is',
  writing: 'Writing files beside the site',
  tables: 'Changing tables',
  placing: 'Putting files in their place',
  verifying: 'Reading everything back',
};

function percentageOf(progress: Progress): number | null {
  const { bytes, bytes_total, files, files_total, tables, tables_total } = progress;
  const [done, total] = bytes_total
    ? [bytes, bytes_total]
    : files_total
      ? [files, files_total]
      : [tables, tables_total];
  return total ? Math.min(100, Math.round((100 * done) / total)) : null;
}

function describe(progress: Progress): string {
  const { step, files, files_total, bytes, bytes_total, tables, tables_total, estimated_seconds } = progress;
  const of = (done: number, total: number | null, format = formatCount) =>
    total === null ? format(done) : `${format(done)} of ${format(total)}`;
  const parts = [
    (files || files_total) && `${of(files, files_total)} files`,
    (bytes || bytes_total) && of(bytes, bytes_total, formatBytes),
    (tables || tables_total) && `${of(tables, tables_total)} tables`,
    estimated_seconds !== null && `about ${formatAmount(Math.max(1, Math.round(estimated_seconds)), 'second')} left`,
  ].filter(Boolean);
  return [steps[step] ?? step, ...parts].join(' · ');
}

type OutcomeProps = Pick<RestoreStatusProps, 'site' | 'stage' | 'onBegun'> & { restore: PitRestore };

function Outcome({ site, stage, restore, onBegun }: OutcomeProps) {
  const undo = undoOf(restore, stage);
  const moment = formatMoment(restore.backup_point ?? restore.restore_point);
  if (restore.failed_reason !== null) return <Alert tone="danger">{restore.failed_reason}</Alert>;
  if (restore.is_dry_run)
    return (
      <Alert tone="success">
        The dry run passed: {moment} was restored to a copy, and every byte was right. {summaryOf(restore)}
      </Alert>
    );
  return (
    <Alert tone="success" action={undo && <UndoButton site={site} wish={undo} onBegun={onBegun} />}>
      {restore.undoes && 'Undone. '}The {stage ? 'staging site' : 'site'} is back at {moment}. {summaryOf(restore)}
    </Alert>
  );
}
