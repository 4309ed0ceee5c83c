import type { ReactNode } from 'react';
import { isMissing } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { messageOf } from '../ui/form.tsx';
import { WarningIcon } from '../ui/icons.ts';
import { SkeletonRows } from '../ui/skeleton.tsx';

type Query<T> = { data: T | undefined; error: unknown; refetch: () => unknown };

/** A query in its three states. Data once shown stays, even when a later refresh fails. */
export function Loaded<T>({
  query,
  children,
  loading,
}: {
  query: Query<T>;
  children: (data: T) => ReactNode;
  loading?: ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Problem error={query.error} onRetry={() => void query.refetch()} />;
  return loading ?? <SkeletonRows />;
}

function Problem({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const gone = isMissing(error);
  return (
    <div role="alert">
      <Empty
        icon={<WarningIcon />}
        title={gone ? 'Not found' : 'This could not be loaded'}
        action={
          gone ? undefined : (
            <Button variant="secondary" onClick={onRetry}>
              Try again
            </Button>
          )
        }
      >
        {gone ? 'It may have been deleted, or you may not have access to it.' : messageOf(error)}
      </Empty>
    </div>
  );
}
