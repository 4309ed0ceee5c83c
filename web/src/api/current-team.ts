import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import type { Team } from '#sdk';
import { rememberForServer, visit } from '../visit.ts';
import { teamsQuery } from './teams.ts';

const listeners = new Set<() => void>();

/** Which team the dashboard is about. Kept in this browser, so that the next visit starts where the last one ended. */
export function chooseTeam(id: string): void {
  if (id === visit().chosenTeam) return;
  visit().chosenTeam = id;
  rememberForServer('team', id);
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
  return (
    teams?.find(({ id }) => id === visit().chosenTeam) ?? teams?.find(({ role }) => role === 'owner') ?? teams?.[0]
  );
}

export function useCurrentTeam(): Team | undefined {
  useSyncExternalStore(subscribe, () => visit().chosenTeam);
  return currentOf(useQuery(myTeamsQuery).data?.results);
}
