import { Field as BaseField } from '@base-ui/react/field';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';

export const labelStyle = 'font-medium text-fg text-sm';

type FieldProps = {
  /** The name that the API knows the value by: its faults find the field by it. */
  name: string;
  label: ReactNode;
  hint?: ReactNode;
  aside?: ReactNode;
  optional?: boolean;
  disabled?: boolean;
  className?: string;
  children: ReactNode;
  validate?: (value: unknown) => string | null;
};

export function Field({ name, label, hint, aside, optional, disabled, className, children, validate }: FieldProps) {
  return (
    <BaseField.Root
      name={name}
      disabled={disabled}
      validate={validate}
      className={cx('grid min-w-0 gap-1.5', className)}
    >
      <div className="flex items-baseline justify-between gap-3">
        <BaseField.Label className={labelStyle}>
          {label}
          {optional && <span className="font-normal text-muted"> (optional)</span>}
        </BaseField.Label>
        {aside}
      </div>
      {children}
      {hint && <BaseField.Description className="text-muted text-xs leading-5">{hint}</BaseField.Description>}
      <BaseField.Error className="text-danger-text text-xs leading-5" />
    </BaseField.Root>
  );
}
