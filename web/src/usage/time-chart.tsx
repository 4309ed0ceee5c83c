import { type PointerEvent, useId, useState } from 'react';
import type { Mark } from './site-marks.ts';

type ChartPoint = { at: string; label: string; tick: string; value: number | null };
type TimeChartProps = {
  name: string;
  points: ChartPoint[];
  stepMs: number;
  marks: Mark[];
  format: (value: number) => string;
  least: number;
};

const width = 720;
const height = 200;
const top = 12;

/** A round number that all values stay below. */
function roof(most: number, least: number): number {
  const wanted = Math.max(most, least);
  const power = 10 ** Math.floor(Math.log10(wanted));
  return ([1, 2, 4, 5, 10].find((digit) => digit * power >= wanted) ?? 10) * power;
}

/** Values over time with what happened meanwhile. The hand that points, and the arrow keys, read off one step. */
export function TimeChart({ name, points, stepMs, marks, format, least }: TimeChartProps) {
  const [at, setAt] = useState<number>();
  const area = useId();
  const max = roof(Math.max(0, ...points.map(({ value }) => value ?? 0)), least);
  const x = (index: number) => ((index + 0.5) / points.length) * width;
  const y = (value: number) => top + (height - top) * (1 - value / max);
  const placed = points.map((point, index) => ({
    ...point,
    x: x(index),
    y: point.value === null ? null : y(point.value),
  }));
  // The step that is under way is lower than it will be: it is drawn apart, as no fall.
  const last = placed.at(-1);
  const isOpen = last !== undefined && Date.parse(last.at) + stepMs > Date.now();
  const over = isOpen ? placed.slice(0, -1) : placed;
  const underWay = isOpen ? placed.slice(-2).filter((point) => last.y !== null && point.y !== null) : [];
  const indexOf = (atMs: number) =>
    points.findIndex((point) => atMs >= Date.parse(point.at) && atMs < Date.parse(point.at) + stepMs);
  const shown = marks.map((mark) => ({ ...mark, index: indexOf(mark.atMs) })).filter(({ index }) => index >= 0);
  const chosen = at === undefined ? undefined : placed[Math.min(at, placed.length - 1)];
  const told = chosen && shown.filter(({ index }) => index === at).map(({ text }) => text);
  const labelOf = (point: ChartPoint) => (isOpen && point.at === last.at ? `${point.label}, so far` : point.label);
  const say = (point: ChartPoint) => `${labelOf(point)}: ${point.value === null ? 'nothing' : format(point.value)}`;

  const follow = (event: PointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const index = Math.floor(((event.clientX - box.left) / box.width) * points.length);
    setAt(Math.max(0, Math.min(points.length - 1, index)));
  };
  const step = (event: KeyboardEvent) => {
    const end = points.length - 1;
    const from = at ?? end;
    const next = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: end }[event.key];
    if (event.key === 'Escape') setAt(undefined);
    if (next === undefined) return;
    event.preventDefault();
    setAt(Math.max(0, Math.min(end, next)));
  };
  return (
    <div className="flex gap-2">
      <div
        aria-hidden="true"
        className="flex w-12 shrink-0 flex-col justify-between pb-6 text-right text-muted text-xs tabular-nums"
      >
        <span>{format(max)}</span>
        <span>{format(0)}</span>
      </div>
      <div className="min-w-0 flex-1">
        <div
          role="slider"
          tabIndex={0}
          aria-label={`${name} over time`}
          aria-valuemin={0}
          aria-valuemax={points.length - 1}
          aria-valuenow={at ?? points.length - 1}
          aria-valuetext={[chosen ? say(chosen) : 'No moment chosen', ...(told ?? [])].join('. ')}
          onKeyDown={step}
          onBlur={() => setAt(undefined)}
          onPointerMove={follow}
          onPointerDown={follow}
          onPointerLeave={() => setAt(undefined)}
          className="relative touch-pan-y rounded"
        >
          <svg
            viewBox={`0 0 ${width} ${height}`}
            preserveAspectRatio="none"
            className="block h-50 w-full"
            aria-hidden="true"
          >
            <defs>
              <linearGradient id={area} x1="0" y1="0" x2="0" y2="1">
                <stop offset="0" stopColor="var(--accent)" stopOpacity="0.28" />
                <stop offset="1" stopColor="var(--accent)" stopOpacity="0.02" />
              </linearGradient>
            </defs>
            {[0, 0.5, 1].map((part) => (
              <line
                key={part}
                x1="0"
                x2={width}
                y1={y(part * max)}
                y2={y(part * max)}
                stroke="var(--line)"
                vectorEffect="non-scaling-stroke"
              />
            ))}
            {pieces(over).map((piece) => (
              <g key={piece[0]?.at}>
                <path d={`${lineOf(piece)}V${height}H${piece[0]?.x}Z`} fill={`url(#${area})`} />
                <path
                  d={lineOf(piece)}
                  fill="none"
                  stroke="var(--accent)"
                  strokeWidth="2"
                  strokeLinejoin="round"
                  vectorEffect="non-scaling-stroke"
                />
              </g>
            ))}
            {underWay.length > 0 && (
              <path
                d={lineOf(underWay)}
                fill="none"
                stroke="var(--accent)"
                strokeWidth="2"
                strokeDasharray="2 4"
                vectorEffect="non-scaling-stroke"
              />
            )}
            {shown.map(({ atMs, index }) => (
              <line
                key={atMs}
                x1={x(index)}
                x2={x(index)}
                y1={top}
                y2={height}
                stroke="var(--warn)"
                strokeDasharray="3 3"
                vectorEffect="non-scaling-stroke"
              />
            ))}
            {chosen && (
              <line
                x1={chosen.x}
                x2={chosen.x}
                y1="0"
                y2={height}
                stroke="var(--muted)"
                vectorEffect="non-scaling-stroke"
              />
            )}
          </svg>
          {shown.map(({ atMs, index }) => (
            <span
              key={atMs}
              style={{ left: `${(x(index) / width) * 100}%` }}
              className="-translate-x-1/2 absolute top-0 size-2.5 rotate-45 rounded-xs bg-warn"
            />
          ))}
          {chosen?.y != null && (
            <span
              style={{ left: `${(chosen.x / width) * 100}%`, top: `${(chosen.y / height) * 100}%` }}
              className="-translate-1/2 absolute size-2.5 rounded-full border-2 border-surface bg-accent"
            />
          )}
          {chosen && (
            <span
              style={
                chosen.x > width / 2
                  ? { right: `${100 - (chosen.x / width) * 100}%` }
                  : { left: `${(chosen.x / width) * 100}%` }
              }
              className="popup pointer-events-none absolute top-3 z-10 mx-2 grid max-w-64 gap-0.5 rounded-lg px-3 py-2 text-xs"
            >
              <span className="text-muted">{labelOf(chosen)}</span>
              <span className="font-semibold tabular-nums">
                {chosen.value === null ? 'Nothing' : format(chosen.value)}
              </span>
              {told?.map((text) => (
                <span key={text} className="text-warn-text">
                  {text}
                </span>
              ))}
            </span>
          )}
        </div>
        <Ticks points={points} />
      </div>
    </div>
  );
}

