import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { HostReading } from './overview.schema.ts';

/** What an edge did in a slot. */
export interface EdgeReading {
  requests: number;
  failures: number;
  cache_hits: number;
  cache_misses: number;
  /** Counts by length, as edge/latency.ts has them. */
  latency: number[];
}

export interface PlatformReading {
  processId: string;
  host: Omit<HostReading, 'read_at'> | null;
  edge: EdgeReading | null;
}

const SLOT_SECONDS = 300;

/** Which slot it is by the clock of the database, which all processes have in common. */
export async function currentSlot(db: Db): Promise<Date> {
  const { rows } = await sql<{ slot: Date }>`
    select to_timestamp(floor(extract(epoch from now()) / ${SLOT_SECONDS}) * ${SLOT_SECONDS}) as slot`.execute(db);
  return (rows[0] as { slot: Date }).slot;
}

/** A process has one row in a slot, which it writes anew while the slot lasts. */
export async function writeReading(db: Db, slot: Date, { processId, host, edge }: PlatformReading): Promise<void> {
  await sql`insert into platform_readings (slot, process_id, host, edge)
    values (${slot}, ${processId}, ${host && JSON.stringify(host)}, ${edge && JSON.stringify(edge)})
    on conflict (slot, process_id) do update set read_at = now(), host = excluded.host, edge = excluded.edge`.execute(
    db,
  );
}

export async function newestHosts(db: Db): Promise<HostReading[]> {
  const { rows } = await sql<{ host: HostReading; read_at: Date }>`
    select distinct on (host ->> 'name') host, read_at from platform_readings
    where slot > now() - interval '10 minutes' and read_at > now() - interval '5 minutes' and host is not null
    order by host ->> 'name', read_at desc`.execute(db);
  return rows.map(({ host, read_at }) => ({ ...host, read_at }));
}

export async function edgeReadings(db: Db, hours: number): Promise<{ slot: Date; edge: EdgeReading }[]> {
  const { rows } = await sql<{ slot: Date; edge: EdgeReading }>`
    select slot, edge from platform_readings
    where slot > now() - make_interval(hours => ${hours}) and edge is not null order by slot`.execute(db);
  return rows;
}

export async function forgetOldReadings(db: Db): Promise<void> {
  await sql`delete from platform_readings where slot < now() - interval '2 days'`.execute(db);
}

/**
 * Returns when the platform was last backed up. Before the first backup, the age counts from the start of monitoring.
 */
export async function platformBackup(db: Db): Promise<{ last_at: Date | null; age_seconds: number }> {
  const { rows } = await sql<{ last_at: Date | null; age_seconds: number }>`
    select backed_up_at as last_at,
      greatest(0, extract(epoch from now() - coalesce(backed_up_at, backup_watched_since)))::int as age_seconds
    from platform`.execute(db);
  return rows[0] ?? { last_at: null, age_seconds: 0 };
}
