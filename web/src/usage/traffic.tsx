import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Loaded } from '../layout/loaded.tsx';
import { Section } from '../ui/card.tsx';
import { formatBytes, formatCount } from '../ui/format.ts';
import { Segmented } from '../ui/segmented.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { useIsDark } from '../ui/theme.ts';
import type { Usage, UsageRange } from './usage-queries.ts';
import { UsageTable } from './usage-table.tsx';

// The plots are drawn by a package of their own, which no other page needs.
const UsagePlot = lazy(() => import('./usage-plot.tsx').then(({ UsagePlot: component }) => ({ default: component })));

const views = [
  { value: 'plot', label: 'Plot' },
  { value: 'table', label: 'Table' },
];

type TrafficProps<Key extends QueryKey> = {
  ranges: UsageRange[];
  queryOf: (range: UsageRange) => UseQueryOptions<Usage, Error, Usage, Key>;
};

/** Visits and bandwidth of a whole team over time. */
export function Traffic<Key extends QueryKey>({ ranges, queryOf }: TrafficProps<Key>) {
  const [label, setLabel] = useState(ranges[0]?.label ?? '');
  const [view, setView] = useState('plot');
  const range = ranges.find((each) => each.label === label) ?? (ranges[0] as UsageRange);
  const query = useQuery(queryOf(range));
  return (
    <Section title="Traffic">
      <div className="mb-5 flex flex-wrap items-center justify-between gap-2">
        <Segmented
          label="Time"
          value={range.label}
          onChange={setLabel}
          options={ranges.map((each) => ({ value: each.label, label: each.label }))}
        />
        <Segmented label="Show as" value={view} onChange={setView} options={views} />
      </div>
      <Loaded query={query} loading={<Skeleton className="h-96 rounded-lg" />}>
        {(usage) => (
          <>
            {view === 'plot' && (
              <Suspense fallback={<Skeleton className="h-96 rounded-lg" />}>
                <Plots usage={usage} />
              </Suspense>
            )}
            {/* A canvas tells a screen reader nothing, so the table is always there. */}
            <UsageTable usage={usage} isShown={view === 'table'} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

function Plots({ usage }: { usage: Usage }) {
  // A canvas does not follow CSS: in another theme it is drawn anew.
  const theme = useIsDark() ? 'dark' : 'light';
  return (
    <div key={theme} className="grid grid-cols-1 gap-6">
      <UsagePlot usage={usage} field="visits" name="Visits" format={formatCount} />
      <UsagePlot usage={usage} field="bytes" name="Bandwidth" format={formatBytes} />
    </div>
  );
}
