import { useQueryClient } from '@tanstack/react-query';
import type { TicketReply } from '#sdk';
import { useMe } from '../api/session.ts';
import { Badge } from '../ui/badge.tsx';
import { WandIcon } from '../ui/icons.ts';
import { RichText } from '../ui/rich-text.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { Time } from '../ui/time.tsx';
import { ProposalCard } from './proposal-card.tsx';

type Step = TicketReply['assistant_steps'][number];

/** A reply of the assistant: its text, what it inspected, and its proposals, which only the person who asked can confirm. */
export function AssistantMessage({ reply, askerId }: { reply: TicketReply; askerId: string | undefined }) {
  const isAsker = useMe().id === askerId;
  const queryClient = useQueryClient();
  return (
    <Frame iso={reply.created_at}>
      <Steps steps={reply.assistant_steps} />
      <RichText text={reply.description ?? ''} />
      {reply.proposals.map((proposal) => (
        <ProposalCard
          key={proposal.id}
          proposal={proposal}
          mayDecide={isAsker}
          onDecided={() => queryClient.invalidateQueries({ queryKey: ['tickets'] })}
        />
      ))}
    </Frame>
  );
}

export type WrittenAnswer = { question_id: string; state: string; text: string; steps: Step[] };

/** The same while it is being written. It is read out when it is whole, and not word by word. */
export function GrowingMessage({ answer }: { answer: WrittenAnswer | undefined }) {
  const { text = '', steps = [] } = answer ?? {};
  return (
    <Frame>
      <Steps steps={steps} />
      {text !== '' && <RichText text={text} />}
      <p className="flex items-center gap-2 text-muted text-xs">
        <Spinner /> The assistant is working on it
      </p>
    </Frame>
  );
}

function Frame({ iso, children }: { iso?: string; children: React.ReactNode }) {
  return (
    <li className="flex gap-3">
      <span className="grid size-8 shrink-0 place-items-center rounded-full bg-accent-soft text-accent-text max-sm:hidden">
        <WandIcon />
      </span>
      <article
        aria-busy={iso === undefined || undefined}
        className="grid min-w-0 flex-1 gap-3 rounded-xl border border-line bg-surface px-4 pt-3 pb-3.5 shadow-card"
      >
        <header className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-medium">Assistant</span>
          <Badge>Automatic</Badge>
          {iso && <Time iso={iso} className="text-muted text-xs" />}
        </header>
        {children}
      </article>
    </li>
  );
}

function Steps({ steps }: { steps: readonly Step[] }) {
  if (steps.length === 0) return null;
  return (
    <ul aria-label="What it looked at" className="grid gap-0.5 border-line border-l-2 pl-3 text-muted text-xs">
      {steps.map((step, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps are only added
        <li key={at}>
          {step.text}
          {!step.ok && ' (refused)'}
        </li>
      ))}
    </ul>
  );
}
