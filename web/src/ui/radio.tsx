import { Field } from '@base-ui/react/field';
import { Fieldset } from '@base-ui/react/fieldset';
import { Radio } from '@base-ui/react/radio';
import { RadioGroup as BaseRadioGroup } from '@base-ui/react/radio-group';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';
import { labelStyle } from './field.tsx';

type RadioOption = { value: string; label: string; hint?: string; picture?: ReactNode; more?: ReactNode };
type RadioGroupProps = { name: string; legend: string; options: RadioOption[] };

/** A question that has to be answered: nothing is chosen to begin with. */
export function RadioGroup({ name, legend, options }: RadioGroupProps) {
  return (
    <Field.Root name={name}>
      <Fieldset.Root render={<BaseRadioGroup required />} className="grid gap-3">
        <Fieldset.Legend className={labelStyle}>{legend}</Fieldset.Legend>
        {options.map((option) => (
          <RadioItem key={option.value} {...option} />
        ))}
      </Fieldset.Root>
      <Field.Error className="mt-1.5 text-danger-text text-xs leading-5" />
    </Field.Root>
  );
}

type RadioCardsProps = RadioGroupProps & { value: string; onValueChange: (value: string) => void };

/** The same for a few things to look at, one of which is chosen. */
export function RadioCards({ name, legend, options, value, onValueChange }: RadioCardsProps) {
  return (
    <Field.Root name={name}>
      <Fieldset.Root
        render={<BaseRadioGroup value={value} onValueChange={(next) => onValueChange(String(next))} />}
        className="grid gap-3 sm:grid-cols-2"
      >
        <Fieldset.Legend className={cx(labelStyle, 'col-span-full mb-1.5')}>{legend}</Fieldset.Legend>
        {options.map((option) => (
          <RadioItem
            key={option.value}
            {...option}
            className="rounded-lg border border-line p-3 has-data-checked:border-accent"
          />
        ))}
      </Fieldset.Root>
      <Field.Error className="mt-1.5 text-danger-text text-xs leading-5" />
    </Field.Root>
  );
}

/** Its label is what is in view of it, so that a click on the picture chooses it too. */
function RadioItem({ value, label, hint, picture, more, className }: RadioOption & { className?: string }) {
  return (
    <Field.Item className={cx('grid min-w-0 grid-cols-[auto_1fr] content-start gap-x-2.5', className)}>
      <Field.Label className="contents">
        {picture && <span className="col-span-full mb-2.5">{picture}</span>}
        <span className="col-start-2 min-w-0 break-words text-sm">{label}</span>
      </Field.Label>
      <Radio.Root
        value={value}
        className={cx(
          'col-start-1 mt-0.5 grid size-4.5 shrink-0 place-items-center rounded-full border border-line-strong bg-surface data-checked:border-accent data-checked:bg-accent',
          picture ? 'row-start-2' : 'row-start-1',
        )}
      >
        <Radio.Indicator className="size-2 rounded-full bg-accent-fg" />
      </Radio.Root>
      {(hint || more) && (
        <div className="col-start-2 min-w-0">
          {hint && <Field.Description className="break-words text-muted text-xs">{hint}</Field.Description>}
          {more}
        </div>
      )}
    </Field.Item>
  );
}
