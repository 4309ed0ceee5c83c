import { queryOptions } from '@tanstack/react-query';
import type { Operations } from '#sdk';
import { api } from '../../api/client.ts';
import { pageSize as size } from '../../api/pages.ts';

type Query = NonNullable<Operations['listSites']['input']['query']>;

/** Which of the sites, in which order, and how they are shown. It stands in the address, so that it can be kept and sent. */
export type SiteList = {
  search?: string;
  label?: string;
  state?: NonNullable<Query['state']>;
  sort?: NonNullable<Query['sort']>;
  layout?: 'cards' | 'table';
};

const STATES = ['awake', 'asleep', 'busy', 'outdated', 'insecure'] as const;
const SORTS = ['newest', 'name', 'visits', 'storage'] as const;
const LAYOUTS = ['cards', 'table'] as const;
const oneOf = <T extends string>(values: readonly T[], text: string | undefined) => values.find((one) => one === text);

export function siteListOf(search: Record<string, string | undefined>): SiteList {
  const [state, sort, layout] = [oneOf(STATES, search.state), oneOf(SORTS, search.sort), oneOf(LAYOUTS, search.layout)];
  return {
    ...(search.search && { search: search.search }),
    ...(search.label && { label: search.label }),
    ...(state && { state }),
    ...(sort && { sort }),
    ...(layout && { layout }),
  };
}

export const sitesQuery = (team_id: string | undefined, { layout: _, ...asked }: SiteList, page: number) =>
  queryOptions({
    queryKey: ['sites', 'list', team_id, asked, page],
    queryFn: ({ signal }) => api.listSites({ query: { team_id, ...asked, page, size }, signal }),
    // That there is nothing is the answer to one question alone.
    placeholderData: (former) => (former?.count ? former : undefined),
    // Counters move without an event, so what shows them looks again by itself.
    refetchInterval: 30_000,
  });

export const siteLabelsQuery = (team_id: string) =>
  queryOptions({
    queryKey: ['sites', 'labels', team_id],
    queryFn: async ({ signal }) => (await api.listSiteLabels({ params: { team_id }, signal })).results,
  });

export const siteViewsQuery = (team_id: string) =>
  queryOptions({
    queryKey: ['sites', 'views', team_id],
    queryFn: async ({ signal }) =>
      (await api.listSiteViews({ params: { team_id }, query: { size: 50 }, signal })).results,
  });
