import { type ReactNode, useId } from 'react';
import { cx } from './cx.ts';

type SwitchProps = {
  label: ReactNode;
  hint?: ReactNode;
  /** Inside a form, the name that the API knows the value by. */
  name?: string;
  checked?: boolean;
  defaultChecked?: boolean;
  onCheckedChange?: (checked: boolean) => void;
  disabled?: boolean;
  className?: string;
};

/** A setting that is on or off. */
export function Switch({ label, hint, className, onCheckedChange, ...props }: SwitchProps) {
  const id = useId();
  return (
    <div className={cx('flex items-start justify-between gap-4', className)}>
      <div className="min-w-0">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {hint && (
          <p id={`${id}-hint`} className="mt-0.5 text-muted">
            {hint}
          </p>
        )}
      </div>
      <input
        {...props}
        type="checkbox"
        // biome-ignore lint/a11y/useAriaPropsForRole: the browser tells whether it is on.
        role="switch"
        id={id}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onInput={({ currentTarget }) => onCheckedChange?.(currentTarget.checked)}
        className="mt-0.5 inline-flex h-6 w-10 shrink-0 cursor-pointer appearance-none rounded-full border border-muted bg-raised p-0.5 transition-colors before:size-4.5 before:rounded-full before:bg-muted before:transition-[translate] checked:border-accent checked:bg-accent checked:before:translate-x-4 checked:before:bg-accent-fg disabled:cursor-not-allowed disabled:opacity-60"
      />
    </div>
  );
}
