import { Link } from '@tanstack/react-router';
import type { Ticket } from '#sdk';
import { Avatar } from '../ui/avatar.tsx';
import { Badge } from '../ui/badge.tsx';
import { cx } from '../ui/cx.ts';
import { capitalise } from '../ui/format.ts';
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
          className="relative flex items-center gap-3 px-5 py-3.5 transition-colors last:rounded-b-xl hover:bg-raised/60"
        >
          {authors && <Avatar name={ticket.user.full_name} id={ticket.user.id} />}
          <div className="min-w-0 flex-1">
            <Link
              to={to}
              params={{ ticketId: ticket.id }}
              className="line-clamp-2 rounded font-medium after:absolute after:inset-0 sm:line-clamp-1"
            >
              {ticket.subject}
            </Link>
            <p className={cx('text-muted text-xs leading-5', authors ? 'sm:truncate' : 'truncate')}>
              {authors && `${ticket.user.full_name} · `}
              <Time iso={ticket.created_at} />
              <span className={authors ? 'max-sm:hidden' : undefined}>
                {ticket.category && ` · ${capitalise(ticket.category)}`} · {ticket.description}
              </span>
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
