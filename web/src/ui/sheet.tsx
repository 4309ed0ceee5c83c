import { Dialog } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { CloseIcon } from './icons.ts';

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
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Popup className="fixed inset-y-0 right-0 z-50 flex w-full max-w-xl flex-col bg-surface shadow-pop outline-none transition-[translate] duration-200 data-ending-style:translate-x-full data-starting-style:translate-x-full">
          <header className="flex items-start gap-4 border-line border-b py-4 pr-3.5 pl-6">
            <div className="min-w-0 flex-1">
              <Dialog.Title className="font-semibold text-base">{title}</Dialog.Title>
              {description && <Dialog.Description className="mt-1 text-muted">{description}</Dialog.Description>}
            </div>
            <Dialog.Close
              aria-label="Close"
              className="grid size-9 shrink-0 place-items-center rounded-lg text-muted hover:bg-raised hover:text-fg"
            >
              <CloseIcon />
            </Dialog.Close>
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-6 py-5">{children}</div>
          {actions && (
            <footer className="flex flex-wrap justify-end gap-2 border-line border-t px-6 py-4">{actions}</footer>
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
