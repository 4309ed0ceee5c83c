import type { RestorePoint, SiteMoment } from '#sdk';
import { Button } from '../../ui/button.tsx';
import { dateFormat } from '../../ui/clock.ts';
import { cx } from '../../ui/cx.ts';
import { Empty } from '../../ui/empty.tsx';
import { formatDate } from '../../ui/format-time.ts';
import { FlagIcon, HistoryIcon } from '../../ui/icons.ts';
import { MomentIcon } from './moment-icon.tsx';
import { textOf } from './moments.ts';

const clock = dateFormat({ hour: 'numeric', minute: '2-digit' });

type MomentListProps = {
  moments: SiteMoment[];
  points: RestorePoint[];
  chosenHash: string | undefined;
  onChoose: (at: string) => void;
  more: { hasMore: boolean; isLoading: boolean; load: () => void };
};

/** What happened in the time that is on screen, newest first. */
export function MomentList({ moments, points, chosenHash, onChoose, more }: MomentListProps) {
  if (moments.length + points.length === 0)
    return (
      <Empty icon={<HistoryIcon />} title="Nothing happened in this time">
        Posts, updates, comments and restores appear here about a minute after they happen.
      </Empty>
    );
  return (
    <div className="grid gap-4 pb-3">
      {points.length > 0 && (
        <Group title="Named restore points">
          {points.map(({ id, name, restore_point, commit_hash }) => (
            <Item key={id} isChosen={commit_hash === chosenHash} onClick={() => onChoose(restore_point)}>
              <span
                aria-hidden
                className="grid size-7 shrink-0 place-items-center rounded-full bg-accent-soft text-accent-text"
              >
                <FlagIcon className="size-3.5" />
              </span>
              <span className="min-w-0 flex-1 font-medium">{name}</span>
              <When at={restore_point} hasDay />
            </Item>
          ))}
        </Group>
      )}
      {[...Map.groupBy(moments, ({ at }) => formatDate(at))].map(([day, ofDay]) => (
        <Group key={day} title={day}>
          {ofDay.map((moment) => (
            <Item
              key={`${moment.commit_hash} ${moment.place}`}
              isChosen={moment.commit_hash === chosenHash}
              onClick={() => onChoose(moment.at)}
            >
              <MomentIcon kind={moment.kind} />
              <span className="min-w-0 flex-1">{textOf(moment)}</span>
              <When at={moment.at} />
            </Item>
          ))}
        </Group>
      ))}
      {more.hasMore && (
        <Button
          variant="secondary"
          size="sm"
          className="justify-self-center"
          pending={more.isLoading}
          onClick={more.load}
        >
          Show older
        </Button>
      )}
    </div>
  );
}

function Group({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <section>
      <h3 className="px-5 pb-1 font-medium text-muted text-xs">{title}</h3>
      <ul>{children}</ul>
    </section>
  );
}

type ItemProps = { isChosen: boolean; onClick: () => void; children: React.ReactNode };

function Item({ isChosen, onClick, children }: ItemProps) {
  return (
    <li>
      <button
        type="button"
        aria-current={isChosen || undefined}
        onClick={onClick}
        className={cx(
          'flex w-full items-center gap-3 px-5 py-2 text-left hover:bg-raised/60 focus-visible:-outline-offset-2',
          isChosen && 'bg-raised shadow-[inset_2px_0_0_var(--accent)]',
        )}
      >
        {children}
      </button>
    </li>
  );
}

function When({ at, hasDay = false }: { at: string; hasDay?: boolean }) {
  return (
    <time dateTime={at} className="shrink-0 text-muted text-xs tabular-nums">
      {hasDay ? formatDate(at) : clock.format(new Date(at))}
    </time>
  );
}
