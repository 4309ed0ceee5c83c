import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense } from 'react';
import type { Attachment, Ticket, TicketReply, TicketReplyPage, User } from '#sdk';
import { Avatar } from '../ui/avatar.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { formatBytes } from '../ui/format.ts';
import { AttachIcon, CheckIcon, ReopenIcon } from '../ui/icons.ts';
import { Time } from '../ui/time.tsx';
import { AssistantMessage } from './assistant-message.tsx';

// What reads Markdown is a package of its own, which other pages do without.
const Markdown = lazy(() =>
  import('../texts/markdown.tsx').then(({ Markdown: component }) => ({ default: component })),
);

type ConversationProps = {
  ticket: Ticket;
  replies: UseInfiniteQueryResult<InfiniteData<TicketReplyPage>>;
  /** What comes after the last reply. */
  children?: ReactNode;
};

/** What the ticket is about, then its newest replies; the earlier ones come on demand. */
export function Conversation({ ticket, replies, children }: ConversationProps) {
  const loaded = replies.data?.pages.flatMap((page) => page.results) ?? [];
  // The same reply met twice (pages shift while new ones arrive) shows once.
  const shown = [...new Map(loaded.map((reply) => [reply.id, reply])).values()].toReversed();
  const earlier = Math.max(0, ticket.ticket_replies_count - shown.length);
  return (
    <ol className="grid grid-cols-1 gap-4" aria-label="Conversation" aria-live="polite">
      <Message author={ticket.user} iso={ticket.created_at} text={ticket.description} files={ticket.attachments} />
      {replies.hasNextPage && (
        <li className="text-center">
          <Button
            variant="secondary"
            size="sm"
            pending={replies.isFetchingNextPage}
            onClick={() => void replies.fetchNextPage()}
          >
            Show earlier replies{earlier > 0 && ` (${earlier} more)`}
          </Button>
        </li>
      )}
      {shown.map((item) => (
        <Reply key={item.id} reply={item} question={shown.find(({ id }) => id === item.assistant_message_id)} />
      ))}
      {children}
    </ol>
  );
}

type MessageProps = { author: User; iso: string; isReply?: boolean; text: string; files: Attachment[] };

/** One message of a conversation. */
function Message({ author, iso, isReply, text, files }: MessageProps) {
  return (
    <li className="flex gap-3">
      <Avatar name={author.full_name} id={author.id} className="max-sm:hidden" />
      <article className="min-w-0 flex-1 rounded-xl border border-line bg-surface px-4 pt-3 pb-3.5 shadow-card">
        <header className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-medium">{author.full_name}</span>
          {isReply && author.is_superuser && <Badge tone="accent">Support</Badge>}
          <Time iso={iso} className="text-muted text-xs" />
        </header>
        <div className="mt-1">
          <Suspense fallback={<p className="whitespace-pre-wrap break-words leading-relaxed">{text}</p>}>
            <Markdown text={text} />
          </Suspense>
        </div>
        <Files files={files} />
      </article>
    </li>
  );
}

function Files({ files }: { files: Attachment[] }) {
  if (files.length === 0) return null;
  return (
    <ul aria-label="Attachments" className="mt-3 flex flex-wrap gap-2">
      {files.map(({ s3_object, name, size_bytes }) => (
        <li key={s3_object} className="min-w-0">
          <a
            href={`/f/api/v1/support/attachment/${s3_object}`}
            download={name}
            className="inline-flex h-8 max-w-full items-center gap-2 rounded-lg border border-line px-2.5 text-xs hover:bg-raised"
          >
            <AttachIcon className="size-3.5 text-muted" />
            <span className="truncate">{name}</span>
            <span className="shrink-0 text-muted">{formatBytes(size_bytes)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** What a reply says, and below it what it did to the ticket. `question`: the reply that it answers, if it is the assistant's. */
function Reply({ reply, question }: { reply: TicketReply; question: TicketReply | undefined }) {
  if (reply.assistant_message_id !== null) return <AssistantMessage reply={reply} askerId={question?.user.id} />;
  return (
    <>
      {reply.description && (
        <Message
          author={reply.user}
          iso={reply.created_at}
          isReply
          text={reply.description}
          files={reply.attachments}
        />
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
