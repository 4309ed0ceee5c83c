import { lazy, Suspense, useState } from 'react';
import type { SiteFile } from '#sdk';
import { Button } from '../../../ui/button.tsx';
import { CancelButton, Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { Spinner } from '../../../ui/spinner.tsx';
import { nameOf } from './file-queries.ts';

const TextDiff = lazy(() =>
  import('../../../texts/text-diff.tsx').then(({ TextDiff: component }) => ({ default: component })),
);

type FileConflictProps = {
  path: string;
  conflict: { current: SiteFile | null; mine: string } | undefined;
  onClose: () => void;
  /** Saves ours over the version that is there now; none where nothing is. */
  onMine: (version: string | null) => Promise<void>;
  onTheirs: (current: SiteFile) => void;
};

/** Somebody else saved the file meanwhile. Whoever comes second sees both, and decides. */
export function FileConflict({ path, conflict, onClose, onMine, onTheirs }: FileConflictProps) {
  const [isSaving, setSaving] = useState(false);
  const current = conflict?.current;
  const isText = current && current.content !== null;
  const mayReplace = current === null || isText;
  return (
    <Dialog
      open={conflict !== undefined}
      onOpenChange={onClose}
      wide
      title={current === null ? `${nameOf(path)} is gone` : `${nameOf(path)} has changed`}
      description={
        current === null
          ? 'Somebody moved or deleted the file since you opened it. Nothing of yours is lost: save it again, or go on editing.'
          : 'Somebody else, or the site itself, saved the file since you opened it. Nothing is overwritten until you choose.'
      }
    >
      <div className="grid gap-5">
        {conflict && isText && (
          <Suspense fallback={<Spinner />}>
            <TextDiff
              name={nameOf(path)}
              from={current.content ?? ''}
              to={conflict.mine}
              words={{ from: 'theirs', to: 'yours' }}
            />
          </Suspense>
        )}
        <DialogActions>
          <CancelButton>Go on editing</CancelButton>
          {isText && (
            <Button variant="secondary" onClick={() => onTheirs(current)}>
              Take theirs
            </Button>
          )}
          {mayReplace && (
            <Button
              pending={isSaving}
              onClick={async () => {
                setSaving(true);
                await onMine(current?.version ?? null).finally(() => setSaving(false));
              }}
            >
              Save mine
            </Button>
          )}
        </DialogActions>
      </div>
    </Dialog>
  );
}
