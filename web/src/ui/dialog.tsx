import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { type ReactNode, type RefObject, useState } from 'react';
import { Button } from './button.tsx';
import { cx } from './cx.ts';
import { messageOf } from './form.tsx';
import { CloseIcon } from './icons.ts';
import { toast } from './toast.tsx';

const frame =
  'fixed inset-0 z-50 grid justify-items-center overflow-y-auto overscroll-contain p-3 max-sm:items-end sm:items-start sm:p-6 sm:pt-[12vh]';
const panel = 'popup relative w-full rounded-2xl';

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
        <BaseDialog.Viewport className={frame}>
          <BaseDialog.Popup initialFocus={initialFocus} className={cx(panel, wide ? 'max-w-xl' : 'max-w-md')}>
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

type ConfirmProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  children: ReactNode;
  action: string;
  onConfirm: () => Promise<unknown>;
};

/** Asks before something that can not be taken back. It stays open, and says why, when the call fails. */
export function ConfirmDialog({ open, onOpenChange, title, children, action, onConfirm }: ConfirmProps) {
  const [pending, setPending] = useState(false);
  async function confirm() {
    setPending(true);
    try {
      await onConfirm();
      onOpenChange(false);
    } catch (error) {
      toast.error(messageOf(error));
    } finally {
      setPending(false);
    }
  }
  return (
    <AlertDialog.Root open={open} onOpenChange={onOpenChange}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="scrim" />
        <AlertDialog.Viewport className={frame}>
          <AlertDialog.Popup className={cx(panel, 'max-w-md p-6')}>
            <AlertDialog.Title className="font-semibold text-base">{title}</AlertDialog.Title>
            <AlertDialog.Description className="mt-2 text-muted" render={<div />}>
              {children}
            </AlertDialog.Description>
            <div className="mt-6 flex flex-wrap justify-end gap-2">
              <AlertDialog.Close render={<Button variant="secondary">Cancel</Button>} />
              <Button variant="danger" pending={pending} onClick={() => void confirm()}>
                {action}
              </Button>
            </div>
          </AlertDialog.Popup>
        </AlertDialog.Viewport>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
