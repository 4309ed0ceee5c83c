import { type ReactNode, useId, useState } from 'react';
import { Badge, type BadgeTone } from './badge.tsx';
import { cx } from './cx.ts';
import { ChevronDownIcon } from './icons.ts';

/** Things with a word on each, which open to show more. */
export function DisclosureGroup({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="min-w-0 overflow-hidden rounded-lg border border-line">
      <h4 className="border-line border-b bg-raised/60 px-4 py-2 font-medium text-muted text-xs">{title}</h4>
      <ul className="divide-y divide-line">{children}</ul>
    </section>
  );
}

type DisclosureProps = { name: string; amount: string; label: string; tone: BadgeTone; children: ReactNode };

export function Disclosure({ name, amount, label, tone, children }: DisclosureProps) {
  const [open, setOpen] = useState(false);
  const panel = useId();
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? panel : undefined}
        onClick={() => setOpen(!open)}
        className="flex w-full items-center gap-3 px-4 py-2.5 text-left hover:bg-raised/60 focus-visible:-outline-offset-2"
      >
        <ChevronDownIcon className={cx('text-muted', !open && '-rotate-90')} />
        <span className="min-w-0 flex-1 font-mono text-xs">{name}</span>
        <span className="text-right text-muted text-xs tabular-nums max-sm:sr-only">{amount}</span>
        <Badge tone={tone}>{label}</Badge>
      </button>
      {open && (
        <div id={panel} className="min-w-0 border-line border-t bg-bg/60 p-4">
          {children}
        </div>
      )}
    </li>
  );
}
