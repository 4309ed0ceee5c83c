import { Button } from './button.tsx';
import { ChevronLeftIcon, ChevronRightIcon } from './icons.ts';

type Envelope = { count: number; limit: number; offset: number; results: unknown[] };

/** Shows itself only when there is more than one page. */
export function Pager({ page, onPage }: { page: Envelope; onPage: (page: number) => void }) {
  if (page.count <= page.limit) return null;
  const current = Math.floor(page.offset / page.limit) + 1;
  const last = Math.ceil(page.count / page.limit);
  return (
    <nav aria-label="Pages" className="flex items-center justify-between gap-3 border-line border-t px-5 py-3">
      <p className="text-muted text-xs tabular-nums">
        {page.offset + 1}–{page.offset + page.results.length} of {page.count}
      </p>
      <div className="flex gap-2">
        <Button variant="secondary" size="sm" disabled={current <= 1} onClick={() => onPage(current - 1)}>
          <ChevronLeftIcon /> Previous
        </Button>
        <Button variant="secondary" size="sm" disabled={current >= last} onClick={() => onPage(current + 1)}>
          Next <ChevronRightIcon />
        </Button>
      </div>
    </nav>
  );
}
