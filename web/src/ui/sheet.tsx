import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { CloseIcon } from './icons.ts';

type SheetProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  /** What to do about it; it stays in sight however long the rest is. */
  actions: ReactNode;
  children: ReactNode;
};

/** Something that takes reading before it is done: at the side of a wide screen, over all of a small one. */
export function Sheet({ open, onOpenChange, title, description, actions, children }: SheetProps) {
  return (
    <BaseDialog.Root open={open} onOpenChange={onOpenChange}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="scrim" />
        <BaseDialog.Popup className="fixed inset-y-0 right-0 z-50 flex w-full max-w-xl flex-col bg-surface shadow-pop outline-none transition-[translate] duration-200 data-ending-style:translate-x-full data-starting-style:translate-x-full">
          <header className="border-line border-b px-6 pt-5 pr-14 pb-4">
            <BaseDialog.Title className="font-semibold text-base">{title}</BaseDialog.Title>
            {description && <BaseDialog.Description className="mt-1 text-muted">{description}</BaseDialog.Description>}
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto px-6 py-5 -outline-offset-2">
            {children}
          </div>
          <footer className="flex flex-wrap items-center justify-end gap-2 border-line border-t px-6 py-4">
            {actions}
          </footer>
          <BaseDialog.Close
            aria-label="Close"
            className="absolute top-3.5 right-3.5 grid size-9 place-items-center rounded-lg text-muted hover:bg-raised hover:text-fg"
          >
            <CloseIcon />
          </BaseDialog.Close>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}
