import { uptime } from 'node:os';
import { sql } from 'kysely';
import { type Db, inTransaction } from '#core/db/database.ts';
import type { Part } from '#core/part.ts';
import type { Feature } from '#features/feature.ts';
import type { OwnServices } from './services.ts';

const LOOK_MS = 2_000;
/** What a clock is set right by all the time, and the pause between two looks. */
const SLACK_SECONDS = 5;
const LEAP_SECONDS = 3600;

/**
 * Notices a clock that was set back or leaps ahead. It is the database's clock that decides what is due, and here alone that it is looked
 * at. Set back by an hour, all that was due in a minute would be due in an hour and a minute; so it comes along. A leap ahead
 * makes everything due at once, which does no harm, and old at once, which would: for a day nothing goes because of its age.
 */
export function clockWatch(services: OwnServices, features: readonly Feature[]): Part {
  return {
    name: 'the watch over the clock',
    stage: 'sites',
    roles: ['worker'],
    async start() {
      const watch = new ClockWatch(services, features);
      await watch.look();
      let looking: Promise<unknown> = Promise.resolve();
      const timer = setInterval(() => {
        looking = watch
          .look()
          .catch((error) => services.log.warn({ err: error }, 'could not look at the clock of the database'));
      }, LOOK_MS).unref();
      return () => {
        clearInterval(timer);
        return looking;
      };
    },
  };
}

export class ClockWatch {
  readonly #services: OwnServices;
  readonly #seconds: () => number;
  readonly #dueTimes: readonly string[];
  #last: { clockSeconds: number; atSeconds: number } | undefined;

  /** `seconds` goes on evenly, and while the machine sleeps too, as `performance.now()` does not. */
  constructor(services: OwnServices, features: readonly Feature[], seconds: () => number = uptime) {
    this.#seconds = seconds;
    this.#services = services;
    this.#dueTimes = features.flatMap(({ dueTimes = [] }) => dueTimes);
  }

  async look(): Promise<void> {
    const { db, log } = this.#services;
    const { ahead, clock } = await readClock(db);
    const atSeconds = this.#seconds();
    const leapSeconds = this.#last && clock - this.#last.clockSeconds - (atSeconds - this.#last.atSeconds);
    this.#last = { clockSeconds: clock, atSeconds };
    if (ahead > SLACK_SECONDS) return this.#setBack();
    if (leapSeconds !== undefined && leapSeconds > LEAP_SECONDS) {
      log.error(
        { seconds: Math.round(leapSeconds) },
        'the clock leapt ahead; for a day nothing is removed for its age',
      );
      await sql`update platform set clock_at = now(), clock_leapt_at = now()`.execute(db);
    } else if (ahead < -SLACK_SECONDS) {
      await sql`update platform set clock_at = now() where clock_at < now()`.execute(db);
    }
  }

  async #setBack(): Promise<void> {
    const { db, jobs, log } = this.#services;
    const seconds = await inTransaction(db, async (tx) => {
      await sql`select from platform for update`.execute(tx);
      const { ahead } = await readClock(tx);
      // Another process was quicker.
      if (ahead <= SLACK_SECONDS) return 0;
      const by = sql`make_interval(secs => ${ahead})`;
      for (const name of this.#dueTimes) {
        const [table = '', column = ''] = name.split('.');
        await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sql.ref(column)} - ${by}
          where ${sql.ref(column)} > now()`.execute(tx);
      }
      await jobs.bringBack(tx, ahead);
      await sql`update platform set clock_at = now(), clock_leapt_at = null`.execute(tx);
      return ahead;
    });
    if (seconds > 0)
      log.warn({ seconds: Math.round(seconds) }, 'the clock was set back; what is due was brought along');
  }
}

/** How far the latest time that was seen is ahead of now, and now, in seconds. */
async function readClock(db: Db): Promise<{ ahead: number; clock: number }> {
  const { rows } = await sql<{ ahead: number; clock: number }>`
    select extract(epoch from clock_at - now())::float as ahead, extract(epoch from now())::float as clock from platform`.execute(
    db,
  );
  return rows[0] ?? { ahead: 0, clock: 0 };
}
