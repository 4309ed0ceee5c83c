import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import type { Place } from '../../api/sites.ts';
import { Loaded } from '../../layout/loaded.tsx';
import { formatBytes } from '../../ui/format.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import type { FileChange } from './changes.ts';
import { type FileVersion, fileVersionsQuery } from './file-versions.ts';

// The editor that draws it is bigger than the rest of this page, and few who come here open a file.
const TextDiff = lazy(() =>
  import('../../texts/text-diff.tsx').then(({ TextDiff: component }) => ({ default: component })),
);

const loading = <Skeleton className="h-24 rounded-lg" />;

/** A file as it is now beside what it was: as text line by line, as pictures, or only by its size. */
export function FileComparison({ place, file }: { place: Place; file: FileChange }) {
  const query = useQuery(fileVersionsQuery(place, file));
  return (
    <Loaded query={query} loading={loading}>
      {({ now, past }) => {
        const isText = [now, past].every(({ kind }) => kind === 'text' || kind === 'absent');
        if (!isText || (now.kind === 'absent' && past.kind === 'absent')) return <SideBySide now={now} past={past} />;
        return (
          <Suspense fallback={loading}>
            <TextDiff name={file.key} from={textOf(now)} to={textOf(past)} words={{ from: 'now', to: 'then' }} />
          </Suspense>
        );
      }}
    </Loaded>
  );
}

const textOf = (version: FileVersion) => (version.kind === 'text' ? version.text : '');

function SideBySide({ now, past }: { now: FileVersion; past: FileVersion }) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Version name="Now" version={now} />
      <Version name="Then" version={past} />
    </div>
  );
}

function Version({ name, version }: { name: string; version: FileVersion }) {
  return (
    <figure className="min-w-0">
      <figcaption className="mb-2 text-muted text-xs">
        {name}: {version.kind === 'absent' ? 'not there, or a link' : formatBytes(version.sizeBytes)}
      </figcaption>
      {version.kind === 'image' ? (
        <img
          src={version.url}
          alt={`As it ${name === 'Now' ? 'is now' : 'was then'}`}
          className="max-h-80 max-w-full rounded-lg"
        />
      ) : (
        version.kind !== 'absent' && <p className="text-muted">It is shown by its size alone.</p>
      )}
    </figure>
  );
}
