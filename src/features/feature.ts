import type { Db, Tx } from '#core/db/database.ts';
import type { Figures } from '#core/figures.ts';
import type { Operation } from '#core/http/operation.ts';
import type { JobKind } from '#core/jobs/jobs.ts';
import type { Part } from '#core/part.ts';
import type { Services } from '#core/services.ts';

/** All that the platform has to know of a feature. */
export interface Feature {
  name: string;
  /** What it can be asked to do. */
  operations?: readonly Operation[];
  /** What it does in the background, once or by the clock. */
  jobs?: readonly JobKind[];
  /** What runs in a process as long as the process does. */
  parts?: readonly Part[];
  /** What an operator sees of it. */
  figures?: readonly Figures[];
  /** Deletes what nobody can use any more of its tables; every hour. */
  housekeeping?(db: Db): Promise<void>;
  /**
   * The columns, as `table.column`, that tell when something is due or was last done, reckoned from the database's now: where that clock is
   * set back they come along (platform/clock-watch.ts).
   */
  dueTimes?: readonly string[];
  /** What each start of a process finds or makes, in a transaction that one process at a time is in. */
  prepare?(tx: Tx, services: Services): Promise<void>;
}

export function feature(declaration: Feature): Feature {
  return declaration;
}

export function operationsOf(features: readonly Feature[]): Operation[] {
  return features.flatMap(({ operations = [] }) => operations);
}
