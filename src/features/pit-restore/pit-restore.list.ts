import type { Paging } from '#core/pages.ts';
import type { Window } from '#timemachine/process/protocol.ts';
import type { Changes } from './pit-restore.schema.ts';

export type { Window };

/**
 * The list of changes by the page. It is stored and passed on in parts of a thousand, so that it can be as long as a site
 * is large: nobody ever holds more of it than one answer shows.
 */
export type ChangeList = Pick<Changes, 'tables' | 'files'>;

export const CHUNK = 1000;
/** Who asks for no page gets what was all there could be before there were pages: 20,000 files and 500 tables. */
const FIRST = 21 * CHUNK;

export interface ChangesPaging {
  page?: number | undefined;
  size?: number | undefined;
}

export function windowFor({ page, size }: ChangesPaging): Window {
  if (page === undefined && size === undefined) return { offset: 0, limit: FIRST };
  const limit = size ?? CHUNK;
  return { offset: ((page ?? 1) - 1) * limit, limit };
}

/** A part of a list: tables come first. */
export function windowOf({ tables, files }: ChangeList, { offset, limit }: Window): ChangeList {
  const shown = tables.slice(offset, offset + limit);
  const start = Math.max(0, offset - tables.length);
  return { tables: shown, files: files.slice(start, start + limit - shown.length) };
}

/** The last page that a window covers, counted in pages by which the list can be read on. */
export function lastPageOf(paging: ChangesPaging): Paging {
  const { offset, limit } = windowFor(paging);
  const size = paging.size ?? CHUNK;
  return { page: (offset + limit) / size, size };
}
