import { seesSecrets } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { LockBusy } from '#core/db/locks.ts';
import { AppError } from '#core/errors.ts';
import { API_PREFIX, type Call } from '#core/http/operation.ts';
import type { Paging } from '#core/pages.ts';
import type { Services } from '#core/services.ts';
import { viewpointOf } from '#features/backup/backup.ts';
import { cutNow } from '#features/backup-clock/backup-clock.ts';
import { requireIdle, siteBusy } from '#features/hold/hold.ts';
import { findStage, type SiteRow, stageMissing } from '#features/instance/instance.ts';
import { nounOf } from '#runtimes/wordpress/change-words.ts';
import type { MergeReport, SnapshotName, Window } from '#timemachine/process/protocol.ts';
import { type CommitStage, compareFailed, type StageChanges, stageNoBase } from './stage.schema.ts';
import { type Bases, findBases } from './stage.sql.ts';
import { type Pair, wishOf } from './stage.wish.ts';
import { SIDES, wordsOf } from './stage.words.ts';

const WAIT_MS = 20_000;

export interface Compared {
  bases: Bases;
  now: { live: SnapshotName; stage: SnapshotName };
  report: MergeReport;
}

/** A site that has a stage; both are free. */
export async function pairOf(db: Db, live: SiteRow): Promise<Pair> {
  const stage = await findStage(db, live.id);
  if (!stage) throw stageMissing();
  requireIdle(live);
  requireIdle(stage);
  return { live, stage };
}

export async function basesOf(db: Db, { stage }: Pair): Promise<Bases> {
  const bases = await findBases(db, stage.id);
  if (!bases) throw stageNoBase();
  return bases;
}

/** Compares both sides as they are now, for somebody who waits for the answer. Both are kept on the way. */
export async function comparePair(
  services: Services,
  pair: Pair,
  choice: CommitStage,
  window: Window,
): Promise<Compared> {
  const { db, hosts, log } = services;
  const bases = await basesOf(db, pair);
  try {
    const stage = await cutNow(services, pair.stage.id, WAIT_MS);
    const live = await cutNow(services, pair.live.id, WAIT_MS);
    const wish = wishOf(services, pair, bases, stage, choice);
    const report = await hosts.compareCopy(pair.live, await viewpointOf(db, pair.live), live, wish, window);
    return { bases, now: { live, stage }, report };
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof LockBusy) throw siteBusy({ message: 'The site is being backed up; try again in a moment.' });
    log.warn({ err: error, siteId: pair.live.id }, 'a stage could not be compared');
    throw compareFailed();
  }
}

export function viewChanges(
  call: Call,
  { live }: Pair,
  { bases, now, report }: Compared,
  paging: Paging,
): StageChanges {
  const { counts, groups, list, count } = report;
  const of = (what: 'files' | 'rows') => ({
    stage: counts.theirs[what],
    live: counts.ours[what],
    both: counts.both[what],
  });
  const showsRows = seesSecrets(call.caller);
  return {
    plan: report.id,
    base_point: new Date(bases.live.timeMs),
    stage_point: new Date(now.stage.timeMs),
    live_point: new Date(now.live.timeMs),
    summary: groups.flatMap((group) => {
      const noun = nounOf(group, live.db_prefix);
      const { side, change, count: many, titles } = group;
      return noun
        ? [{ side: SIDES[side], change, what: noun[1], count: many, titles, text: wordsOf(group, noun) }]
        : [];
    }),
    rows: of('rows'),
    files: of('files'),
    tables: list.tables.map((table) => ({
      name: table.name,
      problem: table.problem,
      stage: table.theirs,
      live: table.ours,
      counts: { stage: table.counts.theirs, live: table.counts.ours, both: table.counts.both },
      sample: showsRows
        ? table.rows.map((row) => ({ side: SIDES[row.side], base: row.base, stage: row.theirs, live: row.ours }))
        : [],
    })),
    changed_files: list.files.map(({ path, side, ours, theirs, sizeBytes }) => {
      return { path, side: SIDES[side], stage: theirs, live: ours, size: sizeBytes };
    }),
    count,
    next: nextOf(call, live, paging, count),
  };
}

function nextOf({ services }: Call, live: SiteRow, { page, size }: Paging, count: number): string | null {
  if (page * size >= count) return null;
  const next = new URLSearchParams({ page: String(page + 1), size: String(size) });
  return `${services.config.baseUrl}${API_PREFIX}/site/${live.fqdn}/stage/changes?${next}`;
}
