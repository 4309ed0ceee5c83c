import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api } from '../api/client.ts';
import { Loaded } from '../layout/loaded.tsx';
import { ProposalCard } from '../layout/proposal-card.tsx';
import { PageHeader } from '../ui/page.tsx';

const route = getRouteApi('/app/proposals/$proposalId');

/** What a program proposed to do, for whoever it acts for to decide. Its answer to the program names this page. */
export function ProposalPage() {
  const { proposalId } = route.useParams();
  const query = useQuery({
    queryKey: ['proposal', proposalId],
    queryFn: ({ signal }) => api.getProposal({ params: { proposal_id: proposalId }, signal }),
    // The call is on its way until there is a result.
    refetchInterval: ({ state: { data } }) => (data?.state === 'confirmed' && !data.result ? 1000 : false),
  });
  return (
    <>
      <PageHeader title="A proposed change" description="Nothing happens before you confirm it." />
      <Loaded query={query}>
        {(proposal) => <ProposalCard proposal={proposal} mayDecide onDecided={() => query.refetch()} />}
      </Loaded>
    </>
  );
}
