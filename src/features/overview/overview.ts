import type { Db } from '#core/db/database.ts';
import { LANES } from '#core/jobs/queue.ts';
import type { Services } from '#core/services.ts';
import { percentileOf } from '#edge/latency.ts';
import { backupFigures, failingBackups } from '#features/backup/backup.ts';
import { countCertificates, worstCertificates } from '#features/certificate/certificate.ts';
import { countFailedJobs } from '#features/job/job.ts';
import { PLAN_NAMES, PLANS } from '#features/plan/plan.ts';
import { countSitesByState } from '#features/site/site.ts';
import { countTeams, revenueByPlan } from '#features/team/team.ts';
import { countUsers } from '#features/user/user.ts';
import type { Overview, TrafficPoint } from './overview.schema.ts';
import { type EdgeReading, edgeReadings, newestHosts, platformBackup } from './overview.sql.ts';

export { currentSlot, type EdgeReading, type PlatformReading, writeReading } from './overview.sql.ts';

/** Of certificates and backups in trouble. */
const SHOWN = 5;
const STEP_MS = 15 * 60_000;
const DAY_STEPS = 96;
const HOUR_MS = 3_600_000;

/** The whole platform at a glance. One question after another: an operator's look takes one connection of the pool. */
export async function overviewOf(db: Db, { jobs }: Services): Promise<Overview> {
  const { teams, ...troubled } = await countTeams(db);
  return {
    read_at: new Date(),
    people: await countUsers(db),
    teams: { all: teams, ...troubled },
    sites: await countSitesByState(db),
    hosts: await newestHosts(db),
    traffic: await trafficOf(db),
    queue: await queueOf(db, jobs),
    revenue: await revenueOf(db),
    certificates: await certificatesOf(db),
    backups: await backupsOf(db),
    platform_backup: await platformBackup(db),
  };
}

async function trafficOf(db: Db): Promise<Overview['traffic']> {
  const readings = await edgeReadings(db, 25);
  const now = Date.now();
  const first = Math.floor(now / STEP_MS) * STEP_MS - (DAY_STEPS - 1) * STEP_MS;
  const bySteps = Map.groupBy(readings, ({ slot }) => Math.floor(slot.getTime() / STEP_MS) * STEP_MS);
  const points = Array.from({ length: DAY_STEPS }, (_, index) => {
    const at = first + index * STEP_MS;
    return pointOf(new Date(at), bySteps.get(at) ?? []);
  });
  const lastHour = readings.filter(({ slot }) => slot.getTime() > now - HOUR_MS);
  return { last_hour: pointOf(new Date(now - HOUR_MS), lastHour), points };
}

function pointOf(at: Date, readings: readonly { edge: EdgeReading }[]): TrafficPoint {
  const sumOf = (figure: (edge: EdgeReading) => number) => readings.reduce((sum, { edge }) => sum + figure(edge), 0);
  const steps = Math.max(0, ...readings.map(({ edge }) => edge.latency.length));
  const latency = Array.from({ length: steps }, (_, step) => sumOf((edge) => edge.latency[step] ?? 0));
  const [hits, misses] = [sumOf((edge) => edge.cache_hits), sumOf((edge) => edge.cache_misses)];
  return {
    at,
    requests: sumOf(({ requests }) => requests),
    failures: sumOf(({ failures }) => failures),
    p50_ms: percentileOf(latency, 50),
    p95_ms: percentileOf(latency, 95),
    cached_percentage: hits + misses === 0 ? null : Math.round((1000 * hits) / (hits + misses)) / 10,
  };
}

async function queueOf(db: Db, jobs: Services['jobs']): Promise<Overview['queue']> {
  // Others are of what keeps the queue itself.
  const states = (await jobs.states()).filter(({ queue }) => (LANES as readonly string[]).includes(queue));
  const lanes = states.map(({ queue, waiting, active, oldest_seconds }) => ({
    name: queue,
    waiting,
    active,
    oldest_seconds: Math.max(0, Math.round(oldest_seconds)),
  }));
  return {
    waiting: lanes.reduce((sum, { waiting }) => sum + waiting, 0),
    active: lanes.reduce((sum, { active }) => sum + active, 0),
    oldest_seconds: Math.max(0, ...lanes.map(({ oldest_seconds }) => oldest_seconds)),
    failed: await countFailedJobs(db),
    lanes,
  };
}

async function revenueOf(db: Db): Promise<Overview['revenue']> {
  const found = new Map((await revenueByPlan(db)).map((row) => [row.plan, row]));
  const plans = PLAN_NAMES.filter((name) => name !== 'free').map((name) => {
    const { teams = 0, month_cents = 0 } = found.get(name) ?? {};
    return { name, teams, month_cents: Math.round(month_cents) };
  });
  const month_cents = plans.reduce((sum, plan) => sum + plan.month_cents, 0);
  return { month_cents, currency: PLANS.free.currency, plans };
}

async function certificatesOf(db: Db): Promise<Overview['certificates']> {
  const worst = (await worstCertificates(db, SHOWN)).map(({ name, failures, reason, not_after, next_try_at }) => ({
    name,
    failures,
    reason,
    expires_at: not_after,
    next_try_at,
  }));
  return { ...(await countCertificates(db)), worst };
}

async function backupsOf(db: Db): Promise<Overview['backups']> {
  const { backups_due, backups_failing, backups_overdue_seconds } = await backupFigures(db);
  return {
    due: backups_due,
    failing: backups_failing,
    overdue_seconds: Math.round(backups_overdue_seconds),
    worst: await failingBackups(db, SHOWN),
  };
}
