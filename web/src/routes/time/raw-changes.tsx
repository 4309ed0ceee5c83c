import { useId, useState } from 'react';
import type { Site } from '#sdk';
import { cx } from '../../ui/cx.ts';
import { ChevronDownIcon } from '../../ui/icons.ts';
import { RestorePreview } from './restore-preview.tsx';
import type { RestoreWish } from './time-queries.ts';

/** Every row and every file, for whoever wants to know it exactly. The whole site is compared for it, so only when it is opened. */
export function RawChanges({ site, wish }: { site: Site; wish: RestoreWish }) {
  const [isOpen, setOpen] = useState(false);
  const panel = useId();
  return (
    <section className="min-w-0 rounded-lg border border-line">
      <h3>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? panel : undefined}
          onClick={() => setOpen(!isOpen)}
          className="flex w-full items-center gap-2.5 rounded-lg px-4 py-2.5 text-left font-medium hover:bg-raised/60"
        >
          <ChevronDownIcon className={cx('text-muted', !isOpen && '-rotate-90')} />
          <span className="whitespace-nowrap">Advanced</span>{' '}
          <span className="font-normal text-muted">Every row and file that differs</span>
        </button>
      </h3>
      {isOpen && (
        <div id={panel} className="border-line border-t p-4">
          <RestorePreview site={site} wish={wish} />
        </div>
      )}
    </section>
  );
}