/** So many names as fit, evenly apart. */
function Ticks({ points }: { points: ChartPoint[] }) {
  const every = Math.ceil(points.length / 6);
  const ticks = points.map((point, index) => ({ ...point, index })).filter(({ index }) => index % every === 0);
  return (
    <div aria-hidden="true" className="relative h-6 overflow-hidden text-muted text-xs">
      {ticks.map(({ at, tick, index }) => (
        <span
          key={at}
          style={{ left: `${(index / points.length) * 100}%` }}
          className="absolute top-1.5 whitespace-nowrap"
        >
          {tick}
        </span>
      ))}
    </div>
  );
}

type Placed = ChartPoint & { x: number; y: number | null };

/** The line is broken where nothing was counted. */
function pieces(points: Placed[]): Placed[][] {
  const found: Placed[][] = [[]];
  for (const point of points) {
    if (point.y === null) found.push([]);
    else found.at(-1)?.push(point);
  }
  return found.filter((piece) => piece.length > 0);
}

function lineOf(piece: Placed[]): string {
  const [first] = piece;
  // A single step is a short line, and not a point that nobody sees.
  if (piece.length === 1 && first) return `M${first.x - 6} ${first.y}H${first.x + 6}`;
  return piece.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y?.toFixed(1)}`).join('');
}
