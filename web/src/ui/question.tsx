import { type ReactNode, useId } from 'react';
import { dialogFrame, dialogPanel } from './dialog.tsx';
import { Modal } from './modal.tsx';

type QuestionProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  /** What comes of it. */
  text: ReactNode;
  /** The answers. */
  children: ReactNode;
};

/** What has to be answered before one goes on. */
export function Question({ open, onOpenChange, title, text, children }: QuestionProps) {
  const id = useId();
  return (
    <Modal
      open={open}
      onOpenChange={onOpenChange}
      title={id}
      description={`${id}-text`}
      isQuestion
      className={dialogFrame}
    >
      <div className={`${dialogPanel} max-w-md p-6`}>
        <h2 id={id} className="font-semibold text-base">
          {title}
        </h2>
        <div id={`${id}-text`} className="mt-2 text-muted">
          {text}
        </div>
        {children}
      </div>
    </Modal>
  );
}
