import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import type { Usage } from './usage-queries.ts';
import { formatStep } from './usage-time.ts';

type UsagePlotProps = {
  usage: Usage;
  field: 'visits' | 'bytes';
  name: string;
  format: (value: number) => string;
};

const heightPx = 160;
/** 1, 2, 5, 10, 20, 50 … : there is no half visit and no half byte. */
const wholeSteps = [...Array(14).keys()].flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** power));

/** One bar a step. Steps stand side by side by their number, so that no zone's odd hour bends the axis. */
export function UsagePlot({ usage, field, name, format }: UsagePlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  const { points, step, title } = usage;
  const values = points.map((point) => point[field]);

  useEffect(() => {
    const target = box.current;
    if (!target) return;
    const labels = points.map((point) => formatStep(point.at, step, 'short'));
    const plot = new uPlot(
      optionsFor({ widthPx: target.clientWidth, labels, format, colours: coloursOf(target), onHover: setHovered }),
      [points.map((_, index) => index), points.map((point) => point[field])],
      target,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: target.clientWidth, height: heightPx }));
    observer.observe(target);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [points, step, field, format]);

  const point = hovered === null ? undefined : points[hovered];
  const total = values.reduce((sum, value) => sum + value, 0);
  return (
    <figure>
      <figcaption className="mb-2 flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="font-medium">{name}</span>
        <span className="text-muted text-xs tabular-nums">
          {point ? `${formatStep(point.at, step, 'long')}: ${format(point[field])}` : `${format(total)} in ${title}`}
        </span>
      </figcaption>
      {total === 0 ? (
        <p style={{ height: heightPx }} className="grid place-items-center rounded-lg bg-raised text-muted">
          Nothing in {title} yet.
        </p>
      ) : (
        <div ref={box} aria-hidden="true" className="min-w-0 overflow-hidden" />
      )}
    </figure>
  );
}

type Colours = { bar: string; line: string; text: string };

function coloursOf(element: HTMLElement): Colours {
  const style = getComputedStyle(element);
  const read = (name: string) => style.getPropertyValue(name).trim();
  return { bar: read('--accent'), line: read('--line'), text: read('--muted') };
}

type PlotSetup = {
  widthPx: number;
  labels: string[];
  format: (value: number) => string;
  colours: Colours;
  onHover: (index: number | null) => void;
};

function optionsFor({ widthPx, labels, format, colours, onHover }: PlotSetup): uPlot.Options {
  const font = '11px system-ui, sans-serif';
  const axis: uPlot.Axis = { stroke: colours.text, font, ticks: { show: false } };
  return {
    width: widthPx,
    height: heightPx,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: [-0.6, labels.length - 0.4] },
      // One visit is no full chart.
      y: { range: (_plot, _min, max) => [0, Math.max(max * 1.1, 4)] },
    },
    axes: [
      {
        ...axis,
        size: 26,
        grid: { show: false },
        space: 56,
        incrs: [1, 2, 3, 4, 6, 7, 12],
        values: (_plot, splits) => splits.map((index) => labels[index] ?? ''),
      },
      {
        ...axis,
        size: 56,
        grid: { stroke: colours.line, width: 1 },
        incrs: wholeSteps,
        values: (_plot, splits) => splits.map((value) => format(value)),
      },
    ],
    series: [
      {},
      {
        fill: colours.bar,
        width: 0,
        paths: uPlot.paths.bars?.({ size: [0.7, 28], radius: 0.15 }),
        points: { show: false },
      },
    ],
    hooks: { setCursor: [(plot) => onHover(plot.cursor.idx ?? null)] },
  };
}
