import { chosenTeam, myTeamsQuery } from './current-team.ts';
import { eventsQuery, teamEventsQuery } from './events.ts';
import { attentionQuery, recentSitesQuery } from './home-queries.ts';
import { preloadPicture } from './pictures.ts';
import { queryClient } from './query-client.ts';
import { siteQuery } from './sites.ts';

/** In this browser nobody has been signed in, so nobody is. */
const isStranger = () => chosenTeam() === undefined;

/** What the frame shows on every page. */
function askForFrame(): void {
  void queryClient.prefetchQuery(myTeamsQuery);
  void queryClient.prefetchInfiniteQuery(eventsQuery);
}

/** Of the team that was looked at last; of another one it is asked for when that is known. */
export function askForHome(): void {
  const team = chosenTeam();
  if (team === undefined) return;
  askForFrame();
  void queryClient.prefetchQuery(attentionQuery(team));
  void queryClient.prefetchQuery(recentSitesQuery(team));
  void queryClient.prefetchInfiniteQuery(teamEventsQuery(team));
}

export function askForSite(fqdn: string): void {
  if (isStranger()) return;
  void queryClient.prefetchQuery(siteQuery(fqdn));
  // The largest part of the page.
  preloadPicture(fqdn);
}
