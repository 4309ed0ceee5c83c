/** How many records a page of a list has. */
export const pageSize = 25;

export function nextPage(last: { next: unknown }, _pages: unknown[], page: number): number | undefined {
  return last.next ? page + 1 : undefined;
}
