import type { ReactNode } from 'react';
import { cx } from '../ui/cx.ts';

type InboxProps = {
  list: ReactNode;
  /** On a small screen there is either the list or what was chosen of it. */
  isChosen: boolean;
  children: ReactNode;
};

/** A list beside what one has chosen of it. */
export function Inbox({ list, isChosen, children }: InboxProps) {
  return (
    <div className="lg:grid lg:grid-cols-[19rem_minmax(0,1fr)] lg:items-start lg:gap-6 2xl:grid-cols-[23rem_minmax(0,1fr)]">
      <div className={cx('min-w-0', isChosen && 'max-lg:hidden')}>{list}</div>
      <div className={cx('@container min-w-0', !isChosen && 'max-lg:mt-6')}>{children}</div>
    </div>
  );
}

/** A conversation, and beside it, where there is room, what stands around it. */
export function WithContext({ context, children }: { context: ReactNode; children: ReactNode }) {
  return (
    <div className="grid gap-6 @3xl:grid-cols-[minmax(0,1fr)_16rem] @3xl:items-start @5xl:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="min-w-0">{children}</div>
      <aside aria-label="About this ticket" className="min-w-0">
        {context}
      </aside>
    </div>
  );
}
