import { useQuery } from '@tanstack/react-query';
import { roleQuery } from './queries.ts';
import type { Role } from './roles.ts';
import { useMe } from './session.ts';

/** Undefined until it is known; whatever depends on it stays hidden that long. */
export function useRole(team: { id: string; user_id: string } | undefined): Role | undefined {
  const me = useMe();
  const owns = team?.user_id === me.id;
  const query = useQuery({ ...roleQuery(team?.id ?? '', me.id), enabled: team !== undefined && !owns });
  return owns ? 'owner' : query.data;
}
