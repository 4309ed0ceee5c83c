import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { PitRestore, Site } from '#sdk';
import { Loaded } from '../../layout/loaded.tsx';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { CancelButton } from '../../ui/dialog.tsx';
import { messageOf } from '../../ui/form.tsx';
import { formatMoment } from '../../ui/format-time.ts';
import { CheckCircleIcon, HistoryIcon } from '../../ui/icons.ts';
import { Sheet } from '../../ui/sheet.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { toast } from '../../ui/toast.tsx';
import { happeningsQuery } from './moments.ts';
import { RawChanges } from './raw-changes.tsx';
import { RestoreLoss } from './restore-loss.tsx';
import { RestoreOptions, type RestoreParts } from './restore-options.tsx';
import { useBeginRestore } from './restores.ts';
import { type RestoreWish, restorePreviewQuery, restoreQuery } from './time-queries.ts';

type RestoreSheetProps = {
  site: Site;
  stage: boolean;
  point: string;
  onClose: () => void;
  onBegun: (restore: PitRestore) => void;
};

/** The last look before a restore: what it takes away and brings back, a try on a copy, and the word to do it. */
export function RestoreSheet({ site, stage, point, onClose, onBegun }: RestoreSheetProps) {
  const [parts, setParts] = useState<RestoreParts>('both');
  const [deletesExtra, setDeletesExtra] = useState(false);
  const wish: RestoreWish = {
    restore_point: point,
    restore_db: parts !== 'files',
    restore_cms_content: parts !== 'database',
    delete_extra_files: deletesExtra && parts !== 'database',
    for_stage_site: stage,
  };
  const begin = useBeginRestore(site.fqdn);
  const isBusy = site.busy !== null;
  const restore = useMutation({
    mutationFn: () => begin(wish),
    onSuccess: (begun) => {
      onBegun(begun);
      onClose();
    },
    onError: (error) => toast.error(messageOf(error)),
  });
  const rehearse = useMutation({
    mutationFn: () => begin({ ...wish, is_dry_run: true }),
    onError: (error) => toast.error(messageOf(error)),
  });
  return (
    <Sheet
      open
      onOpenChange={(open) => open || onClose()}
      title={`Restore to ${formatMoment(point)}`}
      description={`The ${stage ? 'staging site' : 'site'} goes back to this minute. Visitors wait a few seconds. What is there now is kept, so you can undo it.`}
      actions={
        <>
          <Button
            variant="secondary"
            className="mr-auto"
            pending={rehearse.isPending}
            disabled={isBusy}
            title="Restores to a copy that is thrown away, and checks every byte"
            onClick={() => rehearse.mutate()}
          >
            <CheckCircleIcon /> Dry run
          </Button>
          <CancelButton />
          <Button pending={restore.isPending || isBusy} onClick={() => restore.mutate()}>
            <HistoryIcon /> Restore
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-1 gap-5">
        {rehearse.data && <DryRun fqdn={site.fqdn} begun={rehearse.data} />}
        <RestoreOptions parts={parts} onParts={setParts} deletesExtra={deletesExtra} onDeletesExtra={setDeletesExtra} />
        <Loss site={site} stage={stage} wish={wish} />
        <RawChanges site={site} wish={wish} />
      </div>
    </Sheet>
  );
}

/** Told of the site as it is at this moment: comparing keeps it first, and only then is it asked what happened. */
function Loss({ site, stage, wish }: { site: Site; stage: boolean; wish: RestoreWish }) {
  const { restore_point, for_stage_site } = wish;
  const whole = {
    restore_point,
    for_stage_site,
    restore_db: true,
    restore_cms_content: true,
    delete_extra_files: false,
  };
  const compared = useInfiniteQuery({ ...restorePreviewQuery(site.fqdn, whole), enabled: site.busy === null });
  const query = useQuery({
    ...happeningsQuery({ fqdn: site.fqdn, stage }, restore_point),
    enabled: compared.isSuccess || compared.isError,
    refetchOnMount: 'always',
  });
  return (
    <Loaded query={query} loading={<Skeleton className="h-40 rounded-lg" />}>
      {({ happened }) => <RestoreLoss wish={wish} happened={happened} />}
    </Loaded>
  );
}

function DryRun({ fqdn, begun }: { fqdn: string; begun: PitRestore }) {
  const { data = begun } = useQuery(restoreQuery(fqdn, begun.id));
  if (data.finished_at === null)
    return (
      <p role="status" className="flex items-center gap-2.5 text-muted">
        <Spinner /> Restoring to a copy …
      </p>
    );
  return data.failed_reason === null ? (
    <Alert tone="success">The dry run passed: this minute was restored to a copy, and every byte was right.</Alert>
  ) : (
    <Alert tone="danger">{data.failed_reason}</Alert>
  );
}
