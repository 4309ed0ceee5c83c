import type { Db } from '#core/db/database.ts';

export const LANES = ['site', 'git', 'assistant', 'search', 'upkeep', 'background'] as const;
export type Lane = (typeof LANES)[number];

/** What an operation needs to know of a kind of job: where it goes and what it takes. */
export interface JobAddress<Payload extends object> {
  name: string;
  lane: Lane;
  run(payload: Payload, job: never): Promise<void>;
}

/** Thrown while what a job needs is away and was not asked for anything: the job waits and loses none of its attempts. */
export interface NotYet extends Error {
  readonly isNotYet: true;
}

export interface QueueState {
  queue: string;
  waiting: number;
  active: number;
  oldest_seconds: number;
}

/** The side of the queue that operations see: they put work in, within their own transaction. */
export interface JobQueue {
  /**
   * `key` is the site for the lanes of sites: there, jobs of one key run one after another. `group` is the team for the lanes `git`,
   * `assistant` and `search`: of one group only a few run at a time.
   */
  enqueue<Payload extends object>(
    db: Db,
    kind: JobAddress<Payload>,
    payload: Payload,
    key?: string,
    group?: string,
  ): Promise<void>;
  /**
   * The same, unless a job of this kind and key waits already: for work that takes all there is to do when it runs.
   * Where a moment is given, the job is not begun before it.
   */
  enqueueOnce<Payload extends object>(
    db: Db,
    kind: JobAddress<Payload>,
    payload: Payload,
    key: string,
    startAt?: Date,
  ): Promise<void>;
  /** Puts a job that failed for good back on its lane, with all its retries. */
  revive(db: Db, job: { queue: string; kind: string; payload: object; key: string | null }): Promise<void>;
  /** How each lane is doing, for operators. */
  states(): Promise<QueueState[]>;
}
