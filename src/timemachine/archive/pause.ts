import { setImmediate as otherWork } from 'node:timers/promises';
import { TimeMachineFailure } from '../failure.ts';
import type { ProgressReport } from '../progress.ts';
import type { SiteWriter } from '../repository.ts';

/** A pack that a writer relies on stays for at least an hour after it was condemned. */
export const LONGEST_MS = 30 * 60_000;

/** At each pause: tells that it goes on, and ends what takes longer than it may. */
export function timeOf(limitMs: number, progress: ProgressReport): () => void {
  const endsAt = performance.now() + limitMs;
  return () => {
    progress.add({});
    if (performance.now() > endsAt)
      throw new TimeMachineFailure('too_slow', `it takes longer than ${Math.round(limitMs / 1000)} seconds`);
  };
}

/** Between two slices of long work packs are written, and the process does its other work. The work may be told to end here. */
export async function pause(writer: SiteWriter): Promise<void> {
  writer.onPause();
  if (writer.isFull) await writer.flushFull();
  else await otherWork();
}

/** Lets work go on that can not wait by itself, pausing wherever it yields. */
export async function drive<T>(work: Generator<void, T>, writer: SiteWriter): Promise<T> {
  try {
    for (;;) {
      const step = work.next();
      if (step.done) return step.value;
      await pause(writer);
    }
  } finally {
    // What it has open is closed, also where it does not come to its end.
    work.return(undefined as T);
  }
}
