import { Switch as BaseSwitch } from '@base-ui/react/switch';
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
export function Switch({ label, hint, className, ...props }: SwitchProps) {
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
      <BaseSwitch.Root
        {...props}
        id={id}
        aria-describedby={hint ? `${id}-hint` : undefined}
        className="mt-0.5 inline-flex h-6 w-10 shrink-0 rounded-full border border-muted bg-raised p-0.5 transition-colors data-disabled:cursor-not-allowed data-checked:border-accent data-checked:bg-accent data-disabled:opacity-60"
      >
        <BaseSwitch.Thumb className="size-4.5 rounded-full bg-muted transition-[translate] data-checked:translate-x-4 data-checked:bg-accent-fg" />
      </BaseSwitch.Root>
    </div>
  );
}
