import type { ReactNode } from 'react';

/** Names on the left, their values on the right. */
export function Definitions({ rows }: { rows: [name: string, value: ReactNode][] }) {
  return (
    <dl className="grid gap-3">
      {rows.map(([name, value]) => (
        <div key={name} className="flex items-baseline justify-between gap-4">
          <dt className="shrink-0 text-muted">{name}</dt>
          <dd className="min-w-0 text-right">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
