import { setImmediate as otherWork } from 'node:timers/promises';
import type { SiteWriter } from '../repository.ts';

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
