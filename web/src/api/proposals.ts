import { queryOptions } from '@tanstack/react-query';
import type { Proposal } from '#sdk';
import { api } from './client.ts';

const lookMs = 1_000;

/** Whole, as its asker sees it. The call is on its way until there is a result. */
export const proposalQuery = (proposal_id: string) =>
  queryOptions({
    queryKey: ['proposal', proposal_id],
    queryFn: ({ signal }) => api.getProposal({ params: { proposal_id }, signal }),
    refetchInterval: ({ state: { data } }) => (data?.state === 'confirmed' && !data.result ? lookMs : false),
  });

/** The event of the work that a confirmed call has begun, until it has ended. */
export const workQuery = (event_id: string | null | undefined) =>
  queryOptions({
    queryKey: ['proposal-work', event_id],
    queryFn: ({ signal }) => api.getEvent({ params: { event_id: event_id as string }, signal }),
    enabled: typeof event_id === 'string',
    refetchInterval: ({ state }) => (state.data?.finished_at ? false : lookMs),
  });

/** Until the call has been made, or for as long as somebody can bear to wait. */
const waitSeconds = 30;

export const decideProposal = (id: string, decision: 'confirm' | 'refuse'): Promise<Proposal> => {
  const params = { proposal_id: id };
  if (decision === 'refuse') return api.refuseProposal({ params });
  return api.confirmProposal({ params, wait: waitSeconds });
};
