import type { ReactNode } from 'react';

/** The last card of a settings page, which separates irreversible actions from the rest. */
export function DangerZone({ children }: { children: ReactNode }) {
  return (
    <section className="min-w-0 rounded-xl border border-danger/50 bg-surface shadow-card">
      <h2 className="border-danger/30 border-b px-5 py-3 font-semibold text-danger-text text-sm">Danger zone</h2>
      <div className="divide-y divide-line">{children}</div>
    </section>
  );
}

type DangerProps = { title: string; description: ReactNode; children: ReactNode };

export function Danger({ title, description, children }: DangerProps) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3 px-5 py-4">
      {/* The button moves below a text that it would leave less than this. */}
      <div className="min-w-0 flex-1 basis-56">
        <h3 className="font-medium text-sm">{title}</h3>
        <p className="mt-0.5 text-muted">{description}</p>
      </div>
      {children}
    </div>
  );
}
