import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { WrittenAnswer } from '../../layout/assistant-message.tsx';

const againMs = 2_000;

/** What the assistant is writing in a ticket, while somebody waits for it. */
export function useWrittenAnswers(ticketId: string, isWaiting: boolean): Map<string, WrittenAnswer> {
  const queryClient = useQueryClient();
  const [answers, setAnswers] = useState(new Map<string, WrittenAnswer>());
  useEffect(() => {
    if (!isWaiting) return;
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = () => {
      source?.close();
      void queryClient.invalidateQueries({ queryKey: ['tickets', ticketId] });
      // Where the answer is there now, nobody waits any more and this never comes to it.
      timer = setTimeout(open, againMs);
    };
    const open = () => {
      source = new EventSource(`/f/api/v1/support/ticket/${ticketId}/answer/stream`);
      source.addEventListener('answer', ({ data }) => {
        const answer = JSON.parse(data) as WrittenAnswer;
        setAnswers((known) => new Map(known).set(answer.question_id, answer));
      });
      source.addEventListener('end', again);
      source.onerror = () => {
        if (source?.readyState === EventSource.CLOSED) again();
      };
    };
    open();
    return () => {
      clearTimeout(timer);
      source?.close();
    };
  }, [ticketId, isWaiting, queryClient]);
  return answers;
}
