import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import type { ReactNode, RefObject } from 'react';
import { Button } from './button.tsx';
import { cx } from './cx.ts';
import { CloseIcon } from './icons.ts';

export const dialogFrame =
  'fixed inset-0 z-50 grid justify-items-center overflow-y-auto overscroll-contain p-3 max-sm:items-end sm:items-start sm:p-6 sm:pt-[12vh]';
export const dialogPanel = 'popup relative w-full rounded-2xl';

type DialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  children: ReactNode;
  wide?: boolean;
  /** Where to begin, if not at the first field. With `autoFocus` the focus would not find its way back to the opener. */
  initialFocus?: RefObject<HTMLElement | null>;
};

export function Dialog({ open, onOpenChange, title, description, children, wide, initialFocus }: DialogProps) {
  return (
    <BaseDialog.Root open={open} onOpenChange={onOpenChange}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="scrim" />
        <BaseDialog.Viewport className={dialogFrame}>
          <BaseDialog.Popup initialFocus={initialFocus} className={cx(dialogPanel, wide ? 'max-w-xl' : 'max-w-md')}>
            <header className="px-6 pt-5 pr-14 pb-4">
              <BaseDialog.Title className="font-semibold text-base">{title}</BaseDialog.Title>
              {description && (
                <BaseDialog.Description className="mt-1 text-muted">{description}</BaseDialog.Description>
              )}
            </header>
            <div className="px-6 pb-6">{children}</div>
            <BaseDialog.Close
              aria-label="Close"
              className="absolute top-3.5 right-3.5 grid size-9 place-items-center rounded-lg text-muted hover:bg-raised hover:text-fg"
            >
              <CloseIcon />
            </BaseDialog.Close>
          </BaseDialog.Popup>
        </BaseDialog.Viewport>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap justify-end gap-2 pt-1">{children}</div>;
}

export function CancelButton({ children = 'Cancel' }: { children?: ReactNode }) {
  return <BaseDialog.Close render={<Button variant="secondary">{children}</Button>} />;
}
