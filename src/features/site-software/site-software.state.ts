import type { Db } from '#core/db/database.ts';
import type { HeldWork } from '#features/hold/hold.ts';
import { comparePages, type PageCheck } from '#features/page-check/page-check.ts';
import type { SnapshotName } from '#timemachine/process/protocol.ts';
import type { Found } from './site-software.read.ts';
import type { Step } from './site-software.schema.ts';
import { putSoftware, type SoftwareRow } from './site-software.sql.ts';

/**
 * How far a change is, written before each step that the next attempt has to know of. `looking`: nothing is changed. `applying`: something may be, once
 * `undo` is there, and the next attempt begins with that. `checking`: all is. `undoing`: it goes again. `refused`: WordPress did nothing of it.
 */
export interface ChangeState {
  eventId: string;
  phase: 'looking' | 'applying' | 'checking' | 'undoing' | 'refused';
  steps: Step[];
  before?: PageCheck[];
  after?: PageCheck[];
  /** The site as it was before. */
  undo?: SnapshotName;
  /** What the site says that it runs now. */
  found?: Found;
  broken?: PageCheck[];
  said?: string[];
}

/** Of this very work; one that came before may have left its own. */
export function stateOf(row: SoftwareRow | undefined, work: HeldWork & { steps: Step[] }): ChangeState {
  const state = row?.running as ChangeState | null | undefined;
  return state?.eventId === work.eventId ? state : { eventId: work.eventId, phase: 'looking', steps: work.steps };
}

export async function writeState(db: Db, siteId: string, state: ChangeState): Promise<void> {
  await putSoftware(db, siteId, { running: JSON.stringify(state) });
}

/** What the event says of it, whatever came of it. */
export function detailOf({ steps, before = [], after, undo, said }: ChangeState): Record<string, unknown> {
  return {
    changes: steps,
    checks: comparePages(before, after),
    php: said ?? [],
    undo_point: undo ? new Date(undo.timeMs) : null,
  };
}
