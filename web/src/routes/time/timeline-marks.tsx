import { memo } from 'react';
import type { RestorePoint, SiteMoment } from '#sdk';
import { FlagIcon } from '../../ui/icons.ts';
import { MomentIcon } from './moment-icon.tsx';
import { placeOf, type View } from './timeline-view.ts';

type TimelineMarksProps = { moments: SiteMoment[]; points: RestorePoint[]; view: View };

const columns = 36;

/** What happened, above the bars; what lies too close to be told apart is one mark with a number. Restores reach down through the bars. */
export const TimelineMarks = memo(function TimelineMarks({ moments, points, view }: TimelineMarksProps) {
  const isShown = (at: string) => {
    const place = placeOf(Date.parse(at), view);
    return place >= 0 && place <= 1;
  };
  const shown = moments.filter(({ at, kind }) => kind !== 'more' && isShown(at));
  const groups = Map.groupBy(shown, ({ at }) => Math.floor(placeOf(Date.parse(at), view) * columns));
  return (
    <div aria-hidden className="pointer-events-none absolute inset-0">
      {shown
        .filter(({ kind }) => kind === 'restore')
        .map(({ at, commit_hash }) => (
          <span
            key={commit_hash}
            className="absolute top-9 bottom-0 w-px bg-[repeating-linear-gradient(to_bottom,var(--warn)_0_4px,transparent_4px_7px)]"
            style={{ left: at100(at, view) }}
          />
        ))}
      {[...groups].map(([column, together]) => {
        const weighty = together.find(({ kind }) => kind === 'restore') ?? together[0];
        if (!weighty) return null;
        return (
          <span key={column} className="-translate-x-1/2 absolute top-1.5" style={{ left: at100(weighty.at, view) }}>
            <MomentIcon kind={weighty.kind} className="border border-line shadow-card" />
            {together.length > 1 && (
              <span className="-top-1 -right-1.5 absolute grid h-4 min-w-4 place-items-center rounded-full border border-surface bg-fg px-1 font-medium text-[0.625rem] text-surface leading-none">
                {together.length > 99 ? '99+' : together.length}
              </span>
            )}
          </span>
        );
      })}
      {points
        .filter(({ restore_point }) => isShown(restore_point))
        .map(({ id, restore_point }) => (
          <span
            key={id}
            className="absolute bottom-0 flex h-6 items-start text-accent-text"
            style={{ left: at100(restore_point, view) }}
          >
            <span className="h-full w-px bg-accent" />
            <FlagIcon className="size-3" />
          </span>
        ))}
    </div>
  );
});

const at100 = (at: string, view: View) => `${100 * placeOf(Date.parse(at), view)}%`;
