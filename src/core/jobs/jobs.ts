import { type Kysely, sql } from 'kysely';
import type pg from 'pg';
import { fromKysely, PgBoss, type WorkOptions } from 'pg-boss';
import { type Db, inTransaction, type Tx } from '#core/db/database.ts';
import { CLOCK_IS_DOUBTED } from '#core/db/doubted-clock.ts';
import type { Listener } from '#core/db/listener.ts';
import type { DB } from '#core/db/schema.generated.ts';
import type { Log } from '#core/log.ts';
import type { Services } from '#core/services.ts';
import { type JobAddress, type JobQueue, LANES, type Lane, type NotYet, type QueueState } from './queue.ts';

/**
 * Background work on the Postgres queue. A job is written in the transaction of the change that asks for it, so there
 * is never a change without its work nor work without its change. Every handler is safe to run again: a worker can be
 * killed at any instant, and what only the database sees is committed together with the job's end (`job.commit`).
 *
 * Five lanes: `site` runs one job at a time for each site, whatever its kind; `upkeep` does the same for what nobody
 * waits for, so that a thousand sites' scheduled work never stands before somebody's new site; `git` is for what waits for the
 * servers of others, a few at a time for each team, so that a slow one holds up nobody else, `assistant` the same for what waits for a model,
 * one at a time for each ticket; `background` has no order.
 */
export interface JobKind<Payload extends object = object> {
  name: string;
  lane: Lane;
  /** A cron line, where it runs by the clock; its payload is then empty. */
  schedule?: string;
  /** It removes for good what is older than something: not while the clock leapt ahead within the last day. */
  removesByAge?: boolean;
  run(payload: Payload, job: Job): Promise<void>;
  /** What is left to undo outside of the database when every retry failed. Runs before `abandon` and may run again. */
  undo?(payload: Payload, services: Services): Promise<void>;
  /**
   * What is left to do when every retry failed: end the event, clear the busy flag. Runs in one transaction. `undone` is
   * false where `undo` could not do its part either.
   */
  abandon?(db: Db, payload: Payload, error: string, undone: boolean): Promise<void>;
}

interface Job {
  id: string;
  services: Services;
  signal: AbortSignal;
  /** The job's last effect and its end, together or not at all, and only once however often the job is run. */
  commit(effect: (tx: Tx) => Promise<void>): Promise<void>;
}

export function jobKind<Payload extends object>(kind: JobKind<Payload>): JobKind<Payload> {
  return kind;
}

const isBySite = (queue: string) => queue !== 'background' && LANES.some((lane) => lane === queue);
/**
 * The lanes that teams share, in each process: how many jobs run, and how many of one team. Counted in this process, since workers that look at
 * the same moment all pass pg-boss' count in the database; for sites the policy stops these. The first two mostly wait; a search makes copies of sites.
 */
const SHARED: Partial<Record<Lane, WorkOptions>> = {
  git: { localConcurrency: 6, localGroupConcurrency: 2 },
  assistant: { localConcurrency: 6, localGroupConcurrency: 2 },
  search: { localConcurrency: 2, localGroupConcurrency: 1 },
};
const DEAD = 'dead';
const SCHEDULED = 'scheduled';

interface Envelope {
  kind: string;
  payload: object;
  key?: string;
  group?: string;
}

const RETRIES = { retryLimit: 5, retryDelay: 1, retryBackoff: true, retryDelayMax: 300 };
const KEEP = {
  // The missing heartbeat gives a dead worker away; this is for one that lives and hangs. A big site takes its time.
  expireInSeconds: 4 * 3600,
  heartbeatSeconds: 30,
  deleteAfterSeconds: 600,
  retentionSeconds: 90 * 86_400,
  notify: true,
};
/** For so long a job waits for what is away. After that somebody has to be told. */
const MAX_AWAY_HOURS = 24;
/** A job that takes its worker down each time must not do so for ever. */
const KILLS_FORGIVEN = 10;
/** What can not be undone by then, such as an unreadable database, must not keep its site busy for ever. */
const UNDO_ATTEMPTS = 5;
// While announcements come, a worker need not look by itself: we announce what becomes due without anybody saying so (`#announceDue`).
const POLL = { pollingIntervalSeconds: 1, notifyPollingIntervalSeconds: 30 };
const LOOK_MS = 1000;
/** Any number that nobody else uses: held shared by every living worker. */
const WORKERS_LOCK = 7_390_211;
const OPENING_LOCK = 7_390_213;
const RECLAIM_AGAIN_MS = 1000;
/**
 * pg-boss passes over the keys that were active when it last counted, for up to a minute and whether they still are: the
 * next job of a site would wait for that long, and after a kill longer. Groups tell it by the moment, so it counts no keys.
 */
