import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import type { PitRestore } from '#sdk';
import { api } from '../../api/client.ts';
import { eventsQuery, type Progress, progressOf } from '../../api/events.ts';
import { siteQuery } from '../../api/sites.ts';
import { type RestoreWish, restoreQuery } from './time-queries.ts';

/** How far a restore is, as the event stream tells it. */
export function useProgress(restoreId: string): Progress | undefined {
  const { data } = useInfiniteQuery(eventsQuery);
  const event = data?.pages.flatMap((page) => page.results).find((item) => item.item_id === restoreId);
  return event && progressOf(event);
}

/** Begins a restore or a dry run of one, and shows at once that it has begun. */
export function useBeginRestore(fqdn: string): (wish: RestoreWish) => Promise<PitRestore> {
  const queryClient = useQueryClient();
  return async (body) => {
    const restore = await api.createPitRestore({ params: { fqdn }, body });
    queryClient.setQueryData(restoreQuery(fqdn, restore.id).queryKey, restore);
    void queryClient.invalidateQueries({ queryKey: siteQuery(fqdn).queryKey });
    void queryClient.invalidateQueries({ queryKey: ['restores', fqdn, 'list'] });
    return restore;
  };
}

/** The same halves, and without what the restore brought. Undefined where there is nothing to undo. */
export function undoOf(restore: PitRestore, stage: boolean): RestoreWish | undefined {
  const { undo_point, is_undone, is_dry_run, failed_reason, finished_at, restore_db, restore_cms_content } = restore;
  if (undo_point === null || is_undone || finished_at === null || is_dry_run || failed_reason !== null)
    return undefined;
  return {
    restore_point: undo_point,
    delete_extra_files: true,
    restore_db,
    restore_cms_content,
    for_stage_site: stage,
  };
}
