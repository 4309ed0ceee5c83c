import type { Db } from '#core/db/database.ts';
import { reportProgress } from '#core/events/events.ts';
import type { Progress } from '#timemachine/process/protocol.ts';

const EVERY_MS = 400;

/** Keeps whoever watches the event informed: how far it is, and how long it may still take. */
export function reportOf(db: Db, eventId: string): (progress: Progress) => void {
  let begunMs = performance.now();
  let step = '';
  let toldMs = 0;
  return (progress) => {
    const now = performance.now();
    if (progress.step !== step) begunMs = now;
    else if (now - toldMs < EVERY_MS) return;
    step = progress.step;
    toldMs = now;
    const { files, bytes, tables, filesTotal, bytesTotal, tablesTotal } = progress;
    const detail = {
      step,
      files,
      files_total: filesTotal ?? null,
      bytes,
      bytes_total: bytesTotal ?? null,
      tables,
      tables_total: tablesTotal ?? null,
      estimated_seconds: estimate(progress, now - begunMs),
    };
    // A report that is lost is followed by another one.
    reportProgress(db, eventId, { progress: detail }).catch(() => {});
  };
}

function estimate({ bytes, bytesTotal }: Progress, spentMs: number): number | null {
  if (!bytesTotal || bytes === 0) return null;
  return Math.round((spentMs * (bytesTotal - bytes)) / bytes / 100) / 10;
}
