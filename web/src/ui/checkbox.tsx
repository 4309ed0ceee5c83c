import { useId } from 'react';
import { cx } from './cx.ts';
import { FieldFault, labelStyle } from './field.tsx';

type CheckboxGroupProps = {
  name: string;
  legend: string;
  defaultValue: string[];
  options: { value: string; label: string; hint?: string }[];
  hint?: string;
  className?: string;
};

export function CheckboxGroup({ name, legend, defaultValue, options, hint, className }: CheckboxGroupProps) {
  const id = useId();
  return (
    <div>
      <fieldset className={cx('grid gap-2.5', className)}>
        <legend className={cx(labelStyle, 'col-span-full mb-2.5')}>
          {legend}
          {hint && <span className="mt-0.5 block font-normal text-muted text-xs">{hint}</span>}
        </legend>
        {options.map((option) => (
          <div key={option.value} className="flex gap-2.5">
            <input
              type="checkbox"
              id={`${id}-${option.value}`}
              name={name}
              value={option.value}
              defaultChecked={defaultValue.includes(option.value)}
              aria-describedby={option.hint && `${id}-${option.value}-hint`}
              className="tick mt-0.5"
            />
            <div>
              <label htmlFor={`${id}-${option.value}`} className="text-sm">
                {option.label}
              </label>
              {option.hint && (
                <p id={`${id}-${option.value}-hint`} className="text-muted text-xs">
                  {option.hint}
                </p>
              )}
            </div>
          </div>
        ))}
      </fieldset>
      <FieldFault name={name} className="mt-1.5" />
    </div>
  );
}

type CheckboxProps = { label: string; checked: boolean; onCheckedChange: (checked: boolean) => void };

/** One alone, whose label is what stands beside it already. */
export function Checkbox({ label, checked, onCheckedChange }: CheckboxProps) {
  return (
    <input
      type="checkbox"
      aria-label={label}
      checked={checked}
      onInput={({ currentTarget }) => onCheckedChange(currentTarget.checked)}
      className="tick relative z-10 cursor-pointer after:absolute after:-inset-2.5"
    />
  );
}
