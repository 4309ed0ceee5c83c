import type { ReactNode } from 'react';

/** A few figures side by side, each with its name and what it is about. */
export function Figures({ figures }: { figures: { name: string; value: ReactNode; hint?: string }[] }) {
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-xl border border-line bg-line shadow-card lg:grid-cols-4">
      {figures.map(({ name, value, hint }) => (
        <div key={name} className="min-w-0 bg-surface px-5 py-4">
          <dt className="text-muted text-xs">{name}</dt>
          <dd className="mt-1 font-semibold text-xl tabular-nums tracking-tight">
            {value}
            {hint && <span className="block font-normal text-muted text-xs tracking-normal">{hint}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
