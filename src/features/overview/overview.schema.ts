import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp, Uuid } from '#core/http/schema.ts';
import { PLAN_NAMES } from '#features/plan/plan.ts';

export const HostReading = Type.Object({
  name: Type.String(),
  read_at: Timestamp,
  disk_bytes: Type.Integer({ description: 'Of the disk that its data is on' }),
  disk_free_bytes: Type.Integer(),
  memory_bytes: Type.Integer(),
  memory_free_bytes: Type.Integer({ description: 'What programs could still have' }),
  cores: Type.Integer(),
  load: Type.Number({ description: 'Of the last minute: how many programs ran or waited for a core' }),
  sites_awake: Type.Integer(),
  php_processes: Type.Integer(),
  php_waiting: Type.Integer({ description: 'Sites and commands that wait for memory for a process' }),
  php_used_bytes: Type.Integer(),
  php_budget_bytes: Type.Integer({
    description: 'What all PHP processes may use together; 0 where nothing bounds them',
  }),
  php_is_short: Type.Boolean({ description: 'Sites had to wait for the memory of others in the last minutes' }),
  backup_queue: Type.Object(
    {
      objects: Type.Integer(),
      bytes: Type.Integer(),
      oldest_seconds: Type.Integer({ description: 'How long the first of them has been waiting' }),
      trouble: Nullable(Type.String({ description: 'Why the store takes nothing; null where it does' })),
    },
    { description: 'Backups that wait on this disk for a store that is elsewhere' },
  ),
});
export type HostReading = Static<typeof HostReading>;

const TrafficPoint = Type.Object({
  at: Timestamp,
  requests: Type.Integer(),
  failures: Type.Integer({ description: 'Ended with a notice of the edge in place of an answer' }),
  p50_ms: Nullable(Type.Number({ description: 'Null where nobody came' })),
  p95_ms: Nullable(Type.Number()),
  cached_percentage: Nullable(Type.Number({ description: 'Of the pages that were looked for in the cache' })),
});
export type TrafficPoint = Static<typeof TrafficPoint>;

export const Overview = Type.Object(
  {
    read_at: Timestamp,
    people: Type.Integer(),
    teams: Type.Object({
      all: Type.Integer(),
      suspended: Type.Integer(),
      unpaid: Type.Integer(),
      ending: Type.Integer({ description: 'Canceled, and paid until the end of the period' }),
    }),
    sites: Type.Object({ ready: Type.Integer(), sleeping: Type.Integer(), busy: Type.Integer() }),
    hosts: Type.Array(HostReading, { description: 'As each was seen last, within the last five minutes' }),
    traffic: Type.Object({
      last_hour: TrafficPoint,
      points: Type.Array(TrafficPoint, { description: 'The last 24 hours in steps of 15 minutes, oldest first' }),
    }),
    queue: Type.Object({
      waiting: Type.Integer(),
      active: Type.Integer(),
      oldest_seconds: Type.Integer({ description: 'How long the first that is due has been waiting' }),
      failed: Type.Integer({ description: 'Retries used up' }),
      lanes: Type.Array(
        Type.Object({
          name: Type.String(),
          waiting: Type.Integer(),
          active: Type.Integer(),
          oldest_seconds: Type.Integer(),
        }),
      ),
    }),
    revenue: Type.Object({
      month_cents: Type.Integer({
        description: 'What subscriptions bring in a month; a twelfth of what is paid by the year',
      }),
      currency: Type.String(),
      plans: Type.Array(Type.Object({ name: OneOf(PLAN_NAMES), teams: Type.Integer(), month_cents: Type.Integer() })),
    }),
    certificates: Type.Object({
      issued: Type.Integer(),
      failing: Type.Integer(),
      expiring: Type.Integer({ description: 'Good for less than ten days' }),
      worst: Type.Array(
        Type.Object({
          name: Type.String(),
          failures: Type.Integer({ description: 'In a row' }),
          reason: Nullable(Type.String()),
          expires_at: Nullable(Timestamp),
          next_try_at: Timestamp,
        }),
      ),
    }),
    backups: Type.Object({
      due: Type.Integer(),
      overdue_seconds: Type.Integer({ description: 'How long the one that waits longest has been due' }),
      failing: Type.Integer(),
      worst: Type.Array(
        Type.Object({
          site_id: Uuid,
          fqdn: Type.String(),
          failing_since: Timestamp,
          failures: Type.Integer(),
          reason: Nullable(Type.String()),
        }),
      ),
    }),
    platform_backup: Type.Object(
      {
        last_at: Nullable(Timestamp),
        age_seconds: Type.Integer({
          description: 'Time since the last backup; before the first one, since monitoring began',
        }),
      },
      { description: 'Backups of the platform itself (backup-platform)' },
    ),
  },
  { title: 'PlatformOverview' },
);
export type Overview = Static<typeof Overview>;
