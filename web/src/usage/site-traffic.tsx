import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SiteUsage } from '#sdk';
import { api } from '../api/client.ts';
import { Loaded } from '../layout/loaded.tsx';
import { Card } from '../ui/card.tsx';
import { Choice, ChoiceGroup } from '../ui/choice.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { type Mark, siteMarksQuery } from './site-marks.ts';
import { type Metric, metrics } from './site-metrics.ts';
import { SiteTrafficTable } from './site-traffic-table.tsx';
import { TimeChart } from './time-chart.tsx';
import { siteRanges, type UsageRange } from './usage-queries.ts';
import { formatStep } from './usage-time.ts';

const stepMs = { hour: 3_600_000, day: 86_400_000 };

const siteTrafficQuery = (fqdn: string, { title, step, from }: UsageRange) =>
  queryOptions({
    queryKey: ['usage', fqdn, title],
    // Until another range has come the former one stays, and says itself which one it is.
    queryFn: async ({ signal }) => ({
      ...(await api.getSiteUsage({ params: { fqdn }, query: { from: from().toISOString(), step }, signal })),
      title,
    }),
    placeholderData: keepPreviousData,
    // Counters move without an event, so what shows them looks again by itself.
    refetchInterval: 30_000,
  });

/** How a site does over time: one figure at a time, with what happened to the site meanwhile. */
export function SiteTraffic({ fqdn }: { fqdn: string }) {
  const [label, setLabel] = useState(siteRanges[0]?.label ?? '');
  const [chosen, setChosen] = useState('visits');
  const range = siteRanges.find((each) => each.label === label) ?? (siteRanges[0] as UsageRange);
  const metric = metrics.find(({ value }) => value === chosen) ?? (metrics[0] as Metric);
  const usage = useQuery(siteTrafficQuery(fqdn, range));
  const marks = useQuery(siteMarksQuery(fqdn, range.title, range.from)).data ?? [];
  return (
    <Card className="overflow-hidden">
      <section aria-label="Traffic">
        <h2 className="sr-only">Traffic</h2>
        <Figures usage={usage.data} chosen={metric.value} choose={setChosen} />
        <div className="grid gap-4 px-5 py-4">
          <div className="flex flex-wrap items-center justify-between gap-2">
            <p className="text-muted text-xs">
              {metric.label} in {usage.data?.title ?? range.title}
              {marks.length > 0 && (
                <>
                  , with <span className="mx-0.5 inline-block size-2 rotate-45 rounded-xs bg-warn align-baseline" />{' '}
                  where the site was changed
                </>
              )}
            </p>
            <Segmented
              label="Time"
              value={range.label}
              onChange={setLabel}
              options={siteRanges.map((each) => ({ value: each.label, label: each.label }))}
            />
          </div>
          <Loaded query={usage} loading={<Skeleton className="h-56 rounded-lg" />}>
            {(data) => (
              <>
                <Chart usage={data} metric={metric} marks={marks} />
                <SiteTrafficTable usage={data} marks={marks} />
              </>
            )}
          </Loaded>
        </div>
      </section>
    </Card>
  );
}

type FiguresProps = { usage: SiteUsage | undefined; chosen: string; choose: (value: string) => void };

function Figures({ usage, chosen, choose }: FiguresProps) {
  return (
    <ChoiceGroup
      label="What is shown"
      value={chosen}
      onChange={choose}
      className="grid grid-cols-2 gap-px border-line border-b bg-line sm:grid-cols-5"
    >
      {metrics.map(({ value, label, total, format }) => {
        const sum = usage && total(usage);
        return (
          <Choice
            key={value}
            value={value}
            aria-label={label}
            className="grid cursor-pointer gap-0.5 border-transparent border-b-2 bg-surface px-5 py-3.5 text-left hover:bg-raised data-checked:border-accent max-sm:last:col-span-2"
          >
            <span className="text-muted text-xs">{label}</span>
            <span className="font-semibold text-lg tabular-nums leading-6 tracking-tight">
              {sum === undefined || sum === null ? '–' : format(sum)}
            </span>
          </Choice>
        );
      })}
    </ChoiceGroup>
  );
}

type ChartProps = { usage: SiteUsage & { title: string }; metric: Metric; marks: Mark[] };

function Chart({ usage, metric, marks }: ChartProps) {
  const points = usage.points.map((point) => ({
    at: point.at,
    label: formatStep(point.at, usage.step, 'long'),
    tick: formatStep(point.at, usage.points.length > 48 ? 'day' : usage.step, 'short'),
    value: metric.read(point),
  }));
  const isEmpty = points.every(({ value }) => !value) && marks.length === 0;
  if (isEmpty)
    return (
      <p className="grid h-56 place-items-center rounded-lg bg-raised text-muted">
        {metric.value === 'errors' ? `No errors in ${usage.title}.` : `Nothing in ${usage.title} yet.`}
      </p>
    );
  return (
    <TimeChart
      key={usage.title + metric.value}
      name={metric.label}
      points={points}
      stepMs={stepMs[usage.step]}
      marks={marks}
      format={metric.format}
      least={metric.least}
    />
  );
}
