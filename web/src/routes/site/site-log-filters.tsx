import { SearchInput } from '../../ui/search-input.tsx';
import { Select } from '../../ui/select.tsx';
import type { VisitFilter } from './site-log-queries.ts';

export const everyVisit: VisitFilter = { status: '', method: '', path: '', slowerThanMs: '1000' };

const statuses = [
  { value: '', label: 'Every answer' },
  { value: '2xx', label: '2xx, fine' },
  { value: '3xx', label: '3xx, sent on' },
  { value: '4xx', label: '4xx, refused' },
  { value: '404', label: '404, not found' },
  { value: '5xx', label: '5xx, failed' },
  { value: '499', label: '499, left early' },
];
const methods = [
  { value: '', label: 'Every method' },
  ...['GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'].map((value) => ({ value, label: value })),
];
const durations = [
  { value: '500', label: 'Over 0.5 s' },
  { value: '1000', label: 'Over 1 s' },
  { value: '3000', label: 'Over 3 s' },
  { value: '10000', label: 'Over 10 s' },
];

type VisitFiltersProps = { filter: VisitFilter; isSlow: boolean; onChange: (filter: VisitFilter) => void };

/** Which visits are shown. The server looks for them, so that the whole log is searched and not what is on the page. */
export function VisitFilters({ filter, isSlow, onChange }: VisitFiltersProps) {
  const set = (change: Partial<VisitFilter>) => onChange({ ...filter, ...change });
  return (
    <div className="-mt-3 flex flex-wrap items-center gap-3">
      {isSlow && (
        <Select
          aria-label="Slower than"
          options={durations}
          value={filter.slowerThanMs}
          onValueChange={(slowerThanMs) => set({ slowerThanMs })}
          className="w-36"
        />
      )}
      <Select
        aria-label="Status"
        options={statuses}
        value={filter.status}
        onValueChange={(status) => set({ status })}
        className="w-40"
      />
      <Select
        aria-label="Method"
        options={methods}
        value={filter.method}
        onValueChange={(method) => set({ method })}
        className="w-40"
      />
      <SearchInput
        label="Part of the path"
        value={filter.path}
        onChange={(path) => set({ path })}
        className="min-w-0 flex-1 basis-52"
      />
    </div>
  );
}
