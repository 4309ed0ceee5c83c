import { type RawBuilder, sql } from 'kysely';
import type { Db } from './db/database.ts';

export interface Paging {
  page: number;
  size: number;
}

export interface Listing<Row> {
  count: number;
  rows: Row[];
}

export interface PageAnswer<Item> {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Item[];
}

/**
 * Reads one page and the count of all rows in one statement, newest first. The page's keys come from an index alone
 * and only then are their rows fetched, so that a far page costs a walk along the index and not along the table.
 */
export async function listNewest<Row>(
  db: Db,
  {
    table,
    where,
    columns,
    orderBy = 'created_at',
    count = sql`select count(*) from matching`,
  }: {
    table: string;
    where: RawBuilder<unknown>;
    columns: RawBuilder<unknown>;
    orderBy?: string;
    /** What knows the count of all rows without counting them, where there is such a thing. */
    count?: RawBuilder<unknown> | undefined;
  },
  { page, size }: Paging,
): Promise<Listing<Row>> {
  const order = sql`${sql.id(orderBy)} desc, id desc`;
  const { rows } = await sql<Row & { listing_count: number; id: unknown }>`
    with matching as not materialized (select * from ${sql.id(table)} where ${where})
    select counted.listing_count, page.* from (select (${count})::int as listing_count) counted
    left join (
      select ${columns} from (
        select id from matching order by ${order} limit ${size} offset ${(page - 1) * size}
      ) keys join ${sql.id(table)} using (id)
    ) page on true
    order by ${sql.id('page', orderBy)} desc, page.id desc`.execute(db);
  return toListing(rows);
}

/** What `like` is asked for a part of a text that is in lower case. */
export function patternOf(part: string): string {
  return `%${part.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
}

/** Splits rows that carry `listing_count` into the count and the rows; a page past the end has one row of nulls. */
function toListing<Row>(rows: (Row & { listing_count: number; id: unknown })[]): Listing<Row> {
  return { count: rows[0]?.listing_count ?? 0, rows: rows.filter((row) => row.id !== null) };
}

/** The envelope of the contract; `next` and `previous` keep the filters of the request. */
export function toPage<Item>(url: URL, { page, size }: Paging, count: number, results: Item[]): PageAnswer<Item> {
  const offset = (page - 1) * size;
  const linkTo = (target: number) => {
    const link = new URL(url);
    link.searchParams.set('page', String(target));
    link.searchParams.set('size', String(size));
    return link.href;
  };
  const last = Math.max(1, Math.ceil(count / size));
  return {
    count,
    limit: size,
    next: offset + size < count ? linkTo(page + 1) : null,
    offset,
    // From past the end the way back leads to the last page that has rows.
    previous: page > 1 ? linkTo(Math.min(page - 1, last)) : null,
    results,
  };
}
