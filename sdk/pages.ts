interface Page<Item> {
  results: Item[];
  next: string | null;
}

/** Everything of a list, page by page as it is read: `for await (const site of each(client.listSites))`. */
export async function* each<Args extends [input?: { query?: object }], Item>(
  list: (...args: Args) => Promise<Page<Item>>,
  ...args: Args
): AsyncGenerator<Item, void, undefined> {
  for await (const { results } of pages(list, ...args)) yield* results;
}

/** The same, a page at a time. */
export async function* pages<Args extends [input?: { query?: object }], P extends Page<unknown>>(
  list: (...args: Args) => Promise<P>,
  ...args: Args
): AsyncGenerator<P, void, undefined> {
  const [input] = args;
  const query: { page?: number; size?: number } = input?.query ?? {};
  for (let page = query.page ?? 1; ; page++) {
    const found = await list(...([{ ...input, query: { size: 100, ...query, page } }] as unknown as Args));
    yield found;
    if (found.next === null || found.results.length === 0) return;
  }
}
