import { formatBytes, formatCount } from '../ui/format.ts';
import type { Usage } from './usage-queries.ts';
import { formatStep } from './usage-time.ts';

const cell = 'py-1.5 text-right tabular-nums';

export function UsageTable({ usage, isShown }: { usage: Usage; isShown: boolean }) {
  // A long table scrolls in its own box, which the keyboard must be able to reach where it can be seen.
  const box = isShown
    ? ({
        tabIndex: 0,
        role: 'region',
        'aria-label': 'Traffic as a table',
        className: 'max-h-96 overflow-y-auto rounded',
      } as const)
    : { className: 'sr-only' };
  return (
    <div {...box}>
      <table className="w-full border-collapse text-sm">
        <caption className="sr-only">Visits and bandwidth in {usage.title}</caption>
        <thead className="sticky top-0 bg-surface text-muted text-xs">
          <tr className="border-line border-b">
            <th scope="col" className="py-2 text-left font-medium">
              {usage.step === 'hour' ? 'Hour' : 'Day (UTC)'}
            </th>
            <th scope="col" className="py-2 text-right font-medium">
              Visits
            </th>
            <th scope="col" className="py-2 text-right font-medium">
              Bandwidth
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {usage.points.toReversed().map((point) => (
            <tr key={point.at}>
              <th scope="row" className="py-1.5 text-left font-normal">
                {formatStep(point.at, usage.step, 'long')}
              </th>
              <td className={cell}>{formatCount(point.visits)}</td>
              <td className={cell}>{formatBytes(point.bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
