import type { TeamBilling } from '#sdk';
import { Alert } from '../../ui/alert.tsx';
import { formatBytes, formatCount, percentageOf } from '../../ui/format.ts';
import { DateOnly } from '../../ui/time.tsx';

const figures = [
  { key: 'visits', noun: 'visits', format: formatCount },
  { key: 'bandwidth_bytes', noun: 'bandwidth', format: formatBytes },
] as const;

/** What the cycle comes to if it goes on as it has: a straight line, and said to be one. */
export function Forecast({ billing }: { billing: TeamBilling }) {
  const { forecast, limits, cycle_end } = billing;
  if (!forecast) return <p className="text-muted">A forecast appears here from the second day of the cycle.</p>;
  const over = figures.filter(({ key }) => forecast[key] > limits[key].allowed);
  return (
    <div className="grid gap-3">
      <p className="text-muted">
        Forecast: if it goes on as it has, the cycle ends on <DateOnly iso={cycle_end} /> at{' '}
        {figures.map(({ key, noun, format }, index) => (
          <span key={key}>
            {index > 0 && ' and '}
            <span className="text-fg tabular-nums">
              {format(forecast[key])}
              {key === 'visits' ? ' visits' : ` of ${noun}`}
            </span>{' '}
            ({formatCount(percentageOf(forecast[key], limits[key].allowed))}%)
          </span>
        ))}
        .
      </p>
      {over.length > 0 && (
        <Alert tone="warn">
          That is more {over.map(({ noun }) => noun).join(' and ')} than the plan has. No site goes offline for it; a
          larger plan has room.
        </Alert>
      )}
    </div>
  );
}
