import type { Db } from '#core/db/database.ts';
import type { HeldWork } from '#features/hold/hold.ts';
import type { LeftOut } from './commit.never.ts';
import type { GitCommit } from './commit.schema.ts';
import { findLink, updateLink } from './git-sync.sql.ts';

/** A commit that is made and may be on its branch: written before it is pushed, so that the next attempt can ask for it there. */
export interface CommitState {
  eventId: string;
  phase: 'pushing';
  branch: string;
  commit: string;
  /** With it the site has all that the branch has, and follows that branch. */
  isSynced: boolean;
  counts: { added: number; changed: number; deleted: number };
  leftOut: { count: number; files: { path: string; reason: LeftOut }[] };
}

/** Of this very work. */
export async function readCommitState(db: Db, { siteId, eventId }: HeldWork): Promise<CommitState | undefined> {
  const state = (await findLink(db, siteId))?.running as CommitState | null | undefined;
  return state?.eventId === eventId && state.phase === 'pushing' ? state : undefined;
}

/** With the files that Git has of the site from then on, where that is so. */
export async function writeCommitState(
  db: Db,
  siteId: string,
  state: CommitState,
  files: Buffer | null,
): Promise<void> {
  await updateLink(db, siteId, { running: JSON.stringify(state), running_files: files });
}

export function resultOf(state: CommitState, url: string | null): GitCommit {
  const { branch, commit, isSynced, counts, leftOut } = state;
  const left = { left_out: leftOut.files, left_out_count: leftOut.count };
  return { branch, hash: commit, url, is_synced: isSynced, ...counts, ...left };
}
