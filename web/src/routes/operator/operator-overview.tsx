import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { PlatformOverview } from '#sdk';
import { Loaded } from '../../layout/loaded.tsx';
import { Section } from '../../ui/card.tsx';
import { cx } from '../../ui/cx.ts';
import { Figures } from '../../ui/figures.tsx';
import { capitalise, formatAmount, formatBytes, formatCount, formatMoney, percentageOf } from '../../ui/format.ts';
import { CheckCircleIcon, WarningIcon } from '../../ui/icons.ts';
import { Meter } from '../../ui/meter.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';
import { DayChart, orDash } from './day-chart.tsx';
import { overviewQuery } from './operator-queries.ts';

export function OperatorOverview() {
  const query = useQuery(overviewQuery);
  return (
    <Loaded query={query} loading={<Skeleton className="h-[40rem] rounded-xl" />}>
      {(overview) => (
        <div className="grid gap-6">
          <Totals overview={overview} />
          <Traffic overview={overview} />
          <div className="grid gap-6 lg:grid-cols-2 2xl:grid-cols-3">
            {overview.hosts.map((host) => (
              <Capacity key={host.name} host={host} />
            ))}
            <Revenue revenue={overview.revenue} teams={overview.teams} />
          </div>
          <div className="grid gap-6 xl:grid-cols-3">
            <Queue queue={overview.queue} />
            <Certificates certificates={overview.certificates} />
            <Backups backups={overview.backups} platform={overview.platform_backup} hosts={overview.hosts} />
          </div>
        </div>
      )}
    </Loaded>
  );
}

type Of<Name extends keyof PlatformOverview> = PlatformOverview[Name];

function Totals({ overview: { sites, teams, people, revenue, traffic } }: { overview: PlatformOverview }) {
  const all = sites.ready + sites.sleeping + sites.busy;
  return (
    <Figures
      figures={[
        { name: 'Sites', value: formatCount(all), hint: `${formatCount(all - sites.sleeping)} running now` },
        {
          name: 'Teams',
          value: formatCount(teams.all),
          hint: `${formatAmount(people, 'person').replace('persons', 'people')}`,
        },
        {
          name: 'Revenue a month',
          value: formatMoney(revenue.month_cents, revenue.currency),
          hint: 'From subscriptions',
        },
        {
          name: 'Requests in the last hour',
          value: formatCount(traffic.last_hour.requests),
          hint: traffic.last_hour.failures > 0 ? `${formatCount(traffic.last_hour.failures)} failed` : 'None failed',
        },
      ]}
    />
  );
}

