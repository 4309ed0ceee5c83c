import { Link } from '@tanstack/react-router';
import type { Ticket } from '#sdk';
import { Avatar } from '../ui/avatar.tsx';
import { Badge, type BadgeTone } from '../ui/badge.tsx';
import { Time } from '../ui/time.tsx';

type TicketListProps = {
  tickets: Ticket[];
  /** Whether to say who opened each; in a list of one's own tickets that is no news. */
  authors?: boolean;
  to?: '/tickets/$ticketId' | '/operator/tickets/$ticketId';
};

export function TicketList({ tickets, authors, to = '/tickets/$ticketId' }: TicketListProps) {
  return (
    <ul className="divide-y divide-line">
      {tickets.map((ticket) => (
        <li
          key={ticket.id}
          className="relative flex gap-3 px-4 py-3 transition-colors last:rounded-b-xl hover:bg-raised/60 has-[[aria-current=page]]:bg-raised/60 has-[[aria-current=page]]:shadow-[inset_2px_0_0_var(--accent)]"
        >
          {authors && <Avatar name={ticket.user.full_name} id={ticket.user.id} />}
          <div className="min-w-0 flex-1">
            <div className="flex items-baseline justify-between gap-3">
              <Link
                to={to}
                params={{ ticketId: ticket.id }}
                className="min-w-0 truncate rounded font-medium after:absolute after:inset-0"
              >
                {ticket.subject}
              </Link>
              <Time iso={ticket.active_at} className="shrink-0 text-muted text-xs" />
            </div>
            <p className="truncate text-muted text-xs leading-5">
              {[authors && ticket.user.full_name, ticket.fqdn, ticket.description.replaceAll(MARKS, '')]
                .filter(Boolean)
                .join(' · ')}
            </p>
            <div className="mt-1.5 flex flex-wrap items-center gap-1.5">
              <TicketState ticket={ticket} asSupport={to === '/operator/tickets/$ticketId'} />
              {authors && ticket.assignee && <Badge>{ticket.assignee.full_name}</Badge>}
            </div>
          </div>
        </li>
      ))}
    </ul>
  );
}

/** Of Markdown, which one line is better without. */
const MARKS = /[*`#>]/g;

const ofTeam: Record<string, [string, BadgeTone]> = {
  support: ['Waiting for support', 'neutral'],
  asker: ['Waiting for you', 'accent'],
};
const ofSupport: Record<string, [string, BadgeTone]> = {
  support: ['Needs an answer', 'warn'],
  asker: ['Waiting for them', 'neutral'],
};

/** Whose turn it is, as whoever reads it sees it. */
export function TicketState({ ticket, asSupport }: { ticket: Pick<Ticket, 'waits_for'>; asSupport?: boolean }) {
  const [label, tone] = (asSupport ? ofSupport : ofTeam)[ticket.waits_for ?? ''] ?? ['Resolved', 'neutral'];
  return <Badge tone={tone}>{label}</Badge>;
}
