import type { Limits } from '../api/plans.ts';
import { formatBytes, formatCount, percentageOf } from '../ui/format.ts';
import { Meter } from '../ui/meter.tsx';

const rows: { limit: keyof Limits; label: string; format: (value: number) => string }[] = [
  { limit: 'sites', label: 'Sites', format: formatCount },
  { limit: 'storage_bytes', label: 'Storage', format: formatBytes },
  { limit: 'visits', label: 'Visits', format: formatCount },
  { limit: 'bandwidth_bytes', label: 'Bandwidth', format: formatBytes },
];

/** How much of what a plan has is used. */
export function UsageMeters({ limits }: { limits: Limits }) {
  return rows.map(({ limit, label, format }) => {
    const amount = limits[limit];
    return (
      amount && (
        <Meter
          key={limit}
          label={label}
          percentage={percentageOf(amount.used, amount.allowed)}
          text={`${format(amount.used)} of ${format(amount.allowed)}`}
          mayBeFull={limit === 'sites'}
        />
      )
    );
  });
}
