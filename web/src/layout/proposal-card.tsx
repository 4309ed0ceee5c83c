import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Proposal, ProposalSummary } from '#sdk';
import { decideProposal, proposalQuery, workQuery } from '../api/proposals.ts';
import { Badge, type BadgeTone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { messageOf } from '../ui/form.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';

type ProposalCardProps = {
  proposal: ProposalSummary;
  /** Only the person who asked for it decides and sees its input. */
  mayDecide: boolean;
  onDecided?: () => unknown;
};

/** A call that waits for somebody: what it would do, the two buttons, and then what came of it. */
export function ProposalCard({ proposal: given, mayDecide, onDecided }: ProposalCardProps) {
  const queryClient = useQueryClient();
  const { queryKey, ...query } = proposalQuery(given.id);
  // What has been decided says in the list already how it ended.
  const goesOn = given.state === 'open' || (given.state === 'confirmed' && !given.result);
  const { data: whole } = useQuery({ ...query, queryKey, enabled: mayDecide && goesOn });
  const proposal = whole ?? given;
  const decide = useMutation({
    mutationFn: (decision: 'confirm' | 'refuse') => decideProposal(proposal.id, decision),
    onSuccess: (decided) => queryClient.setQueryData(queryKey, decided),
    onError: (error) => {
      toast.error(messageOf(error));
      return queryClient.invalidateQueries({ queryKey });
    },
    onSettled: () => onDecided?.(),
  });
  const isOpen = proposal.state === 'open';
  return (
    <section aria-label="Proposal" className="grid gap-3 rounded-lg border border-line-strong bg-bg/60 p-4">
      <header className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-medium">Proposal</span>
        <Outcome proposal={proposal} />
      </header>
      <p className="whitespace-pre-wrap break-words">{proposal.description}</p>
      {whole && <Given input={whole.input} />}
      {isOpen && mayDecide && whole && (
        <div className="flex flex-wrap items-center gap-2">
          <Button pending={decide.isPending && decide.variables === 'confirm'} onClick={() => decide.mutate('confirm')}>
            Confirm
          </Button>
          <Button
            variant="secondary"
            pending={decide.isPending && decide.variables === 'refuse'}
            onClick={() => decide.mutate('refuse')}
          >
            Refuse
          </Button>
          <span className="text-muted text-xs">
            Ends <Time iso={proposal.expires_at} />
          </span>
        </div>
      )}
      {isOpen && !mayDecide && <p className="text-muted text-xs">Only the person who asked for it can confirm it.</p>}
    </section>
  );
}

/** What the call is given, whole: a command that is only shown in part may do anything. */
function Given({ input }: Pick<Proposal, 'input'>) {
  const fields = Object.values(input).flatMap((part) => Object.entries(part ?? {}));
  return (
    <dl className="grid gap-1.5 text-xs">
      {fields.map(([name, value]) => (
        <div key={name} className="grid gap-0.5">
          <dt className="text-muted">{name}</dt>
          <dd>
            <pre className="max-h-96 overflow-auto whitespace-pre-wrap break-all rounded bg-raised p-2 font-mono">
              {visible(typeof value === 'string' ? value : JSON.stringify(value, null, 2))}
            </pre>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** What has no shape of its own could hide between the others, or turn them around. */
const visible = (text: string) =>
  text.replaceAll(/[^\P{C}\n\t]/gu, (unseen) => `\\u{${unseen.codePointAt(0)?.toString(16)}}`);

const states: Record<Proposal['state'], { label: string; tone: BadgeTone }> = {
  open: { label: 'Waiting for you', tone: 'warn' },
  confirmed: { label: 'Confirmed', tone: 'accent' },
  refused: { label: 'Refused', tone: 'neutral' },
  expired: { label: 'Expired', tone: 'neutral' },
  failed: { label: 'Failed', tone: 'danger' },
};

function Outcome({ proposal }: { proposal: ProposalSummary }) {
  const work = useQuery(workQuery(proposal.result?.operation_id)).data;
  const failure =
    work?.detail.failure ?? (proposal.state === 'failed' && (proposal.result?.detail ?? 'It was refused.'));
  const isRunning =
    proposal.state === 'confirmed' && (!proposal.result || (proposal.result.operation_id && !work?.finished_at));
  const { label, tone } = failure ? states.failed : states[proposal.state];
  return (
    <span role="status" className="flex flex-wrap items-center gap-2 text-xs">
      <Badge tone={tone}>{proposal.state === 'confirmed' && !isRunning && !failure ? 'Done' : label}</Badge>
      {isRunning && (
        <span className="flex items-center gap-1.5 text-muted">
          <Spinner /> In progress
        </span>
      )}
      {failure && (
        <span className="text-danger-text">{typeof failure === 'string' ? failure : JSON.stringify(failure)}</span>
      )}
    </span>
  );
}
