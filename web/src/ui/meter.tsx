import { useId } from 'react';
import { cx } from './cx.ts';

type MeterProps = {
  label: string;
  percentage: number;
  text: string;
  /** To use all of it is as it should be; only more than all is worth a colour. */
  mayBeFull?: boolean;
};

/** How much of an allowance is used. The bar stops at its end, the figure does not. */
export function Meter({ label, percentage, text, mayBeFull = false }: MeterProps) {
  const isCalm = mayBeFull && percentage <= 100;
  const tone = isCalm || percentage < 80 ? 'bg-accent' : percentage < 100 ? 'bg-warn' : 'bg-danger';
  const id = useId();
  return (
    <div className="grid gap-2">
      <div className="flex items-baseline justify-between gap-3">
        <span id={id} className="font-medium">
          {label}
        </span>
        <span className="text-right text-muted text-xs tabular-nums">{text}</span>
      </div>
      <div className="flex items-center gap-3">
        {/* biome-ignore lint/a11y/useSemanticElements: no browser draws its own meter like this. */}
        <div
          role="meter"
          aria-labelledby={id}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.min(percentage, 100)}
          aria-valuetext={`${percentage}%, ${text}`}
          className="h-1.5 flex-1 overflow-hidden rounded-full bg-raised"
        >
          <div
            style={{ width: `${Math.min(percentage, 100)}%` }}
            className={cx('h-full rounded-full transition-[width] duration-500', tone, percentage > 0 && 'min-w-1.5')}
          />
        </div>
        <span className="w-10 text-right text-xs tabular-nums">{percentage}%</span>
      </div>
    </div>
  );
}
