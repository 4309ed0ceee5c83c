import { type ReactNode, useId } from 'react';
import { CloseIcon } from './icons.ts';
import { CloseButton, Modal, ModalHeading } from './modal.tsx';

type SheetProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  children: ReactNode;
  /** What stays in sight below, however long the rest is. */
  actions?: ReactNode;
};

/** From the side over the page, for what needs more room than a dialog while one still sees where it belongs. */
export function Sheet({ open, onOpenChange, title, description, children, actions }: SheetProps) {
  const id = useId();
  return (
    <Modal
      open={open}
      onOpenChange={onOpenChange}
      title={id}
      description={description ? `${id}-description` : undefined}
      className="flex justify-end"
    >
      <div className="flex w-full max-w-xl flex-col bg-surface shadow-pop slide-in [--slide-from:100%]">
        <header className="flex items-start gap-4 border-line border-b py-4 pr-3.5 pl-6">
          <div className="min-w-0 flex-1">
            <ModalHeading id={id} title={title} description={description} />
          </div>
          <CloseButton
            aria-label="Close"
            className="grid size-9 shrink-0 place-items-center rounded-lg text-muted hover:bg-raised hover:text-fg"
          >
            <CloseIcon />
          </CloseButton>
        </header>
        <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-6 py-5">{children}</div>
        {actions && (
          <footer className="flex flex-wrap justify-end gap-2 border-line border-t px-6 py-4">{actions}</footer>
        )}
      </div>
    </Modal>
  );
}
