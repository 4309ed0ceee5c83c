import { useState } from 'react';
import type { Backup, PitRestore, Site } from '#sdk';
import { atLeast } from '../../api/roles.ts';
import { useMe } from '../../api/session.ts';
import { obstaclesOf } from '../../api/site-rights.ts';
import { BlockedNote } from '../../layout/blocked-note.tsx';
import { Section } from '../../ui/card.tsx';
import { formatAmount, formatBytes } from '../../ui/format.ts';
import { formatMoment, Time } from '../../ui/time.tsx';
import type { Minute } from './backups.ts';
import { RestoreActions } from './restore-actions.tsx';
import { RestoreOptions, type RestoreParts } from './restore-options.tsx';
import { RestorePreview } from './restore-preview.tsx';
import type { RestoreWish } from './time-queries.ts';

type ChosenMinuteProps = { site: Site; stage: boolean; minute: Minute; onBegun: (restore: PitRestore) => void };

/** One minute: what it brought, what going back to it would do, and the way back. */
export function ChosenMinute({ site, stage, minute, onBegun }: ChosenMinuteProps) {
  const obstacle = obstaclesOf(site, useMe()).change;
  const [parts, setParts] = useState<RestoreParts>('both');
  const [deletesExtra, setDeletesExtra] = useState(false);
  const { backup } = minute;
  const wish: RestoreWish = {
    restore_point: backup.created_at,
    restore_db: parts !== 'files',
    restore_cms_content: parts !== 'database',
    delete_extra_files: deletesExtra && parts !== 'database',
    for_stage_site: stage,
  };
  return (
    <Section
      title={formatMoment(backup.created_at)}
      description={
        <>
          <Time iso={backup.created_at} /> · {broughtBy(backup)}
        </>
      }
    >
      {!backup.is_consistent && (
        <p className="mb-4 text-muted">
          Files were changing all the time, so files and database of this minute may be some moments apart.
        </p>
      )}
      {!atLeast(site.team.role, 'member') ? (
        <BlockedNote reason={obstacle} />
      ) : (
        <div className="grid grid-cols-1 gap-6">
          <RestoreActions site={site} wish={wish} onBegun={onBegun} />
          <RestoreOptions
            parts={parts}
            onParts={setParts}
            deletesExtra={deletesExtra}
            onDeletesExtra={setDeletesExtra}
          />
          <RestorePreview site={site} wish={wish} />
        </div>
      )}
    </Section>
  );
}

/** What this minute changed against the one before it. */
function broughtBy({ files_added, files_changed, files_removed, tables_saved, stored_bytes }: Backup): string {
  const files = [
    files_added && `${formatAmount(files_added, 'file')} added`,
    files_changed && `${formatAmount(files_changed, 'file')} changed`,
    files_removed && `${formatAmount(files_removed, 'file')} removed`,
  ].filter(Boolean);
  const named = tables_saved.slice(0, 4).join(', ');
  const more = tables_saved.length > 4 ? ` and ${tables_saved.length - 4} more` : '';
  const tables = tables_saved.length > 0 ? [`written to ${named}${more}`] : [];
  return `${[...files, ...tables].join(', ') || 'nothing changed'} · ${formatBytes(stored_bytes)} stored`;
}
