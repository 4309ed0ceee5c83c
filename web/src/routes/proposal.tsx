import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { proposalQuery } from '../api/proposals.ts';
import { Loaded } from '../layout/loaded.tsx';
import { ProposalCard } from '../layout/proposal-card.tsx';
import { PageHeader } from '../ui/page.tsx';

const route = getRouteApi('/app/proposals/$proposalId');

/** What a program proposed to do, for whoever it acts for to decide. Its answer to the program names this page. */
export function ProposalPage() {
  const { proposalId } = route.useParams();
  const query = useQuery(proposalQuery(proposalId));
  return (
    <>
      <PageHeader title="A proposed change" description="Nothing happens before you confirm it." />
      <Loaded query={query}>{(proposal) => <ProposalCard proposal={proposal} mayDecide />}</Loaded>
    </>
  );
}
