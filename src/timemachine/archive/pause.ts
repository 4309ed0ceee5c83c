import { setImmediate as otherWork } from 'node:timers/promises';
import type { SiteWriter } from '../repository.ts';

/** Between two slices of long work packs are written, and the process does its other work. */
export async function pause(writer: SiteWriter): Promise<void> {
  if (writer.isFull) await writer.flushFull();
  else await otherWork();
}

/** Lets work go on that can not wait by itself, pausing wherever it yields. */
export async function drive<T>(work: Generator<void, T>, writer: SiteWriter): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    await pause(writer);
  }
}
