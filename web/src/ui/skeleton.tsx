import { cx } from './cx.ts';

export function Skeleton({ className }: { className?: string }) {
  return <div className={cx('h-4 animate-pulse rounded-md bg-raised', className)} />;
}

/** The shape of a list while it loads; screen readers hear one word instead of many empty boxes. */
export function SkeletonRows({ rows = 4 }: { rows?: number }) {
  return (
    <div role="status" className="divide-y divide-line">
      <span className="sr-only">Loading</span>
      {[...Array(rows).keys()].map((row) => (
        <div key={row} className="flex items-center gap-3 px-5 py-4">
          <Skeleton className="size-8 rounded-full" />
          <div className="grid flex-1 gap-2">
            <Skeleton className="h-3.5 w-2/5" />
            <Skeleton className="h-3 w-1/4" />
          </div>
        </div>
      ))}
    </div>
  );
}
