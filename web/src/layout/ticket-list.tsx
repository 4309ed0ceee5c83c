import { Link } from '@tanstack/react-router';
import type { Ticket } from '#sdk';
import { Badge } from '../ui/badge.tsx';
import { capitalise } from '../ui/format.ts';
import { Time } from '../ui/time.tsx';

type TicketListProps = { tickets: Ticket[]; to?: '/tickets/$ticketId' | '/operator/tickets/$ticketId' };

export function TicketList({ tickets, to = '/tickets/$ticketId' }: TicketListProps) {
  return (
    <ul className="divide-y divide-line">
      {tickets.map((ticket) => (
        <li
          key={ticket.id}
          className="relative flex items-center gap-4 px-5 py-3.5 transition-colors last:rounded-b-xl hover:bg-raised/60"
        >
          <div className="min-w-0 flex-1">
            <Link
              to={to}
              params={{ ticketId: ticket.id }}
              className="block truncate rounded font-medium after:absolute after:inset-0"
            >
              {ticket.subject}
            </Link>
            <p className="truncate text-muted text-xs leading-5">
              {ticket.category && `${capitalise(ticket.category)} · `}
              <Time iso={ticket.created_at} /> · {ticket.description}
            </p>
          </div>
          <TicketState resolved={ticket.resolved} />
        </li>
      ))}
    </ul>
  );
}

export function TicketState({ resolved }: { resolved: boolean }) {
  return resolved ? <Badge>Resolved</Badge> : <Badge tone="accent">Open</Badge>;
}
