import { Meter as BaseMeter } from '@base-ui/react/meter';
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
  return (
    <BaseMeter.Root
      value={Math.min(percentage, 100)}
      getAriaValueText={() => `${percentage}%, ${text}`}
      className="grid gap-2"
    >
      <div className="flex items-baseline justify-between gap-3">
        <BaseMeter.Label className="font-medium">{label}</BaseMeter.Label>
        <span className="text-right text-muted text-xs tabular-nums">{text}</span>
      </div>
      <div className="flex items-center gap-3">
        <BaseMeter.Track className="h-1.5 flex-1 overflow-hidden rounded-full bg-raised">
          <BaseMeter.Indicator
            className={cx('rounded-full transition-[width] duration-500', tone, percentage > 0 && 'min-w-1.5')}
          />
        </BaseMeter.Track>
        <span className="w-10 text-right text-xs tabular-nums">{percentage}%</span>
      </div>
    </BaseMeter.Root>
  );
}
