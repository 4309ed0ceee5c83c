import { cx } from './cx.ts';

/** How much of a piece of work is done; null where nobody knows how much there is. */
export function ProgressBar({ label, percentage }: { label: string; percentage: number | null }) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percentage ?? undefined}
      className="h-1.5 overflow-hidden rounded-full bg-raised"
    >
      <div
        style={percentage === null ? undefined : { width: `${percentage}%` }}
        className={cx(
          'h-full rounded-full bg-accent transition-[width] duration-300',
          percentage === null && 'w-1/3 animate-pulse',
        )}
      />
    </div>
  );
}
