import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { Site, SiteUsage as Usage } from '#sdk';
import { siteUsageQuery, type UsageRange, usageRanges } from '../../api/site-queries.ts';
import { Loaded } from '../../layout/loaded.tsx';
import { Section } from '../../ui/card.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { Segmented } from '../../ui/segmented.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useIsDark } from '../../ui/theme.ts';
import { UsageTable } from './usage-table.tsx';

// The plots are drawn by a package of their own, which no other page needs.
const UsagePlot = lazy(() => import('./usage-plot.tsx').then(({ UsagePlot: component }) => ({ default: component })));

const ranges = Object.entries(usageRanges).map(([value, { label }]) => ({ value, label }));
const views = [
  { value: 'plot', label: 'Plot' },
  { value: 'table', label: 'Table' },
];

export function SiteUsage({ site }: { site: Site }) {
  const [range, setRange] = useState<UsageRange>('24h');
  const [view, setView] = useState('plot');
  const query = useQuery(siteUsageQuery(site.fqdn, range));
  return (
    <Section title="Traffic">
      <div className="mb-5 flex flex-wrap items-center justify-between gap-2">
        <Segmented label="Time" value={range} onChange={(next) => setRange(next as UsageRange)} options={ranges} />
        <Segmented label="Show as" value={view} onChange={setView} options={views} />
      </div>
      <Loaded query={query} loading={<Skeleton className="h-96 rounded-lg" />}>
        {(usage) => (
          <>
            {view === 'plot' && (
              <Suspense fallback={<Skeleton className="h-96 rounded-lg" />}>
                <Plots usage={usage} title={usage.title} />
              </Suspense>
            )}
            {/* A canvas tells a screen reader nothing, so the table is always there. */}
            <UsageTable usage={usage} title={usage.title} isShown={view === 'table'} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

function Plots({ usage, title }: { usage: Usage; title: string }) {
  // A canvas does not follow CSS: in another theme it is drawn anew.
  const theme = useIsDark() ? 'dark' : 'light';
  return (
    <div key={theme} className="grid grid-cols-1 gap-6">
      <UsagePlot usage={usage} field="visits" name="Visits" title={title} format={formatCount} />
      <UsagePlot usage={usage} field="bytes" name="Bandwidth" title={title} format={formatBytes} />
    </div>
  );
}
