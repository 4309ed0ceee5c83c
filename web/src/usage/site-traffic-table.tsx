import type { SiteUsage } from '#sdk';
import type { Mark } from './site-marks.ts';
import { metrics } from './site-metrics.ts';
import { formatStep } from './usage-time.ts';

/** All figures of the chart as numbers, for whoever reads rather than looks. */
export function SiteTrafficTable({ usage, marks }: { usage: SiteUsage & { title: string }; marks: Mark[] }) {
  const hours = { hour: 1, day: 24 }[usage.step];
  const marksAt = (at: string) => {
    const from = Date.parse(at);
    return marks.filter(({ atMs }) => atMs >= from && atMs < from + hours * 3_600_000);
  };
  return (
    <details>
      <summary className="w-fit cursor-pointer rounded text-muted text-xs hover:text-fg">As a table</summary>
      {/* A long table scrolls in its own box, which the keyboard must be able to reach. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reached by the keyboard */}
      <section tabIndex={0} aria-label="Traffic as a table" className="mt-2 max-h-96 overflow-auto rounded">
        <table className="w-full border-collapse text-sm">
          <caption className="sr-only">Traffic in {usage.title}</caption>
          <thead className="sticky top-0 bg-surface text-muted text-xs">
            <tr className="border-line border-b">
              <th scope="col" className="py-2 text-left font-medium">
                {usage.step === 'hour' ? 'Hour' : 'Day (UTC)'}
              </th>
              {metrics.map(({ value, label }) => (
                <th key={value} scope="col" className="py-2 pl-3 text-right font-medium">
                  {label}
                </th>
              ))}
              <th scope="col" className="py-2 pl-3 text-left font-medium">
                Changes
              </th>
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {usage.points.toReversed().map((point) => (
              <tr key={point.at}>
                <th scope="row" className="whitespace-nowrap py-1.5 text-left font-normal">
                  {formatStep(point.at, usage.step, 'long')}
                </th>
                {metrics.map(({ value, read, format }) => {
                  const found = read(point);
                  return (
                    <td key={value} className="py-1.5 pl-3 text-right tabular-nums">
                      {found === null ? '–' : format(found)}
                    </td>
                  );
                })}
                <td className="py-1.5 pl-3">
                  {marksAt(point.at)
                    .map(({ text }) => text)
                    .join('. ')}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
