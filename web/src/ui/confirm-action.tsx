import { cloneElement, type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';
import { Field } from './field.tsx';
import { keepPlace } from './focus.ts';
import { Form, SubmitButton } from './form.tsx';
import { Input } from './input.tsx';
import { CancelButton } from './modal.tsx';
import { Question } from './question.tsx';

type ConfirmActionProps = {
  /** The question, such as "Delete this ticket?". */
  title: string;
  /** What comes of it. */
  children: ReactNode;
  /** The verb of the question, for the button that does it. */
  action: string;
  onConfirm: () => Promise<unknown>;
  /** What has to be typed first, where a slip would cost much. */
  typed?: string;
  /** Whether it can be done the other way round again, and looks like that. */
  isHarmless?: boolean;
} & (
  | { trigger: ReactElement<Record<string, unknown>>; open?: undefined; onOpenChange?: undefined }
  // For an item of a menu, which is gone by the time the question is there.
  | { trigger?: undefined; open: boolean; onOpenChange: (open: boolean) => void }
);

/**
 * Asks before something that can not be taken back, everywhere in the same way: the focus begins at the harmless end, Escape and
 * Cancel lead back to where one was, and while the call runs nothing closes. If it fails, the question stays and says why.
 */
export function ConfirmAction(props: ConfirmActionProps) {
  const { title, children, action, onConfirm, typed, isHarmless, trigger, ...given } = props;
  const [isOpen, setOpen] = useState(false);
  const { open = isOpen, onOpenChange = setOpen } = given;
  const isRunning = useRef(false);
  const isDone = useRef(false);
  useEffect(
    () => () => {
      // What it removed can be off the page before the call has returned, or after.
      if (isRunning.current || isDone.current) keepPlace();
    },
    [],
  );

  async function run() {
    isRunning.current = true;
    try {
      await onConfirm();
    } finally {
      isRunning.current = false;
    }
    isDone.current = true;
    onOpenChange(false);
  }

  return (
    <>
      {trigger && cloneElement(trigger, { 'aria-haspopup': 'dialog', onClick: () => setOpen(true) })}
      <Question
        open={open}
        onOpenChange={(next) => isRunning.current || onOpenChange(next)}
        title={title}
        text={children}
      >
        <Form submit={run} className="mt-5">
          <Answer action={action} typed={typed} isHarmless={isHarmless} />
        </Form>
      </Question>
    </>
  );
}

type AnswerProps = Pick<ConfirmActionProps, 'action'> & { typed: string | undefined; isHarmless: boolean | undefined };

function Answer({ action, typed, isHarmless }: AnswerProps) {
  const [text, setText] = useState('');
  return (
    <>
      {typed && (
        <Field
          name="confirmation"
          label={
            <>
              Type <strong className="select-all font-mono">{typed}</strong> to confirm
            </>
          }
        >
          <Input value={text} onValueChange={setText} autoComplete="off" autoCapitalize="none" spellcheck={false} />
        </Field>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <CancelButton />
        <SubmitButton
          variant={isHarmless ? 'primary' : 'danger'}
          disabled={typed !== undefined && text.trim() !== typed}
        >
          {action}
        </SubmitButton>
      </div>
    </>
  );
}
