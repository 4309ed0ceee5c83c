import { ArchiveRefused } from '#core/archive/archive-refused.ts';
import { SiteFailure, type SiteFailureReason } from '#runtimes/runtime.ts';
import { type FailureCode, TimeMachineFailure } from '#timemachine/failure.ts';
import { type FileRefusal, FileRefused } from '../file-refused.ts';

/** A failure on its way to another process; the kinds that somebody tells apart stay what they are. */
export interface PackedFailure {
  reason?: SiteFailureReason;
  code?: FailureCode;
  /** What the time machine had stored by then. */
  storedBytes?: number;
  refusal?: FileRefusal;
  /** What a stranger packed is refused. */
  isRefusal?: true;
  message: string;
  /** Where it happened, for the log. */
  stack: string | undefined;
  /** The call of the receiver's own function that threw it. */
  from?: number;
}

/** Thrown by a function of the other side, on its way back to it. */
class ThrownThere extends Error {
  readonly from: number;
  constructor(message: string, from: number) {
    super(message);
    this.from = from;
  }
}

/** `from`: it was thrown by the receiver's call of our function. */
export function packFailure(error: unknown, from?: number): PackedFailure {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const packed: PackedFailure = { message, stack };
  if (error instanceof SiteFailure) packed.reason = error.reason;
  if (error instanceof TimeMachineFailure) Object.assign(packed, { code: error.code, storedBytes: error.storedBytes });
  if (error instanceof FileRefused) packed.refusal = error.refusal;
  if (error instanceof ArchiveRefused) packed.isRefusal = true;
  if (error instanceof ThrownThere) packed.from = error.from;
  if (from !== undefined) packed.from = from;
  return packed;
}

export function reviveFailure(packed: PackedFailure): Error {
  const failure = revive(packed);
  if (packed.stack !== undefined) failure.stack = packed.stack;
  return failure;
}

function revive({ reason, code, storedBytes = 0, refusal, isRefusal, message, from }: PackedFailure): Error {
  if (reason !== undefined) return new SiteFailure(reason, message);
  if (code !== undefined) return Object.assign(new TimeMachineFailure(code, message), { storedBytes });
  if (refusal !== undefined) return new FileRefused(refusal, message);
  if (isRefusal) return new ArchiveRefused(message);
  return from !== undefined ? new ThrownThere(message, from) : new Error(message);
}
