import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Proposal } from '#sdk';
import { decideProposal, workQuery } from '../api/proposals.ts';
import { Badge, type BadgeTone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { messageOf } from '../ui/form.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';

type ProposalCardProps = {
  proposal: Proposal;
  /** Only whoever asked for it decides. */
  mayDecide: boolean;
  onDecided?: () => unknown;
};

/** A call that waits for somebody: what it would do, the two buttons, and then what came of it. */
export function ProposalCard({ proposal: given, mayDecide, onDecided }: ProposalCardProps) {
  const [decided, setDecided] = useState<Proposal>();
  const proposal = decided && given.state === 'open' ? decided : given;
  const decide = useMutation({
    mutationFn: (decision: 'confirm' | 'refuse') => decideProposal(proposal.id, decision),
    onSuccess: setDecided,
    onError: (error) => toast.error(messageOf(error)),
    onSettled: () => onDecided?.(),
  });
  const isOpen = proposal.state === 'open';
  return (
    <section aria-label="Proposal" className="grid gap-3 rounded-lg border border-line-strong bg-bg/60 p-4">
      <header className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h4 className="font-medium">Proposal</h4>
        <Outcome proposal={proposal} />
      </header>
      <p className="whitespace-pre-wrap break-words">{proposal.description}</p>
      {isOpen && mayDecide && (
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
            Open until <Time iso={proposal.expires_at} />
          </span>
        </div>
      )}
      {isOpen && !mayDecide && <p className="text-muted text-xs">Only whoever asked for it can confirm it.</p>}
    </section>
  );
}

const states: Record<Proposal['state'], { label: string; tone: BadgeTone }> = {
  open: { label: 'Waits for you', tone: 'warn' },
  confirmed: { label: 'Confirmed', tone: 'accent' },
  refused: { label: 'Refused', tone: 'neutral' },
  expired: { label: 'Expired', tone: 'neutral' },
  failed: { label: 'Failed', tone: 'danger' },
};

function Outcome({ proposal }: { proposal: Proposal }) {
  const work = useQuery(workQuery(proposal.result?.operation_id)).data;
  const failure = work?.detail.failure ?? (proposal.state === 'failed' && detailOf(proposal));
  const isRunning =
    proposal.state === 'confirmed' && (!proposal.result || (proposal.result.operation_id && !work?.finished_at));
  const { label, tone } = failure ? states.failed : states[proposal.state];
  return (
    <span role="status" className="flex flex-wrap items-center gap-2 text-xs">
      <Badge tone={tone}>{proposal.state === 'confirmed' && !isRunning && !failure ? 'Done' : label}</Badge>
      {isRunning && (
        <span className="flex items-center gap-1.5 text-muted">
          <Spinner /> It is being done
        </span>
      )}
      {failure && <span className="text-danger-text">{String(failure)}</span>}
    </span>
  );
}

function detailOf({ result }: Proposal): string {
  const { detail } = (result?.body ?? {}) as { detail?: unknown };
  return typeof detail === 'string' ? detail : 'It was refused.';
}
