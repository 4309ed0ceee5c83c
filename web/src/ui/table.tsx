import type { ComponentProps, ReactNode } from 'react';
import { cx } from './cx.ts';

/** A real table; columns that matter less hide themselves on small screens through `className`. */
export function Table({ label, head, children }: { label: string; head: ReactNode; children: ReactNode }) {
  return (
    <table aria-label={label} className="w-full border-collapse text-left text-sm">
      <thead className="max-sm:sr-only">
        <tr className="border-line border-b text-muted text-xs">{head}</tr>
      </thead>
      <tbody className="divide-y divide-line">{children}</tbody>
    </table>
  );
}

export function Th({ className, ...props }: ComponentProps<'th'>) {
  return (
    <th
      scope="col"
      {...props}
      className={cx('whitespace-nowrap px-3 py-2 font-medium first:pl-5 last:pr-5', className)}
    />
  );
}

export function Td({ className, ...props }: ComponentProps<'td'>) {
  return <td {...props} className={cx('px-3 py-3 align-middle first:pl-5 last:pr-5', className)} />;
}
