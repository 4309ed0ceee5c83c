import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import type { Team } from '#sdk';
import { teamsQuery } from './teams.ts';

/**
 * Which team the dashboard is about. Kept in this browser, so that the next visit starts where the last one ended; as a cookie, so that the server
 * knows what that visit begins with. On https it is named as the platform's other cookies are (src/core/http/cookies.ts).
 */
const isSecure = location.protocol === 'https:';
const cookie = isSecure ? '__Host-team' : 'team';
const yearSeconds = 365 * 24 * 60 * 60;
const listeners = new Set<() => void>();
let chosen = document.cookie
  .split('; ')
  .find((pair) => pair.startsWith(`${cookie}=`))
  ?.slice(cookie.length + 1);

export function chooseTeam(id: string): void {
  if (id === chosen) return;
  chosen = id;
  // biome-ignore lint/suspicious/noDocumentCookie: the other way to write one is asynchronous, and Safari has it not in every version that we serve.
  document.cookie = `${cookie}=${id}; Path=/; Max-Age=${yearSeconds}; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  for (const tell of listeners) tell();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** All that a person is in, up to what fits into a menu. */
export const myTeamsQuery = teamsQuery(1, 100);

/** The chosen team, or their own one for whoever has not chosen, or is no longer in that one. Undefined while it is not known. */
export function currentOf(teams: Team[] | undefined): Team | undefined {
  return teams?.find(({ id }) => id === chosen) ?? teams?.find(({ role }) => role === 'owner') ?? teams?.[0];
}

export function useCurrentTeam(): Team | undefined {
  useSyncExternalStore(subscribe, () => chosen);
  return currentOf(useQuery(myTeamsQuery).data?.results);
}
