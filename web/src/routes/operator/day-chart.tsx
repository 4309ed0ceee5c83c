import { useState } from 'react';
import { dateFormat } from '../../ui/clock.ts';

type Line = { name: string; colour: string; values: (number | null)[] };
type DayChartProps = {
  title: string;
  /** What the newest says, while nothing is pointed at. */
  summary: string;
  at: string[];
  lines: Line[];
  format: (value: number) => string;
};

const WIDTH = 600;
const HEIGHT = 120;
const hour = dateFormat({ hour: 'numeric', minute: '2-digit' });

export const orDash = (value: number | null, format: (value: number) => string) =>
  value === null ? '–' : format(value);

/** A day of the platform as lines; where nobody came there is a gap. What is under the pointer is said above. */
export function DayChart({ title, summary, at, lines, format }: DayChartProps) {
  const [pointed, setPointed] = useState<number>();
  const most = Math.max(...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const last = at.length - 1;
  const x = (index: number) => (index / Math.max(1, last)) * WIDTH;
  const y = (value: number) => HEIGHT - (value / (most * 1.1 || 1)) * HEIGHT;
  const said = (index: number) =>
    lines.map(({ name, values }) => `${name} ${orDash(values[index] ?? null, format)}`).join(' · ');
  return (
    <figure className="min-w-0">
      <figcaption className="mb-3 flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="font-medium">{title}</span>
        <span className="text-muted text-xs tabular-nums">
          {pointed === undefined ? summary : `${hour.format(new Date(at[pointed] ?? 0))}: ${said(pointed)}`}
        </span>
      </figcaption>
      {most === 0 ? (
        <p className="grid h-30 place-items-center rounded-lg bg-raised text-muted">
          Nothing in the last 24 hours yet.
        </p>
      ) : (
        <>
          <svg
            role="img"
            aria-label={`${title}: ${summary}`}
            viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
            preserveAspectRatio="none"
            className="h-30 w-full overflow-visible"
            onPointerMove={(event) => {
              const { left, width } = event.currentTarget.getBoundingClientRect();
              setPointed(Math.min(last, Math.max(0, Math.round(((event.clientX - left) / width) * last))));
            }}
            onPointerLeave={() => setPointed(undefined)}
          >
            {[0, 0.5, 1].map((share) => (
              <line
                key={share}
                x1="0"
                x2={WIDTH}
                y1={HEIGHT * share}
                y2={HEIGHT * share}
                stroke="var(--line)"
                vectorEffect="non-scaling-stroke"
              />
            ))}
            {lines.map(({ name, colour, values }) => (
              <path
                key={name}
                d={pathOf(values, x, y)}
                fill="none"
                stroke={colour}
                strokeWidth="1.75"
                strokeLinejoin="round"
                strokeLinecap="round"
                vectorEffect="non-scaling-stroke"
              />
            ))}
            {pointed !== undefined && (
              <line
                x1={x(pointed)}
                x2={x(pointed)}
                y1="0"
                y2={HEIGHT}
                stroke="var(--muted)"
                vectorEffect="non-scaling-stroke"
              />
            )}
          </svg>
          <div aria-hidden="true" className="mt-1.5 flex justify-between text-muted text-xs tabular-nums">
            <span>24 hours ago</span>
            <span>most {format(most)}</span>
            <span>now</span>
          </div>
        </>
      )}
    </figure>
  );
}

/** A point with nothing on either side is a dot, which a round end of a line without length is. */
function pathOf(values: (number | null)[], x: (index: number) => number, y: (value: number) => number): string {
  return values
    .map((value, index) => {
      if (value === null) return '';
      const begins = values[index - 1] === null || index === 0;
      const place = `${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
      return begins ? `M${place}L${place}` : `L${place}`;
    })
    .join('');
}
