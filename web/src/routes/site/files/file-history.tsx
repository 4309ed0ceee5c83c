import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { SiteFileVersion } from '#sdk';
import type { Place } from '../../../api/sites.ts';
import { Loaded } from '../../../layout/loaded.tsx';
import { Button } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { formatBytes } from '../../../ui/format.ts';
import { ChevronLeftIcon, UndoIcon } from '../../../ui/icons.ts';
import { Spinner } from '../../../ui/spinner.tsx';
import { Moment } from '../../../ui/time.tsx';
import { fileAtQuery, historyQuery, nameOf } from './file-queries.ts';

const TextDiff = lazy(() =>
  import('../../../texts/text-diff.tsx').then(({ TextDiff: component }) => ({ default: component })),
);

type FileHistoryProps = {
  place: Place;
  path: string;
  /** As it is saved. */
  now: { content: string; version: string | undefined };
  isFixed: boolean;
  onClose: () => void;
  onBringBack: (content: string) => Promise<void>;
};

/** What the time machine has of the file: each content once, and how it differs from now. */
export function FileHistory(props: FileHistoryProps) {
  const [at, setAt] = useState<string>();
  return (
    <Dialog
      open
      onOpenChange={props.onClose}
      wide
      title={`History of ${nameOf(props.path)}`}
      description="The time machine keeps the site every minute that it changes."
    >
      {at === undefined ? (
        <Versions {...props} onChoose={setAt} />
      ) : (
        <Version {...props} at={at} onBack={() => setAt(undefined)} />
      )}
    </Dialog>
  );
}

function Versions({ place, path, onChoose }: FileHistoryProps & { onChoose: (at: string) => void }) {
  const query = useInfiniteQuery(historyQuery(place, path));
  const versions = query.data && joined(query.data.pages.flatMap((page) => page.versions));
  return (
    <Loaded query={{ ...query, data: versions }} loading={<Spinner />}>
      {(list) => (
        <div className="grid gap-3">
          {list.length === 0 && <p className="text-muted">There is no backup of the site yet.</p>}
          <ul className="-mx-2 max-h-96 overflow-auto">
            {list.map(({ at, since, exists, size }) => (
              <li key={at}>
                <button
                  type="button"
                  disabled={!exists}
                  onClick={() => onChoose(at)}
                  className={cx(
                    'flex w-full flex-wrap items-baseline gap-x-3 rounded-md px-2 py-2 text-left',
                    exists && 'hover:bg-raised',
                  )}
                >
                  <span className="flex-1">
                    <Moment iso={since} />
                  </span>
                  <span className="text-muted text-xs">{exists ? formatBytes(size ?? 0) : 'Not there'}</span>
                </button>
              </li>
            ))}
          </ul>
          {query.hasNextPage && (
            <Button variant="secondary" pending={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              Look further back
            </Button>
          )}
        </div>
      )}
    </Loaded>
  );
}

/** A page ends where it took long, in the middle of a version perhaps. */
function joined(versions: SiteFileVersion[]): SiteFileVersion[] {
  const list: SiteFileVersion[] = [];
  for (const version of versions) {
    const last = list.at(-1);
    if (last && last.version_id === version.version_id) list[list.length - 1] = { ...last, since: version.since };
    else list.push(version);
  }
  return list;
}

type VersionProps = FileHistoryProps & { at: string; onBack: () => void };

function Version({ place, path, now, isFixed, at, onBack, onBringBack }: VersionProps) {
  const query = useQuery(fileAtQuery(place, path, at));
  const [isSaving, setSaving] = useState(false);
  return (
    <div className="grid gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <Button variant="ghost" size="sm" onClick={onBack}>
          <ChevronLeftIcon /> All versions
        </Button>
        <p className="font-medium">
          <Moment iso={at} />
        </p>
      </div>
      <Loaded query={query} loading={<Spinner />}>
        {({ content, version }) => {
          if (content === null) return <p className="text-muted">This version is not a text that can be shown here.</p>;
          if (version === now.version) return <p className="text-muted">This is what is saved now.</p>;
          return (
            <>
              <Suspense fallback={<Spinner />}>
                <TextDiff name={nameOf(path)} from={now.content} to={content} words={{ from: 'now', to: 'then' }} />
              </Suspense>
              {!isFixed && (
                <DialogActions>
                  <Button
                    pending={isSaving}
                    onClick={async () => {
                      setSaving(true);
                      await onBringBack(content).finally(() => setSaving(false));
                    }}
                  >
                    <UndoIcon /> Bring this back
                  </Button>
                </DialogActions>
              )}
            </>
          );
        }}
      </Loaded>
    </div>
  );
}
