import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { CancelButton } from './modal.tsx';
import { Question } from './question.tsx';

type Asked = { title: string; text: ReactNode; action: string };

/**
 * Asks before a form does something that many people will notice. What comes of it is still the form's to tell, so that a fault lands at its field;
 * what can not be taken back is asked by confirm-action.tsx.
 */
export function useQuestion(): { ask: (question: Asked) => Promise<boolean>; question: ReactNode } {
  const [asked, setAsked] = useState<Asked & { answer: (yes: boolean) => void }>();
  const [isOpen, setOpen] = useState(false);
  const ask = (question: Asked) => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    setAsked({ ...question, answer: resolve });
    setOpen(true);
    return promise;
  };
  function answer(yes: boolean) {
    setOpen(false);
    asked?.answer(yes);
  }
  const question = (
    <Question open={isOpen} onOpenChange={(next) => next || answer(false)} title={asked?.title} text={asked?.text}>
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <CancelButton />
        <Button onClick={() => answer(true)}>{asked?.action}</Button>
      </div>
    </Question>
  );
  return { ask, question };
}
