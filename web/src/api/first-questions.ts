import type { QueryClient } from '@tanstack/react-query';
import { currentOf, myTeamsQuery } from './current-team.ts';
import { teamEventsQuery } from './events.ts';
import { attentionQuery, recentSitesQuery } from './home-queries.ts';
import { preloadPicture } from './pictures.ts';
import { meQuery } from './session.ts';
import { siteQuery } from './sites.ts';

/** What everything else waits for: it is asked first. */
export const askWhoIsThere = (queryClient: QueryClient): Promise<void> => queryClient.prefetchQuery(meQuery);

/** The server answers the same ahead (src/features/front-end/first-answers.ts). */
export async function askForHome(queryClient: QueryClient): Promise<void> {
  const teams = await queryClient.ensureQueryData(myTeamsQuery).catch(() => undefined);
  const team = currentOf(teams?.results);
  if (!team) return;
  await Promise.all([
    queryClient.prefetchQuery(recentSitesQuery(team.id)),
    // Not shown to whoever sees some sites alone.
    ...(team.is_limited
      ? []
      : [
          queryClient.prefetchQuery(attentionQuery(team.id)),
          queryClient.prefetchInfiniteQuery(teamEventsQuery(team.id)),
        ]),
  ]);
}

export const askForSite = (queryClient: QueryClient, fqdn: string): Promise<void> =>
  queryClient.prefetchQuery(siteQuery(fqdn));

/** `files` are those of the first page of a site: to draw it without them would be to draw it twice. */
export async function askForOverview(queryClient: QueryClient, fqdn: string, files: Promise<void>): Promise<void> {
  // The largest part of the page.
  preloadPicture(fqdn);
  await Promise.all([askForSite(queryClient, fqdn), files]);
}

/** What comes within this time is drawn together with the frame, and once; for what takes longer the page says that it loads. */
const togetherMs = 150;

export const soon = (answers: Promise<void>): Promise<void> =>
  Promise.race([answers, new Promise<void>((resolve) => setTimeout(resolve, togetherMs))]);
