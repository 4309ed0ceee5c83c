import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import type { Team } from '#sdk';
import { teamsQuery } from './teams.ts';

/** Which team the dashboard is about. Kept in this browser, so that the next visit starts where the last one ended. */
const KEY = 'team';
const listeners = new Set<() => void>();
let chosen = localStorage.getItem(KEY) ?? undefined;

export function chooseTeam(id: string): void {
  if (id === chosen) return;
  chosen = id;
  localStorage.setItem(KEY, id);
  for (const tell of listeners) tell();
}

/** The one that was looked at last in this browser. */
export const chosenTeam = () => chosen;

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** All that a person is in, up to what fits into a menu. */
export const myTeamsQuery = teamsQuery(1, 100);

/** The chosen team, or their own one for whoever has not chosen, or is no longer in that one. Undefined while it is not known. */
export function useCurrentTeam(): Team | undefined {
  const id = useSyncExternalStore(subscribe, () => chosen);
  const teams = useQuery(myTeamsQuery).data?.results;
  return teams?.find((team) => team.id === id) ?? teams?.find(({ role }) => role === 'owner') ?? teams?.[0];
}
