import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Site } from '#sdk';
import { api } from '../../api/client.ts';

/** Begins a copy of the site as it was, for half an hour; the page of that path shows it. */
export async function openPreview(site: Site, stage: boolean, restore_point: string): Promise<string> {
  const { browse } = await api.previewPitRestore({
    params: { fqdn: site.fqdn },
    query: { browse: true, size: 1 },
    body: { restore_point, for_stage_site: stage },
  });
  return new URL(browse?.url ?? '/', location.origin).pathname;
}

const framedQuery = (site: Site, stage: boolean, point: string) =>
  queryOptions({
    queryKey: ['framed-previews', site.fqdn, stage, point],
    queryFn: async ({ signal }) => {
      const preview_id = (await openPreview(site, stage, point)).split('/').at(-1) as string;
      for (;;) {
        const preview = await api.getPreview({ params: { preview_id }, signal });
        if (preview.url !== null) return { url: preview.url };
        await new Promise((resolve) => setTimeout(resolve, 700));
      }
    },
    // Each makes a copy, and its address lets in once.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });

/** A copy for a frame of this page. */
export const useFramed = (site: Site, stage: boolean, point: string) => useQuery(framedQuery(site, stage, point));
