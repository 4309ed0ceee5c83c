import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isStatus } from '../api/client.ts';

type Team = { id: string; name: string };

export function PlanLink({ team }: { team: Team }) {
  return (
    <Link
      to="/teams/$teamId/$page"
      params={{ teamId: team.id, page: 'billing' }}
      className="rounded font-medium underline underline-offset-4"
    >
      See the plan of {team.name}
    </Link>
  );
}

/** What to offer beside the sentence of a failed call: where a plan's limit was met, the way to the plan. */
export const planRemedy =
  (team: Team | undefined) =>
  (error: unknown): ReactNode =>
    team && isStatus(error, 402) ? <PlanLink team={team} /> : undefined;
