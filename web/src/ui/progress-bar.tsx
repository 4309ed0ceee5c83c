import { Progress } from '@base-ui/react/progress';

/** How much of a piece of work is done; null where nobody knows how much there is. */
export function ProgressBar({ label, percentage }: { label: string; percentage: number | null }) {
  return (
    <Progress.Root value={percentage} aria-label={label}>
      <Progress.Track className="h-1.5 overflow-hidden rounded-full bg-raised">
        <Progress.Indicator className="rounded-full bg-accent transition-[width] duration-300 data-indeterminate:w-1/3 data-indeterminate:animate-pulse" />
      </Progress.Track>
    </Progress.Root>
  );
}
