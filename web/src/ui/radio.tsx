import { type ReactNode, useId } from 'react';
import { cx } from './cx.ts';
import { FieldFault, labelStyle } from './field.tsx';

type RadioOption = { value: string; label: string; hint?: string; picture?: ReactNode; more?: ReactNode };
type RadioGroupProps = { name: string; legend: string; options: RadioOption[] };

/** A question that has to be answered: nothing is chosen to begin with. */
export function RadioGroup({ name, legend, options }: RadioGroupProps) {
  return (
    <div>
      <fieldset className="grid gap-3">
        <legend className={cx(labelStyle, 'mb-3')}>{legend}</legend>
        {options.map((option) => (
          <RadioItem key={option.value} {...option} input={{ name, required: true }} />
        ))}
      </fieldset>
      <FieldFault name={name} className="mt-1.5" />
    </div>
  );
}

type RadioCardsProps = RadioGroupProps & { value: string; onValueChange: (value: string) => void };

/** The same for a few things to look at, one of which is chosen. */
export function RadioCards({ name, legend, options, value, onValueChange }: RadioCardsProps) {
  return (
    <div>
      <fieldset className="grid gap-3 sm:grid-cols-2">
        <legend className={cx(labelStyle, 'col-span-full mb-3')}>{legend}</legend>
        {options.map((option) => (
          <RadioItem
            key={option.value}
            {...option}
            input={{ name, checked: value === option.value, onChange: () => onValueChange(option.value) }}
            className="rounded-lg border border-line p-3 has-checked:border-accent"
          />
        ))}
      </fieldset>
      <FieldFault name={name} className="mt-1.5" />
    </div>
  );
}

type RadioItemProps = RadioOption & {
  input: { name: string; required?: boolean; checked?: boolean; onChange?: () => void };
  className?: string;
};

/** Its label is what is in view of it, so that a click on the picture chooses it too. */
function RadioItem({ value, label, hint, picture, more, input, className }: RadioItemProps) {
  const id = useId();
  return (
    <div className={cx('grid min-w-0 grid-cols-[auto_1fr] content-start gap-x-2.5', className)}>
      <label htmlFor={id} className="contents">
        {picture && <span className="col-span-full mb-2.5">{picture}</span>}
        <span className="col-start-2 min-w-0 break-words text-sm">{label}</span>
      </label>
      <input
        {...input}
        type="radio"
        id={id}
        value={value}
        aria-describedby={hint && `${id}-hint`}
        className={cx('tick col-start-1 mt-0.5', picture ? 'row-start-2' : 'row-start-1')}
      />
      {(hint || more) && (
        <div className="col-start-2 min-w-0">
          {hint && (
            <p id={`${id}-hint`} className="break-words text-muted text-xs">
              {hint}
            </p>
          )}
          {more}
        </div>
      )}
    </div>
  );
}
