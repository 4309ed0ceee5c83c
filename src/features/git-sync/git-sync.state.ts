import type { Db } from '#core/db/database.ts';
import type { HeldWork } from '#features/hold/hold.ts';
import { comparePages, type PageCheck } from '#features/page-check/page-check.ts';
import type { SnapshotName } from '#timemachine/process/protocol.ts';
import { type LinkRow, updateLink } from './git-sync.sql.ts';

/**
 * How far a sync is, written before each step that the next attempt has to know of. `fetching`: nothing is changed. `applying`: files may
 * be in place, and `undo` is there when it was decided which. `checking`: all are. `undoing`: they go again.
 */
export interface SyncState {
  eventId: string;
  phase: 'fetching' | 'applying' | 'checking' | 'undoing';
  commit?: string;
  branch?: string;
  subject?: string;
  author?: string;
  /** The pages before and after it. */
  checks?: PageCheck[];
  after?: PageCheck[];
  /** The site as it was before. */
  undo?: SnapshotName;
  counters?: { files_added: number; files_changed: number; files_deleted: number };
  overwritten?: { count: number; paths: string[] };
  pointers?: string[];
  /** Why it is undone. */
  broken?: PageCheck[];
  said?: string[];
}

/** Of this very work; one that came before may have left its own. */
export function stateOf({ running }: LinkRow, { eventId }: HeldWork): SyncState {
  const state = running as SyncState | null;
  return state?.eventId === eventId ? state : { eventId, phase: 'fetching' };
}

export async function writeState(db: Db, siteId: string, state: SyncState, files?: Buffer): Promise<void> {
  await updateLink(db, siteId, { running: JSON.stringify(state), ...(files && { running_files: files }) });
}

/** What the event says of it, whatever came of it. */
export function detailOf(state: SyncState): Record<string, unknown> {
  const { commit, branch, subject, author, undo, counters, overwritten, pointers, checks = [], broken, said } = state;
  return {
    hash: commit ?? null,
    branch: branch ?? null,
    subject: subject ?? null,
    author: author ?? null,
    undo_point: undo ? new Date(undo.timeMs) : null,
    ...counters,
    overwritten: overwritten?.paths ?? [],
    overwritten_count: overwritten?.count ?? 0,
    lfs_pointers: (pointers ?? []).slice(0, 200),
    checks: comparePages(checks, state.after),
    ...(broken && { broken, php: said ?? [] }),
  };
}
