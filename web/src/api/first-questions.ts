import { chosenTeam, myTeamsQuery } from './current-team.ts';
import { eventsQuery, teamEventsQuery } from './events.ts';
import { attentionQuery, recentSitesQuery } from './home-queries.ts';
import { preloadPicture } from './pictures.ts';
import { queryClient } from './query-client.ts';
import { meQuery } from './session.ts';
import { siteQuery } from './sites.ts';

/** In this browser nobody has been signed in, so nobody is. */
const isStranger = () => chosenTeam() === undefined;

/** What everything else waits for: it is asked first. */
export function askWhoIsThere(): void {
  if (!isStranger()) void queryClient.prefetchQuery(meQuery);
}

/** Of the team that was looked at last; of another one it is asked for when that is known. */
export async function askForHome(): Promise<void> {
  const team = chosenTeam();
  if (team === undefined) return;
  void queryClient.prefetchInfiniteQuery(eventsQuery);
  await Promise.all([
    queryClient.prefetchQuery(myTeamsQuery),
    queryClient.prefetchQuery(attentionQuery(team)),
    queryClient.prefetchQuery(recentSitesQuery(team)),
    queryClient.prefetchInfiniteQuery(teamEventsQuery(team)),
  ]);
}

export async function askForSite(fqdn: string): Promise<void> {
  if (isStranger()) return;
  // The largest part of the page.
  preloadPicture(fqdn);
  await queryClient.prefetchQuery(siteQuery(fqdn));
}

/** What comes within this time is drawn together with the frame, and once; for what takes longer the page says that it loads. */
const togetherMs = 150;

export const soon = (answers: Promise<void>): Promise<void> =>
  Promise.race([answers, new Promise<void>((resolve) => setTimeout(resolve, togetherMs))]);
