import { AlertDialog } from '@base-ui/react/alert-dialog';
import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { cx } from './cx.ts';
import { dialogFrame, dialogPanel } from './dialog.tsx';

type Question = { title: string; text: ReactNode; action: string };

/**
 * Asks before a form does something that many people will notice. What comes of it is still the form's to tell, so that a fault lands at its field;
 * what can not be taken back is asked by confirm-action.tsx.
 */
export function useQuestion(): { ask: (question: Question) => Promise<boolean>; question: ReactNode } {
  const [asked, setAsked] = useState<Question & { answer: (yes: boolean) => void }>();
  const [isOpen, setOpen] = useState(false);
  const ask = (question: Question) => {
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
    <AlertDialog.Root open={isOpen} onOpenChange={(next) => next || answer(false)}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="scrim" />
        <AlertDialog.Viewport className={dialogFrame}>
          <AlertDialog.Popup className={cx(dialogPanel, 'max-w-md p-6')}>
            <AlertDialog.Title className="font-semibold text-base">{asked?.title}</AlertDialog.Title>
            <AlertDialog.Description className="mt-2 text-muted">{asked?.text}</AlertDialog.Description>
            <div className="mt-5 flex flex-wrap justify-end gap-2">
              <AlertDialog.Close render={<Button variant="secondary">Cancel</Button>} />
              <Button onClick={() => answer(true)}>{asked?.action}</Button>
            </div>
          </AlertDialog.Popup>
        </AlertDialog.Viewport>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
  return { ask, question };
}