const NO_STALE_KEYS = `
  create or replace function jobs.count_no_keys() returns trigger language plpgsql as
    'begin new.singletons_active := null; return new; end';
  create or replace trigger count_no_keys before insert or update on jobs.queue
    for each row execute function jobs.count_no_keys();
  update jobs.queue set singletons_active = null where singletons_active is not null`;

export class Jobs implements JobQueue {
  readonly #boss: PgBoss;
  readonly #db: Kysely<DB>;
  readonly #pool: pg.Pool;
  readonly #log: Log;
  readonly #kinds = new Map<string, JobKind>();
  /** The ids of the jobs that this process works on. */
  readonly #running = new Set<string>();
  #workersLock: pg.PoolClient | undefined;
  /** Makes all workers of a queue look for a job now. */
  #announce: (queue: string) => void = () => {};
  #looks: NodeJS.Timeout | undefined;
  #look: Promise<void> | undefined;
  #opening = false;
  #closed = false;

  constructor(options: { db: Kysely<DB>; pool: pg.Pool; listener: Listener; log: Log; worker: boolean }) {
    const { db, pool, listener, log, worker } = options;
    this.#db = db;
    this.#pool = pool;
    this.#log = log;
    this.#boss = new PgBoss({
      db: {
        executeSql: (text, values) => this.#query(text, values as unknown[]),
        listen: async (channel, onNotification, onReconnect) => {
          this.#announce = onNotification;
          await listener.on(channel, onNotification);
          listener.onReconnect(onReconnect);
          return { close: async () => {} };
        },
      },
      schema: 'jobs',
      useListenNotify: worker,
      supervise: worker,
      schedule: worker,
      superviseIntervalSeconds: 10,
      maintenanceIntervalSeconds: 60,
      monitorIntervalSeconds: 10,
    });
    this.#boss.on('error', (error) => log.error({ err: error }, 'the job queue reported an error'));
    this.#boss.on('warning', (warning) => log.warn({ warning }, 'the job queue reported a warning'));
  }

  open(): Promise<void> {
    this.#opening = true;
    return this.#withoutLimit((client) => this.#makeQueues(client)).finally(() => {
      this.#opening = false;
    });
  }

  async #makeQueues(client: pg.PoolClient): Promise<void> {
    // pg-boss makes its schema without waiting for others who are at it.
    await client.query('select pg_advisory_lock($1)', [OPENING_LOCK]);
    try {
      await this.#boss.start();
      await client.query(NO_STALE_KEYS);
      await this.#boss.createQueue(DEAD, { ...KEEP, retryLimit: 1_000, retryDelay: 5 });
      await this.#boss.createQueue(SCHEDULED, { ...KEEP, ...RETRIES });
      for (const lane of LANES) {
        const policy = isBySite(lane) ? 'singleton' : 'standard';
        await this.#boss.createQueue(lane, { ...KEEP, ...RETRIES, policy, deadLetter: DEAD });
      }
    } finally {
      await client.query('select pg_advisory_unlock($1)', [OPENING_LOCK]);
    }
  }

  /** Bringing pg-boss' schema up to date, and waiting for whoever is at it, takes as long as it takes. */
  #query(text: string, values: unknown[]): Promise<pg.QueryResult> {
    if (!this.#opening) return this.#pool.query(text, values);
    return this.#withoutLimit((client) => client.query(text, values));
  }

  async #withoutLimit<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    try {
      await client.query('set statement_timeout = 0');
      const result = await work(client);
      await client.query('reset statement_timeout');
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  async enqueue<Payload extends object>(
    db: Db,
    kind: JobAddress<Payload>,
    payload: Payload,
    key?: string,
    group?: string,
  ): Promise<void> {
    const named = { ...(key !== undefined && { key }), ...(group !== undefined && { group }) };
    await this.#send(db, kind.lane, { kind: kind.name, payload, ...named });
  }

  async enqueueOnce<Payload extends object>(
    db: Db,
    kind: JobAddress<Payload>,
    payload: Payload,
    key: string,
    startAt?: Date,
  ): Promise<void> {
    const { rows } = await sql`
      select from jobs.job where name = ${kind.lane} and state in ('created', 'retry') and singleton_key = ${key}
        and data->>'kind' = ${kind.name} limit 1`.execute(db);
    if (rows.length === 0) await this.#send(db, kind.lane, { kind: kind.name, payload, key }, startAt);
  }

  /** Starts to work on jobs, and to run by the clock what is to. */
  async work(kinds: readonly JobKind[], services: Services, concurrency: number): Promise<void> {
    for (const kind of kinds) this.#kinds.set(kind.name, kind);
    await this.#reclaimOrphans();
    for (const lane of LANES) {
      const shared = SHARED[lane];
      if (shared) await this.#startWorker(lane, services, shared);
      else {
        const share = isBySite(lane) ? { groupConcurrency: 1 } : {};
        for (let n = 0; n < concurrency; n++) await this.#startWorker(lane, services, share);
      }
    }
    await this.#boss.work<Envelope>(SCHEDULED, POLL, ([job]) => this.#passOn(job as BossJob));
    await this.#boss.work<Envelope>(DEAD, { ...POLL, includeMetadata: true }, ([job]) =>
      this.#bury(job as DeadJob, services),
    );
    for (const { name: kind, schedule } of kinds) {
      if (schedule === undefined) continue;
      await this.#boss.schedule(SCHEDULED, schedule, { kind, payload: {} } satisfies Envelope, { key: kind });
    }
    this.#looks = setInterval(() => {
      this.#look ??= this.#announceDue()
        .catch((error) => this.#log.warn({ err: error }, 'could not see which jobs are due'))
        .finally(() => {
          this.#look = undefined;
        });
    }, LOOK_MS).unref();
  }

  /**
   * A retry becomes due without anybody announcing it. One small question for all queues finds that out: thirty workers that each asked for a job
   * every few seconds were a third of what an idle platform took of the processor.
   */
  async #announceDue(): Promise<void> {
    const { rows } = await this.#pool.query<{ queue: string }>(
      `select queue from unnest($1::text[]) as queue where exists
        (select from jobs.job where name = queue and state < 'active' and not blocked and start_after <= now())`,
      [[...LANES, SCHEDULED, DEAD]],
    );
    for (const { queue } of rows) this.#announce(queue);
  }

  /** Finishes what is running, takes nothing new. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#looks);
    await this.#look;
    await this.#boss.stop({ graceful: true, timeout: 20_000, close: false });
    const lock = this.#workersLock;
    this.#workersLock = undefined;
    lock?.release(true);
  }

  async states(): Promise<QueueState[]> {
    const { rows } = await sql<QueueState>`
      select name as queue, count(*) filter (where state in ('created', 'retry'))::int as waiting,
        count(*) filter (where state = 'active')::int as active,
        coalesce(extract(epoch from now() - min(created_on) filter (where state in ('created', 'retry') and start_after <= now())), 0)::float as oldest_seconds
      from jobs.job where state < 'completed' group by name`.execute(this.#db);
    return rows;
  }

  async revive(
    db: Db,
    { queue, kind, payload, key }: { queue: string; kind: string; payload: object; key: string | null },
  ): Promise<void> {
    await this.#send(db, queue, { kind, payload, ...(key !== null && { key }) });
  }

  /** The clock was set back by so much: what waits comes along, and what the clock begins anew each minute is not taken for done. */
  async bringBack(db: Db, seconds: number): Promise<void> {
    const by = sql`make_interval(secs => ${seconds})`;
    await sql`update jobs.job set singleton_on = null, start_after = start_after - ${by}, started_on = started_on - ${by},
        heartbeat_on = heartbeat_on - ${by}, completed_on = completed_on - ${by}
      where greatest(start_after, started_on, heartbeat_on, completed_on, singleton_on at time zone 'UTC') > now()`.execute(
      db,
    );
    await sql`update jobs.queue set monitor_on = least(monitor_on, now()), monitor_claim_on = least(monitor_claim_on, now()),
        maintain_on = least(maintain_on, now())`.execute(db);
    await sql`update jobs.version set cron_on = least(cron_on, now()), bam_on = least(bam_on, now()),
        flow_on = least(flow_on, now()), reindex_on = least(reindex_on, now()), monitor_backoff_on = null`.execute(db);
  }

  async #send(db: Db, lane: string, envelope: Envelope, startAt?: Date): Promise<void> {
    // The policy lets one job of a key be active; the group makes a worker pass over the others instead of waiting for it.
    const { key, group = key } = envelope;
    const oneAtATime = key !== undefined && group !== undefined && { singletonKey: key, group: { id: group } };
    await this.#boss.send(lane, envelope, {
      ...oneAtATime,
      ...(startAt && { startAfter: startAt }),
      db: fromKysely(db),
    });
  }

  async #startWorker(queue: string, services: Services, share: WorkOptions): Promise<void> {
    const id: string = await this.#boss.work<Envelope>(queue, { ...POLL, ...share }, async ([job]) => {
      try {
        await this.#run(queue, job as BossJob, services);
      } finally {
        // Look for the next job at once: one of the same site could not be taken while this one ran. Of the lane `git` it is the first worker
        // that looks, or whoever looks next.
        this.#boss.notifyWorker(id);
      }
    });
  }

  /** What the clock asks for goes to its lane, so that nothing that takes long holds up the clock. */
  async #passOn({ data }: BossJob): Promise<void> {
    const kind = this.#kinds.get(data.kind);
    if (kind) await this.enqueueOnce(this.#db, kind, data.payload, data.kind);
  }

  async #run(queue: string, job: BossJob, services: Services): Promise<void> {
    const kind = this.#kinds.get(job.data.kind);
    if (!kind) throw new Error(`no handler for jobs of kind ${job.data.kind}`);
    if (kind.removesByAge && (await this.#clockIsDoubted())) return;
    this.#running.add(job.id);
    try {
      await kind.run(job.data.payload, {
        id: job.id,
        services,
        signal: job.signal,
        commit: (effect) =>
          inTransaction(this.#db, async (tx) => {
            await this.#claim(tx, queue, job);
            await effect(tx);
            await this.#boss.complete(queue, { id: job.id, retryCount: job.retryCount }, null, { db: fromKysely(tx) });
          }),
      });
    } catch (error) {
      this.#log.warn({ err: error, job: job.id, kind: kind.name, attempt: job.retryCount + 1 }, 'a job failed');
      if ((error as Partial<NotYet>).isNotYet) await this.#grantRetry(queue, job);
      throw error;
    } finally {
      this.#running.delete(job.id);
    }
  }

  /** What was passed over comes with its next turn (platform/clock-watch.ts). */
  async #clockIsDoubted(): Promise<boolean> {
    const { rows } = await sql<{ doubted: boolean }>`select ${CLOCK_IS_DOUBTED} as doubted`.execute(this.#db);
    return rows[0]?.doubted === true;
  }

  async #grantRetry(queue: string, { id, retryCount }: BossJob): Promise<void> {
    await sql`
      update jobs.job set retry_limit = retry_limit + 1 where name = ${queue} and id = ${id} and state = 'active'
        and retry_count = ${retryCount} and created_on > now() - make_interval(hours => ${MAX_AWAY_HOURS})`.execute(
      this.#db,
    );
  }

  /** Locks the job's row: an attempt that was given up on, or that has already committed, must not have its effect. */
  async #claim(tx: Tx, queue: string, job: BossJob): Promise<void> {
    const { rows } = await sql`
      select from jobs.job where name = ${queue} and id = ${job.id} and state = 'active' and retry_count = ${job.retryCount}
      for update`.execute(tx);
    if (rows.length === 0) throw new Error('this attempt of the job is over; another one has taken its place');
  }

  /** A job whose retries are used up: its kind cleans up, and the operator finds it in failed_jobs. */
  async #bury(job: DeadJob, services: Services): Promise<void> {
    const { kind: name, payload, key } = job.data;
    const error = describeFailure(job.sourceOutput);
    const kind = this.#kinds.get(name);
    const undone = await this.#undo(job, kind, services);
    await inTransaction(this.#db, async (tx) => {
      await kind?.abandon?.(tx, payload, error, undone);
      await sql`insert into failed_jobs (id, queue, key, kind, payload, error)
        values (${job.id}, ${job.sourceName ?? 'background'}, ${key ?? null}, ${name}, ${JSON.stringify(payload)}, ${error})
        on conflict (id) do nothing`.execute(tx);
    });
    this.#log.error({ job: job.id, kind: name, error }, 'a job failed for good');
  }

  /**
   * A call to the outside has no place in a transaction. Where it fails, the dead job is buried a little later; where it
   * fails again and again, without it: false then.
   */
  async #undo(job: DeadJob, kind: JobKind | undefined, services: Services): Promise<boolean> {
    try {
      await kind?.undo?.(job.data.payload, services);
      return true;
    } catch (error) {
      if (job.retryCount + 1 < UNDO_ATTEMPTS) throw error;
      this.#log.error(
        { err: error, job: job.id, kind: kind?.name },
        'what a failed job left behind could not be undone',
      );
      return false;
    }
  }

  /**
   * A worker that was killed leaves its jobs marked active. Where this is the only worker alive, nobody is working on
   * them and they are retried now; otherwise their missing heartbeat gives them away half a minute later. The same goes
   * for jobs whose end could not be written because the database died.
   */
  async #reclaimOrphans(): Promise<void> {
    const client = await this.#pool.connect();
    try {
      const { rows } = await client.query('select pg_try_advisory_lock($1) as alone', [WORKERS_LOCK]);
      if (rows[0].alone) await this.#retryOrphans(client);
      await client.query('select pg_advisory_lock_shared($1)', [WORKERS_LOCK]);
      if (rows[0].alone) await client.query('select pg_advisory_unlock($1)', [WORKERS_LOCK]);
    } catch (error) {
      client.release(true);
      throw error;
    }
    if (this.#closed) return client.release(true);
    this.#workersLock = client;
    client.once('error', () => {
      // Given back already; only its farewell to the database came too late.
      if (this.#workersLock !== client) return;
      this.#workersLock = undefined;
      client.release(true);
      this.#reclaimAgain();
    });
  }

  async #retryOrphans(client: pg.PoolClient): Promise<void> {
    const { rows } = await client.query(
      "select name, array_agg(id::text) as ids from jobs.job where state = 'active' and id <> all($1) group by name",
      [[...this.#running]],
    );
    for (const { name, ids } of rows) {
      // Being killed is no fault of the job, so it costs none of its retries; unless it happens again and again.
      await client.query(
        'update jobs.job set retry_limit = retry_limit + 1 where name = $1 and id = any($2::uuid[]) and retry_count < $3',
        [name, ids, KILLS_FORGIVEN],
      );
      await this.#boss.fail(name, ids, { message: 'the worker was killed' });
      // Nor does it make anybody wait, however often it happened: a site may be held until the job has ended.
      await client.query(
        "update jobs.job set start_after = now() where name = $1 and id = any($2::uuid[]) and state = 'retry'",
        [name, ids],
      );
    }
  }

  #reclaimAgain(): void {
    setTimeout(() => {
      if (!this.#closed) this.#reclaimOrphans().catch(() => this.#reclaimAgain());
    }, RECLAIM_AGAIN_MS).unref();
  }
}

interface BossJob {
  id: string;
  data: Envelope;
  retryCount: number;
  signal: AbortSignal;
}

interface DeadJob extends BossJob {
  sourceName?: string | null;
  sourceOutput?: { message?: unknown; value?: { message?: unknown } } | null;
}

function describeFailure(output: DeadJob['sourceOutput']): string {
  return String(output?.message ?? output?.value?.message ?? 'the worker stopped before the job ended');
}
