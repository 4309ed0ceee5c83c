import { memo } from 'react';
import type { Minute } from './backups.ts';
import { barsOf, type View } from './timeline-view.ts';

const columns = 160;
const filesHeight = 58;
const tablesHeight = 36;
/** What changed is always to be seen, however little it is beside the most. */
const least = 3;

/** Files upwards, tables downwards, each by the order of magnitude: a new theme must not flatten everything else. */
export const TimelineBars = memo(function TimelineBars({ minutes, view }: { minutes: Minute[]; view: View }) {
  const bars = barsOf(minutes, view, columns);
  const most = {
    files: Math.max(1, ...bars.map(({ files }) => files)),
    tables: Math.max(1, ...bars.map(({ tables }) => tables)),
  };
  return (
    <svg
      viewBox={`0 0 ${columns} 100`}
      preserveAspectRatio="none"
      aria-hidden="true"
      className="absolute inset-x-0 top-10 bottom-0 h-[calc(100%-2.5rem)] w-full"
    >
      <rect x="0" y={filesHeight + 2} width={columns} height="1" className="fill-line-strong" />
      {bars.map(({ place, files, tables }) => {
        const up = heightOf(files, most.files, filesHeight);
        return (
          <g key={place}>
            <rect x={place * columns} y={filesHeight + 2 - up} width="0.8" height={up} className="fill-accent" />
            <rect
              x={place * columns}
              y={filesHeight + 3}
              width="0.8"
              height={heightOf(tables, most.tables, tablesHeight)}
              className="fill-warn"
            />
          </g>
        );
      })}
    </svg>
  );
});

function heightOf(amount: number, most: number, height: number): number {
  if (amount === 0) return 0;
  return Math.max(least, (height * Math.log1p(amount)) / Math.log1p(most));
}
