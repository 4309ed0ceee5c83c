import { type PointerEvent, useMemo, useRef, useState } from 'react';
import type { RestorePoint, SiteMoment } from '#sdk';
import { Button } from '../../ui/button.tsx';
import { dateFormat } from '../../ui/clock.ts';
import { cx } from '../../ui/cx.ts';
import { formatAmount } from '../../ui/format.ts';
import { formatMoment } from '../../ui/format-time.ts';
import { ChevronLeftIcon, ChevronRightIcon } from '../../ui/icons.ts';
import type { Minute } from './backups.ts';
import { textOf } from './moments.ts';
import { TimelineBars } from './timeline-bars.tsx';
import { TimelineMarks } from './timeline-marks.tsx';
import { momentAt, nearest, placeOf, stepTo, ticksOf, type View } from './timeline-view.ts';

type TimelineProps = {
  minutes: Minute[];
  moments: SiteMoment[];
  points: RestorePoint[];
  view: View;
  /** Nothing is kept before it. */
  oldestMs: number;
  chosen: Minute | undefined;
  /** `byStep` when it may lie outside of what is on screen. */
  onChoose: (minute: Minute, byStep: boolean) => void;
};

/** The kept minutes side by side. Whoever points at a place gets the minute that is closest to it. */
export function Timeline({ minutes, moments, points, view, oldestMs, chosen, onChoose }: TimelineProps) {
  const [hovered, setHovered] = useState<Minute>();
  const told = useMemo(() => Map.groupBy(moments, ({ commit_hash }) => commit_hash), [moments]);
  const pressedAt = useRef({ x: 0, y: 0 });

  function pointed(event: PointerEvent<HTMLElement>): Minute | undefined {
    const { left, top, width } = event.currentTarget.getBoundingClientRect();
    const ms = momentAt((event.clientX - left) / width, view);
    // Among the marks a minute is meant in which something happened.
    const marked =
      event.clientY - top < marksHeight ? minutes.filter(({ backup }) => told.has(backup.commit_hash)) : [];
    return nearest(marked, ms) ?? nearest(minutes, ms);
  }
  function scrub(event: PointerEvent<HTMLElement>) {
    const minute = pointed(event);
    if (minute && minute !== chosen) onChoose(minute, false);
  }
  function onPointerDown(event: PointerEvent<HTMLElement>) {
    event.currentTarget.setPointerCapture(event.pointerId);
    pressedAt.current = { x: event.clientX, y: event.clientY };
  }
  function onPointerMove(event: PointerEvent<HTMLElement>) {
    if (event.buttons !== 1) return setHovered(pointed(event));
    const { x, y } = pressedAt.current;
    // A finger that goes up or down wants to scroll the page.
    const isScroll = event.pointerType === 'touch' && Math.abs(event.clientX - x) <= Math.abs(event.clientY - y);
    if (!isScroll) scrub(event);
  }
  function step(key: string): boolean {
    const next = stepTo(minutes, chosen, key);
    if (next) onChoose(next, true);
    return next !== undefined;
  }
  function onKeyDown(event: KeyboardEvent) {
    if (!event.altKey && !event.ctrlKey && !event.metaKey && step(event.key)) event.preventDefault();
  }

  const index = chosen ? Math.max(0, minutes.indexOf(chosen)) : minutes.length - 1;
  const pointedAt = hovered ?? chosen;
  const happened = pointedAt && told.get(pointedAt.backup.commit_hash);
  return (
    <div>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-6 gap-y-1 text-muted text-xs">
        <Legend />
        <span className="min-h-4.5 tabular-nums" aria-hidden="true">
          {pointedAt &&
            `${formatMoment(pointedAt.atMs)} · ${happened?.[0] ? textOf(happened[0]) : amountOf(pointedAt)}`}
        </span>
      </div>
      <div
        role="slider"
        tabIndex={0}
        aria-label="Minute to go back to"
        aria-valuemin={0}
        aria-valuemax={minutes.length - 1}
        aria-valuenow={index}
        aria-valuetext={chosen ? `${formatMoment(chosen.atMs)}, ${amountOf(chosen)}` : 'None chosen'}
        onKeyDown={onKeyDown}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerLeave={() => setHovered(undefined)}
        // Not on its beginning: that may become a scroll of the page by touch.
        onPointerUp={(event) => event.button === 0 && scrub(event)}
        className="relative h-44 cursor-pointer touch-pan-y select-none overflow-hidden rounded-lg bg-raised/60"
      >
        <NothingKept oldestMs={oldestMs} view={view} />
        <TimelineBars minutes={minutes} view={view} />
        <TimelineMarks moments={moments} points={points} view={view} />
        {hovered && hovered !== chosen && <Mark minute={hovered} view={view} className="bg-muted/60" />}
        {chosen && (
          <Mark minute={chosen} view={view} className="bg-fg">
            <span className="-left-1.5 absolute top-0 size-3.5 rounded-full border-2 border-surface bg-fg" />
          </Mark>
        )}
      </div>
      <Ticks view={view} />
      <div className="mt-4 flex items-center justify-between gap-2">
        <Button variant="secondary" size="sm" disabled={index <= 0} onClick={() => step('ArrowLeft')}>
          <ChevronLeftIcon /> Earlier
        </Button>
        <Button
          variant="secondary"
          size="sm"
          disabled={!chosen || index >= minutes.length - 1}
          onClick={() => step('ArrowRight')}
        >
          Later <ChevronRightIcon />
        </Button>
      </div>
    </div>
  );
}

