import { createContext, type ReactNode, type RefObject, useContext, useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { Button, type ButtonProps } from './button.tsx';
import { keepPlace } from './focus.ts';

const CloseContext = createContext(() => {});

type ModalProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** The ids of what names and describes it. */
  title: string;
  description?: string | undefined;
  /** A question has to be answered: a click beside it does not close it. */
  isQuestion?: boolean | undefined;
  /** The content cannot be shown again, so only a button inside closes it, not Escape or a click outside. */
  isSecret?: boolean | undefined;
  initialFocus?: RefObject<HTMLElement | null> | undefined;
  /** Of what fills the window around the panel. */
  className: string;
  children: ReactNode;
};

/**
 * A dialog of the browser over the whole window: what is under it can not be reached, Escape closes it, and the focus goes back to where it was. It is
 * there only while it is open, so everything in it begins anew.
 */
export function Modal(props: ModalProps) {
  return props.open ? createPortal(<OpenModal {...props} />, document.body) : null;
}

function OpenModal(props: ModalProps) {
  const { onOpenChange, title, description, isQuestion, isSecret, initialFocus, className, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const pressed = useRef<EventTarget>(null);
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    initialFocus?.current?.focus();
    return () => {
      shown?.close();
      // What opened it may be gone by now, as what it was about is.
      keepPlace();
    };
  }, [initialFocus]);
  const close = () => onOpenChange(false);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the key is Escape, and the browser's.
    <dialog
      ref={dialog}
      role={isQuestion || isSecret ? 'alertdialog' : undefined}
      aria-labelledby={title}
      aria-describedby={description}
      onCancel={(event) => {
        // That of a choice of files comes by here as well.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        if (!isSecret) close();
      }}
      onClose={({ target }) => {
        // A second Escape in a row is the browser's own, whatever runs here. What may not close yet is shown again.
        if (target !== dialog.current) return;
        if (!isSecret) close();
        setTimeout(() => dialog.current?.open === false && dialog.current.showModal());
      }}
      onPointerDown={({ target }) => {
        pressed.current = target;
      }}
      onClick={({ target, currentTarget }) => {
        // A selection of text that ends beside it is no click there.
        if (!isQuestion && !isSecret && target === currentTarget && pressed.current === target) close();
      }}
      className={`modal ${className}`}
    >
      <CloseContext value={close}>{children}</CloseContext>
    </dialog>
  );
}

type ModalHeadingProps = { id: string; title: string; description: ReactNode };

/** What names and describes it: the ids are those that `Modal` is told. */
export function ModalHeading({ id, title, description }: ModalHeadingProps) {
  return (
    <>
      <h2 id={id} className="font-semibold text-base">
        {title}
      </h2>
      {description && (
        <p id={`${id}-description`} className="mt-1 text-muted">
          {description}
        </p>
      )}
    </>
  );
}

type CloseButtonProps = { 'aria-label'?: string; className: string; children: ReactNode };

export function CloseButton(props: CloseButtonProps) {
  return <button type="button" {...props} onClick={useContext(CloseContext)} />;
}

export function CancelButton({ children = 'Cancel', ...props }: ButtonProps) {
  return (
    <Button variant="secondary" {...props} onClick={useContext(CloseContext)}>
      {children}
    </Button>
  );
}
