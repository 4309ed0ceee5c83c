import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Proposal } from '#sdk';
import { api } from '../api/client.ts';
import { Loaded } from '../layout/loaded.tsx';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { Section } from '../ui/card.tsx';
import { Definitions } from '../ui/definitions.tsx';
import { messageOf } from '../ui/form.tsx';
import { PageHeader } from '../ui/page.tsx';
import { Time } from '../ui/time.tsx';

const route = getRouteApi('/app/proposals/$proposalId');

/** What a program proposed to do, for whoever it acts for to decide. */
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
      <Loaded query={query}>{(proposal) => <Decision proposal={proposal} />}</Loaded>
    </>
  );
}

function Decision({ proposal }: { proposal: Proposal }) {
  const queryClient = useQueryClient();
  const params = { proposal_id: proposal.id };
  const decide = useMutation({
    mutationFn: (confirms: boolean) => (confirms ? api.confirmProposal({ params }) : api.refuseProposal({ params })),
    onSuccess: (decided) => queryClient.setQueryData(['proposal', proposal.id], decided),
    onError: () => queryClient.invalidateQueries({ queryKey: ['proposal', proposal.id] }),
  });
  return (
    <Section title={proposal.summary} description={proposal.description}>
      <div className="grid gap-5">
        <Definitions rows={rowsOf(proposal)} />
        {decide.error && <Alert tone="danger">{messageOf(decide.error)}</Alert>}
        {proposal.state === 'open' ? (
          <div className="flex flex-wrap gap-3">
            <Button pending={decide.isPending && decide.variables} onClick={() => decide.mutate(true)}>
              Confirm
            </Button>
            <Button
              variant="secondary"
              pending={decide.isPending && !decide.variables}
              onClick={() => decide.mutate(false)}
            >
              Refuse
            </Button>
          </div>
        ) : (
          <Outcome proposal={proposal} />
        )}
      </div>
    </Section>
  );
}

function rowsOf({ input, created_at, expires_at, state }: Proposal): [string, React.ReactNode][] {
  const { params, query, body } = input as Record<string, Record<string, unknown> | undefined>;
  const given = Object.entries({ ...params, ...query, ...body });
  return [
    ...given.map(([name, value]): [string, React.ReactNode] => [name, <code key={name}>{String(value)}</code>]),
    ['Asked', <Time key="asked" iso={created_at} />],
    ...(state === 'open' ? [['Open until', <Time key="until" iso={expires_at} />] as [string, React.ReactNode]] : []),
  ];
}

function Outcome({ proposal: { state, result } }: { proposal: Proposal }) {
  if (state === 'refused') return <Alert tone="warn">You refused it. Nothing was changed.</Alert>;
  if (state === 'expired') return <Alert tone="warn">The hour is over. Nothing was changed.</Alert>;
  if (state === 'confirmed')
    return (
      <Alert tone="success">{result ? 'It is confirmed, and was called.' : 'It is confirmed and on its way.'}</Alert>
    );
  const { detail } = (result?.body ?? {}) as { detail?: unknown };
  return <Alert tone="danger">It failed: {typeof detail === 'string' ? detail : 'the call was refused.'}</Alert>;
}