const milliseconds = (ms: number) => (ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms)} ms`);
const percent = (value: number) => `${Math.round(value)}%`;

function Traffic({ overview: { traffic } }: { overview: PlatformOverview }) {
  const { last_hour: last, points } = traffic;
  const at = points.map((point) => point.at);
  return (
    <Section
      title="What visitors get"
      description="Over all sites, in the last 24 hours; the figures are those of the last hour."
    >
      <div className="grid gap-8 lg:grid-cols-3">
        <DayChart
          title="Time to answer"
          summary={`p50 ${orDash(last.p50_ms, milliseconds)} · p95 ${orDash(last.p95_ms, milliseconds)}`}
          at={at}
          format={milliseconds}
          lines={[
            { name: 'p95', colour: 'var(--warn)', values: points.map(({ p95_ms }) => p95_ms) },
            { name: 'p50', colour: 'var(--accent)', values: points.map(({ p50_ms }) => p50_ms) },
          ]}
        />
        <DayChart
          title="Pages from the cache"
          summary={orDash(last.cached_percentage, percent)}
          at={at}
          format={percent}
          lines={[{ name: 'cached', colour: 'var(--accent)', values: points.map((point) => point.cached_percentage) }]}
        />
        <DayChart
          title="Requests"
          summary={formatCount(last.requests)}
          at={at}
          format={formatCount}
          lines={[{ name: 'requests', colour: 'var(--accent)', values: points.map(({ requests }) => requests) }]}
        />
      </div>
    </Section>
  );
}

function Capacity({ host }: { host: Of<'hosts'>[number] }) {
  const diskUsed = host.disk_bytes - host.disk_free_bytes;
  const memoryUsed = host.memory_bytes - host.memory_free_bytes;
  const of = (used: number, all: number) => `${formatBytes(used)} of ${formatBytes(all)}`;
  return (
    <Section title={`Host ${host.name}`} action={<Time iso={host.read_at} className="text-muted text-xs" />}>
      <div className="grid gap-4">
        <Meter label="Disk" percentage={percentageOf(diskUsed, host.disk_bytes)} text={of(diskUsed, host.disk_bytes)} />
        <Meter
          label="Memory"
          percentage={percentageOf(memoryUsed, host.memory_bytes)}
          text={of(memoryUsed, host.memory_bytes)}
        />
        {host.php_budget_bytes > 0 && (
          <Meter
            label="Memory for PHP"
            percentage={percentageOf(host.php_used_bytes, host.php_budget_bytes)}
            text={of(host.php_used_bytes, host.php_budget_bytes)}
            mayBeFull
          />
        )}
        <Facts
          rows={[
            ['Sites and copies running', formatCount(host.sites_awake)],
            [
              'PHP processes',
              host.php_waiting > 0 ? `${host.php_processes}, ${host.php_waiting} waiting` : String(host.php_processes),
            ],
            ['Load', `${host.load.toFixed(2)} on ${formatAmount(host.cores, 'core')}`],
          ]}
        />
        {host.php_is_short && <Note bad>Sites had to wait for memory in the last minutes.</Note>}
      </div>
    </Section>
  );
}

function Queue({ queue }: { queue: Of<'queue'> }) {
  return (
    <Section title="Background work">
      <div className="grid gap-4">
        <Facts
          rows={[
            ['Waiting', formatCount(queue.waiting)],
            ['Running', formatCount(queue.active)],
            ['Oldest due', queue.oldest_seconds > 0 ? duration(queue.oldest_seconds) : '–'],
            ...queue.lanes
              .filter(({ waiting }) => waiting > 0)
              .map(({ name, waiting }): [string, ReactNode] => [`Waiting in ${name}`, formatCount(waiting)]),
          ]}
        />
        {queue.failed > 0 ? (
          <Note bad>
            <Link to="/operator" search={{ tab: 'jobs' }} className="rounded underline underline-offset-4">
              {formatAmount(queue.failed, 'job')} gave up
            </Link>{' '}
            after all retries.
          </Note>
        ) : (
          <Note>Nothing has failed for good.</Note>
        )}
      </div>
    </Section>
  );
}

function Revenue({ revenue, teams }: { revenue: Of<'revenue'>; teams: Of<'teams'> }) {
  const { currency, month_cents, plans } = revenue;
  return (
    <Section title="Revenue">
      <div className="grid gap-4">
        {plans.map((plan) => (
          <Meter
            key={plan.name}
            label={capitalise(plan.name)}
            percentage={percentageOf(plan.month_cents, month_cents)}
            text={`${formatMoney(plan.month_cents, currency)} from ${formatAmount(plan.teams, 'team')}`}
            mayBeFull
          />
        ))}
        <Facts
          rows={[
            ['A month in all', <strong key="all">{formatMoney(month_cents, currency)}</strong>],
            ['Unpaid', formatAmount(teams.unpaid, 'team')],
            ['Ending', formatAmount(teams.ending, 'team')],
          ]}
        />
      </div>
    </Section>
  );
}

function Certificates({ certificates }: { certificates: Of<'certificates'> }) {
  const { issued, failing, expiring, worst } = certificates;
  return (
    <Section title="Certificates">
      <div className="grid gap-4">
        <Facts
          rows={[
            ['Issued', formatCount(issued)],
            ['End within ten days', formatCount(expiring)],
            ['Failing', formatCount(failing)],
          ]}
        />
        {worst.length === 0 && <Note>Every certificate is renewed in time.</Note>}
        <Troubles
          rows={worst.map(({ name, failures, reason, expires_at, next_try_at }) => ({
            key: name,
            name,
            text:
              failures > 0 ? (
                <>
                  {reason ?? 'No reason is known.'} Tried {formatAmount(failures, 'time')}, next{' '}
                  <Time iso={next_try_at} />.
                </>
              ) : (
                <>Ends {expires_at && <Time iso={expires_at} />}.</>
              ),
          }))}
        />
      </div>
    </Section>
  );
}

/** Three times the interval of the timer in deploy/systemd, as in the alert rule. */
const PLATFORM_BACKUP_OLD_SECONDS = 3 * 3600;

function Backups({
  backups,
  platform,
  hosts,
}: {
  backups: Of<'backups'>;
  platform: Of<'platform_backup'>;
  hosts: Of<'hosts'>;
}) {
  const queued = hosts.filter(({ backup_queue }) => backup_queue.objects > 0 || backup_queue.trouble !== null);
  return (
    <Section title="Backups">
      <div className="grid gap-4">
        <Facts
          rows={[
            ['Due now', formatCount(backups.due)],
            ['Longest overdue', backups.overdue_seconds > 0 ? duration(backups.overdue_seconds) : '–'],
            ['Failing', formatCount(backups.failing)],
            ['Platform itself', platform.last_at === null ? 'Never' : <Time key="platform" iso={platform.last_at} />],
            ...queued.map(({ name, backup_queue }): [string, ReactNode] => [
              `Waiting on ${name} for the store`,
              `${formatBytes(backup_queue.bytes)}, ${duration(backup_queue.oldest_seconds)}`,
            ]),
          ]}
        />
        {queued.map(
          ({ name, backup_queue }) =>
            backup_queue.trouble && (
              <Note key={name} bad>
                {backup_queue.trouble}
              </Note>
            ),
        )}
        {platform.age_seconds > PLATFORM_BACKUP_OLD_SECONDS && (
          <Note bad>
            The platform's database and key have not been backed up for {duration(platform.age_seconds)}. Run
            backup-platform, or check its timer.
          </Note>
        )}
        {backups.failing === 0 && queued.every(({ backup_queue }) => backup_queue.trouble === null) && (
          <Note>Every site is backed up.</Note>
        )}
        <Troubles
          rows={backups.worst.map((site) => ({
            key: site.site_id,
            name: (
              <Link to="/operator/sites/$siteId" params={{ siteId: site.site_id }} className="rounded hover:underline">
                {site.fqdn}
              </Link>
            ),
            text: (
              <>
                {site.reason ?? 'No reason is known.'} First seen <Time iso={site.failing_since} />.
              </>
            ),
          }))}
        />
      </div>
    </Section>
  );
}

function Facts({ rows }: { rows: [string, ReactNode][] }) {
  return (
    <dl className="grid gap-2">
      {rows.map(([name, value]) => (
        <div key={name} className="flex items-baseline justify-between gap-4">
          <dt className="text-muted">{name}</dt>
          <dd className="text-right tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Troubles({ rows }: { rows: { key: string; name: ReactNode; text: ReactNode }[] }) {
  if (rows.length === 0) return null;
  return (
    <ul className="grid gap-3 border-line border-t pt-4">
      {rows.map(({ key, name, text }) => (
        <li key={key} className="min-w-0">
          <p className="truncate font-medium">{name}</p>
          <p className="text-muted text-xs leading-5">{text}</p>
        </li>
      ))}
    </ul>
  );
}

function Note({ bad, children }: { bad?: boolean; children: ReactNode }) {
  const Icon = bad ? WarningIcon : CheckCircleIcon;
  return (
    <p className={cx('flex gap-2', bad ? 'text-warn-text' : 'text-muted')}>
      <Icon className="mt-0.5" />
      <span className="min-w-0">{children}</span>
    </p>
  );
}

function duration(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}