/** The lane of the marks, in pixels. */
const marksHeight = 40;

function amountOf({ files, tables }: Minute): string {
  return `${formatAmount(files, 'file')}, ${formatAmount(tables, 'table')}`;
}

function Legend() {
  return (
    <span className="flex gap-4">
      <span className="inline-flex items-center gap-1.5">
        <span className="size-2.5 rounded-sm bg-accent" /> Files
      </span>
      <span className="inline-flex items-center gap-1.5">
        <span className="size-2.5 rounded-sm bg-warn" /> Database
      </span>
    </span>
  );
}

/** Before the first backup there is nothing to go back to. */
function NothingKept({ oldestMs, view }: { oldestMs: number; view: View }) {
  const place = placeOf(oldestMs, view);
  if (place <= 0) return null;
  return (
    <span
      aria-hidden
      className="absolute inset-y-0 left-0 bg-[repeating-linear-gradient(-45deg,var(--line)_0_1px,transparent_1px_7px)]"
      style={{ width: `${100 * Math.min(1, place)}%` }}
    />
  );
}

type MarkProps = { minute: Minute; view: View; className: string; children?: React.ReactNode };

/** Where a minute stands; nothing where that is not on screen. */
function Mark({ minute, view, className, children }: MarkProps) {
  const place = placeOf(minute.atMs, view);
  if (place < 0 || place > 1) return null;
  return (
    <span
      className={`pointer-events-none absolute inset-y-0 -ml-px w-0.5 ${className}`}
      style={{ left: `${100 * place}%` }}
    >
      {children}
    </span>
  );
}

const clock = dateFormat({ hour: 'numeric', minute: '2-digit' });
const day = dateFormat({ day: 'numeric', month: 'short' });
const isMidnight = (ms: number) => new Date(ms).getHours() === 0 && new Date(ms).getMinutes() === 0;

function Ticks({ view }: { view: View }) {
  return (
    <div aria-hidden="true" className="relative mt-1.5 h-4 overflow-hidden text-muted text-xs tabular-nums">
      {ticksOf(view, 9).map((ms, index) => {
        const place = placeOf(ms, view);
        // Half of a label that stands at the very edge would be cut off.
        if (place < 0.08 || place > 0.92) return null;
        return (
          <span
            key={ms}
            // On a small screen there is room for every other one.
            className={cx('-translate-x-1/2 absolute whitespace-nowrap', index % 2 === 1 && 'max-sm:hidden')}
            style={{ left: `${100 * place}%` }}
          >
            {(isMidnight(ms) ? day : clock).format(ms)}
          </span>
        );
      })}
    </div>
  );
}
