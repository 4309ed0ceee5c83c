/** Every way to fail that somebody may want to tell apart. The codes cross the borders of processes, so they stay as they are. */
export const FAILURE_CODES = [
  /** An object turned out to be other bytes than its name says, or can not be read as what it should be. */
  'corrupt_object',
  /** The store has no such object. */
  'missing_object',
  /** An object of the store ends before the bytes that were asked for. */
  'short_object',
  /** The store does not answer, or wants to be asked less. What was put before is not lost. */
  'store_away',
  /** The database is missing, empty or damaged. No snapshot is taken of that: it would look as if all tables were dropped. */
  'unreadable_database',
  /** The folder with the site's files is missing or empty. No snapshot is taken of that either. */
  'lost_content',
  /** The backup has no database that WordPress could run on. */
  'unusable_point',
  /** The disk has not enough room. Where it says how much, nothing was begun. */
  'no_room',
  /** The site is no longer as it was when the plan was made: take a snapshot and plan again. Nothing was changed. */
  'outdated_plan',
  /** What was looked at before it was decided on is no longer so. Nothing was changed. */
  'moved_on',
  /** Both sides have changed the same thing, and nobody has said whose it is. Nothing was changed. */
  'in_conflict',
  /** A restore was begun and neither finished nor undone; nothing of what is there is worth keeping. */
  'unfinished_restore',
  /** The process that did the work said nothing for too long. */
  'stalled',
  /** The process that did the work is gone. */
  'ended',
  /** It takes longer than it may. Nothing was changed. */
  'too_slow',
  /** Whoever asked for the work called it off. */
  'aborted',
  /** Anything else: a full disk, a network, a fault of ours. */
  'unexpected',
] as const;

export type FailureCode = (typeof FAILURE_CODES)[number];

/** A failure of the time machine, the same in the process that it happened in and in the one that asked. */
export class TimeMachineFailure extends Error {
  readonly code: FailureCode;
  /** What the work had stored by then, for nothing. */
  storedBytes = 0;

  constructor(code: FailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TimeMachineFailure';
    this.code = code;
  }
}

/** The same failure, of any kind, with what was stored before it. */
export function withStored(error: unknown, storedBytes: number): unknown {
  return error instanceof Error ? Object.assign(error, { storedBytes }) : error;
}

export function lostContent(how: string): TimeMachineFailure {
  return new TimeMachineFailure('lost_content', `The folder of the site's files ${how}`);
}

export function failedBy(error: unknown, ...codes: FailureCode[]): error is TimeMachineFailure {
  return error instanceof TimeMachineFailure && codes.includes(error.code);
}

const PLANS = 3;

/** Something of the site's own may still be at it when it is looked at: then the plan is made anew, a few times. */
export async function againIfOutdated<T>(act: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act();
    } catch (error) {
      if (!failedBy(error, 'outdated_plan') || attempt >= PLANS) throw error;
    }
  }
}

/** A failure on its way to another process. */
export interface SentFailure {
  code: FailureCode;
  message: string;
  /** Where it happened, for the log. */
  stack: string | undefined;
  storedBytes: number;
}

/** A message may tell of names that the site chose. */
const MESSAGE_LENGTH = 2_000;

export function packFailure(error: unknown): SentFailure {
  const thrown: Error & { storedBytes?: number } = error instanceof Error ? error : new Error(String(error));
  const { message, stack, storedBytes = 0 } = thrown;
  if (isDiskFull(error)) return { code: 'no_room', message: 'the disk is full', stack, storedBytes };
  const code = error instanceof TimeMachineFailure ? error.code : 'unexpected';
  return { code, message: message.slice(0, MESSAGE_LENGTH), stack: stack?.slice(0, 2 * MESSAGE_LENGTH), storedBytes };
}

const SQLITE_FULL = 13;

function isDiskFull(error: unknown): boolean {
  const { code = '', errcode = 0 } = (error ?? {}) as { code?: string; errcode?: number };
  return code === 'ENOSPC' || code === 'EDQUOT' || (errcode & 0xff) === SQLITE_FULL;
}

export function reviveFailure({ code, message, stack, storedBytes }: SentFailure): TimeMachineFailure {
  const failure = new TimeMachineFailure(FAILURE_CODES.includes(code) ? code : 'unexpected', message);
  if (stack !== undefined) failure.stack = stack;
  failure.storedBytes = storedBytes;
  return failure;
}
