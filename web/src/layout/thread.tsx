import type { ReactNode } from 'react';
import type { TicketReply, User } from '#sdk';
import { Avatar } from '../ui/avatar.tsx';
import { Badge } from '../ui/badge.tsx';
import { CheckIcon, ReopenIcon } from '../ui/icons.tsx';
import { Time } from '../ui/time.tsx';

type MessageProps = { author: User; iso: string; isReply?: boolean; children: ReactNode };

/** One message of a conversation. */
export function Message({ author, iso, isReply, children }: MessageProps) {
  return (
    <li className="flex gap-3">
      <Avatar name={author.full_name} id={author.id} className="max-sm:hidden" />
      <article className="min-w-0 flex-1 rounded-xl border border-line bg-surface px-4 pt-3 pb-3.5 shadow-card">
        <header className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-medium">{author.full_name}</span>
          {isReply && author.is_superuser && <Badge tone="accent">Support</Badge>}
          <Time iso={iso} className="text-muted text-xs" />
        </header>
        <p className="mt-1 whitespace-pre-wrap leading-relaxed">{children}</p>
      </article>
    </li>
  );
}

/** What a reply says, and below it what it did to the ticket. */
export function Reply({ reply }: { reply: TicketReply }) {
  return (
    <>
      {reply.description && (
        <Message author={reply.user} iso={reply.created_at} isReply>
          {reply.description}
        </Message>
      )}
      {typeof reply.resolve === 'boolean' && (
        <li className="flex items-center gap-3 text-muted text-xs">
          <span className="grid w-8 place-items-center">{reply.resolve ? <CheckIcon /> : <ReopenIcon />}</span>
          <p>
            {reply.user.full_name} {reply.resolve ? 'resolved' : 'reopened'} the ticket ·{' '}
            <Time iso={reply.created_at} />
          </p>
        </li>
      )}
    </>
  );
}
