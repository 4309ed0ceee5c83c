import { useState } from 'react';
import { cx } from './cx.ts';
import { useControl } from './field.tsx';
import { ChevronsIcon } from './icons.ts';
import { controlStyle } from './input.tsx';

type Option = { value: string; label: string; hint?: string };

type SelectProps = {
  options: Option[];
  defaultValue?: string;
  value?: string;
  onValueChange?: (value: string) => void;
  placeholder?: string;
  required?: boolean;
  disabled?: boolean;
  /** Only outside of a Field, whose label names it otherwise. */
  'aria-label'?: string;
  className?: string;
};

/** The browser's own, drawn by us where the browser allows it (`picker` in styles.css) and by the browser elsewhere. */
export function Select({
  options,
  defaultValue = '',
  value,
  onValueChange,
  placeholder = 'Choose…',
  required,
  disabled,
  className,
  ...aria
}: SelectProps) {
  const [own, setOwn] = useState(defaultValue);
  const chosen = value ?? own;
  const control = useControl({ disabled });
  const option = options.find((each) => each.value === chosen);
  return (
    <select
      {...aria}
      {...control}
      required={required}
      value={chosen}
      // Not onChange: the form hears of the same event and is drawn anew, and by then this has to know what was chosen.
      onInput={({ currentTarget }) => {
        setOwn(currentTarget.value);
        onValueChange?.(currentTarget.value);
      }}
      className={cx(controlStyle, 'picker h-9 any-pointer-coarse:h-10 min-w-0', className)}
    >
      <button type="button" disabled={control.disabled}>
        <span className={cx('truncate', !option && 'text-muted')}>{option?.label ?? placeholder}</span>
        <ChevronsIcon className="text-muted" />
      </button>
      {!option && (
        <option value={chosen} hidden>
          {placeholder}
        </option>
      )}
      {options.map((each) => (
        <option key={each.value} value={each.value}>
          <span>
            {each.label}
            {each.hint && <small> {each.hint}</small>}
          </span>
        </option>
      ))}
    </select>
  );
}
