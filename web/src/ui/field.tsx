import { createContext, type ReactNode, useContext, useId } from 'react';
import { cx } from './cx.ts';
import { useFault } from './form.tsx';

export const labelStyle = 'font-medium text-fg text-sm';

type FieldState = { id: string; name: string; disabled: boolean; hasHint: boolean; isInvalid: boolean };

const FieldContext = createContext<FieldState | undefined>(undefined);

type FieldProps = {
  /** The name that the API knows the value by: its faults find the field by it. */
  name: string;
  label: ReactNode;
  hint?: ReactNode;
  aside?: ReactNode;
  optional?: boolean;
  disabled?: boolean | undefined;
  className?: string;
  children: ReactNode;
};

export function Field({ name, label, hint, aside, optional, disabled = false, className, children }: FieldProps) {
  const id = useId();
  const fault = useFault(name);
  return (
    <FieldContext value={{ id, name, disabled, hasHint: Boolean(hint), isInvalid: fault !== undefined }}>
      <div className={cx('grid min-w-0 gap-1.5', className)}>
        <div className="flex items-baseline justify-between gap-3">
          <label htmlFor={id} className={labelStyle}>
            {label}
            {optional && <span className="font-normal text-muted"> (optional)</span>}
          </label>
          {aside}
        </div>
        {children}
        {hint && (
          <p id={`${id}-hint`} className="text-muted text-xs leading-5">
            {hint}
          </p>
        )}
        <FieldFault id={`${id}-fault`} name={name} />
      </div>
    </FieldContext>
  );
}

/** What is wrong with a value, under it. */
export function FieldFault({ id, name, className }: { id?: string; name: string; className?: string }) {
  const fault = useFault(name);
  if (fault === undefined) return null;
  return (
    <p id={id} className={cx('text-danger-text text-xs leading-5', className)}>
      {fault}
    </p>
  );
}

/** What ties a control to the field around it; outside of one it is on its own. */
export function useControl(given: { name?: string | undefined; disabled?: boolean | undefined }) {
  const field = useContext(FieldContext);
  if (!field) return given;
  const { id, hasHint, isInvalid } = field;
  const described = [hasHint && `${id}-hint`, isInvalid && `${id}-fault`].filter(Boolean).join(' ');
  return {
    id,
    name: given.name ?? field.name,
    disabled: given.disabled ?? field.disabled,
    'aria-describedby': described || undefined,
    'aria-invalid': isInvalid || undefined,
  };
}
