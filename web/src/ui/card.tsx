import type { ReactNode } from 'react';
import { cx } from './cx.ts';

export function Card({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <div className={cx('min-w-0 rounded-xl border border-line bg-surface shadow-card', className)}>{children}</div>
  );
}

type SectionProps = {
  title: string;
  description?: ReactNode;
  action?: ReactNode;
  children: ReactNode;
  flush?: boolean;
  className?: string;
};

/** A titled card; `flush` lets rows reach its edges. */
export function Section({ title, description, action, children, flush, className }: SectionProps) {
  return (
    <section className={cx('min-w-0 rounded-xl border border-line bg-surface shadow-card', className)}>
      <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3 px-5 py-4">
        {/* The action moves below a description that it would leave less than this. */}
        <div className={cx('min-w-0 flex-1', description && 'basis-44')}>
          <h2 className="font-semibold text-sm">{title}</h2>
          {description && <p className="mt-0.5 text-muted">{description}</p>}
        </div>
        {action}
      </header>
      <div className={cx('empty:hidden has-[>:only-child:empty]:pb-0', flush ? 'border-line border-t' : 'px-5 pb-5')}>
        {children}
      </div>
    </section>
  );
}
