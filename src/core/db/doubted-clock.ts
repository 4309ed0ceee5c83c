import { sql } from 'kysely';

/** The database's clock leapt ahead within the last day (platform/clock-watch.ts): nothing is removed for good because it seems old. */
export const CLOCK_IS_DOUBTED = sql<boolean>`exists (select from platform where clock_leapt_at > now() - interval '1 day')`;
