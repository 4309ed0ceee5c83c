import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { Backup } from '#sdk';
import type { Place } from '../../api/sites.ts';
import { pastBackupsQuery, recentBackupsQuery } from './time-queries.ts';

export type Minute = {
  backup: Backup;
  atMs: number;
  files: number;
  tables: number;
};

/** More than this is neither drawn nor scrubbed through: it is two weeks of a change in every minute. */
const mostMinutes = 20_000;

/** The kept minutes of a site, oldest first, as far back as `sinceMs`; older ones come as soon as they are wanted. */
export function useMinutes(place: Place, sinceMs: number) {
  const recent = useQuery(recentBackupsQuery(place));
  const past = useInfiniteQuery(pastBackupsQuery(place));
  const known = past.data?.pages.flat() ?? [];
  const oldest = known.at(-1);

  const { hasNextPage, isFetching, fetchNextPage, refetch } = past;
  const isShort = oldest !== undefined && Date.parse(oldest.created_at) > sinceMs && known.length < mostMinutes;
  useEffect(() => {
    if (isShort && hasNextPage && !isFetching) void fetchNextPage();
  }, [isShort, hasNextPage, isFetching, fetchNextPage]);

  // A page that slept for hours has missed more than the newest backups.
  const lastRecent = recent.data?.at(-1);
  const newestKnown = known[0];
  const hasGap = lastRecent && newestKnown && lastRecent.created_at > newestKnown.created_at;
  useEffect(() => {
    if (hasGap && !isFetching) void refetch();
  }, [hasGap, isFetching, refetch]);

  const minutes = useMemo(
    () => past.data && merge(past.data.pages.flat(), recent.data ?? []),
    [past.data, recent.data],
  );
  return {
    query: { data: minutes, error: past.error, refetch },
    isLoadingOlder: isShort && hasNextPage,
    isCut: known.length >= mostMinutes && hasNextPage,
  };
}

function merge(...lists: Backup[][]): Minute[] {
  const all = new Map(lists.flat().map((backup) => [backup.id, backup]));
  return [...all.values()].map(minuteOf).sort((a, b) => a.atMs - b.atMs);
}

export function minuteOf(backup: Backup): Minute {
  return {
    backup,
    atMs: Date.parse(backup.created_at),
    files: backup.files_added + backup.files_changed + backup.files_removed,
    tables: backup.tables_saved.length,
  };
}
