import { type ReactNode, type RefObject, useId } from 'react';
import { cx } from './cx.ts';
import { CloseIcon } from './icons.ts';
import { CloseButton, Modal, ModalHeading } from './modal.tsx';

export { CancelButton } from './modal.tsx';

export const dialogFrame =
  'grid justify-items-center overflow-y-auto overscroll-contain p-3 max-sm:items-end sm:items-start sm:p-6 sm:pt-[12vh]';
export const dialogPanel = 'popup relative w-full rounded-2xl';

type DialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  children: ReactNode;
  wide?: boolean;
  /** The content cannot be shown again, so only a button among the children closes the dialog. */
  isSecret?: boolean | undefined;
  /** Where to begin, if not at the first field. With `autoFocus` the focus would not find its way back to the opener. */
  initialFocus?: RefObject<HTMLElement | null>;
};

export function Dialog(props: DialogProps) {
  const { open, onOpenChange, title, description, children, wide, isSecret, initialFocus } = props;
  const id = useId();
  return (
    <Modal
      open={open}
      onOpenChange={onOpenChange}
      title={id}
      description={description ? `${id}-description` : undefined}
      isSecret={isSecret}
      initialFocus={initialFocus}
      className={dialogFrame}
    >
      <div className={cx(dialogPanel, wide ? 'max-w-xl' : 'max-w-md')}>
        <header className="px-6 pt-5 pr-14 pb-4">
          <ModalHeading id={id} title={title} description={description} />
        </header>
        <div className="px-6 pb-6">{children}</div>
        {!isSecret && (
          <CloseButton
            aria-label="Close"
            className="absolute top-3.5 right-3.5 grid size-9 place-items-center rounded-lg text-muted hover:bg-raised hover:text-fg"
          >
            <CloseIcon />
          </CloseButton>
        )}
      </div>
    </Modal>
  );
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap justify-end gap-2 pt-1">{children}</div>;
}
