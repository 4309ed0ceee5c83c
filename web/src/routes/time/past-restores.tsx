import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { PitRestore, Site } from '#sdk';
import { Listing } from '../../layout/listing.tsx';
import { Loaded } from '../../layout/loaded.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { HistoryIcon } from '../../ui/icons.ts';
import { Time } from '../../ui/time.tsx';
import { summaryOf, titleOfRestore } from './restore-summary.ts';
import { undoOf } from './restores.ts';
import { restoreReportQuery, restoresQuery } from './time-queries.ts';
import { UndoButton } from './undo-button.tsx';

type PastRestoresProps = { site: Site; stage: boolean; onBegun: (restore: PitRestore) => void };

export function PastRestores({ site, stage, onBegun }: PastRestoresProps) {
  const [page, setPage] = useState(1);
  const [reported, setReported] = useState<PitRestore>();
  const query = useQuery(restoresQuery({ fqdn: site.fqdn, stage }, page));
  return (
    <Section title="Restores" description="Every restore can be undone: what it replaced is kept." flush>
      <Listing
        query={query}
        onPage={setPage}
        empty={
          <Empty icon={<HistoryIcon />} title="No restore yet">
            Restores and dry runs are listed here.
          </Empty>
        }
      >
        {(restores) => (
          <ul className="divide-y divide-line">
            {restores.map((restore) => (
              <PastRestore
                key={restore.id}
                site={site}
                stage={stage}
                restore={restore}
                onBegun={onBegun}
                onReport={() => setReported(restore)}
              />
            ))}
          </ul>
        )}
      </Listing>
      <Dialog
        open={reported !== undefined}
        onOpenChange={() => setReported(undefined)}
        title={reported?.is_dry_run ? 'Report of the dry run' : 'Report of the restore'}
        wide
      >
        {reported && <Report fqdn={site.fqdn} restoreId={reported.id} />}
      </Dialog>
    </Section>
  );
}

type PastRestoreProps = PastRestoresProps & { restore: PitRestore; onReport: () => void };

function PastRestore({ site, stage, restore, onBegun, onReport }: PastRestoreProps) {
  const undo = undoOf(restore, stage);
  const halves = [restore.restore_cms_content && 'files', restore.restore_db && 'database']
    .filter(Boolean)
    .join(' and ');
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-5 py-3.5">
      <div className="min-w-0 flex-1 basis-60">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <span className="font-medium">{titleOfRestore(restore)}</span>
          <OutcomeBadge restore={restore} />
        </p>
        <p className="mt-0.5 text-muted">
          {restore.failed_reason ?? (restore.finished_at ? summaryOf(restore) : 'In progress …')}
        </p>
        <p className="mt-0.5 text-muted text-xs">
          <Time iso={restore.created_at} /> · {halves}
        </p>
      </div>
      <div className="flex gap-2">
        {undo && <UndoButton site={site} wish={undo} onBegun={onBegun} />}
        <Button variant="secondary" size="sm" onClick={onReport}>
          Report
        </Button>
      </div>
    </li>
  );
}

function OutcomeBadge({ restore }: { restore: PitRestore }) {
  const { finished_at, failed_reason, is_dry_run, is_undone, undoes } = restore;
  if (finished_at === null) return <Badge tone="warn">Running</Badge>;
  if (failed_reason !== null) return <Badge tone="danger">Failed</Badge>;
  if (is_undone) return <Badge>Undone</Badge>;
  if (undoes) return <Badge>Undo</Badge>;
  return is_dry_run ? <Badge>Dry run passed</Badge> : <Badge tone="accent">Restored</Badge>;
}

/** It scrolls in a box of its own, which the keyboard must be able to reach. */
const reportBox = { tabIndex: 0, role: 'region', 'aria-label': 'Report' } as const;

function Report({ fqdn, restoreId }: { fqdn: string; restoreId: string }) {
  const query = useInfiniteQuery(restoreReportQuery(fqdn, restoreId));
  return (
    <Loaded query={{ ...query, data: query.data?.pages.map(({ text }) => text).join('') }}>
      {(text) => (
        <div className="grid gap-3">
          <div {...reportBox} className="max-h-[60vh] overflow-auto rounded-lg bg-raised p-4">
            <pre className="whitespace-pre-wrap font-mono text-xs">{text}</pre>
          </div>
          {query.hasNextPage && (
            <Button
              variant="secondary"
              className="justify-self-center"
              pending={query.isFetchingNextPage}
              onClick={() => void query.fetchNextPage()}
            >
              Show more
            </Button>
          )}
        </div>
      )}
    </Loaded>
  );
}
